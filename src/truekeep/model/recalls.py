"""Questions, and what comes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, overload

from truekeep.lazy import later, unknown

from .items import JSON, MemoryItem, Trust
from .shown import call, counted, cut, several

Order = Literal["best", "confidence", "newest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which items may answer. Kinds: any of them, `-kind` excludes; tags: all of them."""

    kinds: frozenset[str] | None = None
    tags: frozenset[str] | None = None
    session: str | None = None
    speaker: str | None = None
    source: str | None = None
    since: datetime | None = None  # `when` at or after
    until: datetime | None = None  # `when` before
    before: datetime | None = None  # `created` before
    as_of: datetime | None = None  # true at that time
    known_at: datetime | None = None  # as it was believed at that time
    min_trust: Trust | None = None
    include_superseded: bool = False
    include_quarantined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked, and of which items."""

    text: str
    limit: int = 5
    filters: Filters = Filters()
    min_similarity: float = 0.0
    min_answerable: float = 0.0
    order: Order = "best"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """An item found, with its score and why."""

    item: MemoryItem
    score: float
    similarity: float
    recency: float
    frequency: float
    confidence: float
    why: str

    def __repr__(self) -> str:
        told = (f"{self.score:.2f}", cut(self.content))
        return call("Match", *told, kind=self.kind, id=self.id, outdated_by=self.outdated_by)

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def content(self) -> str:
        return self.item.content

    @property
    def kind(self) -> str:
        return self.item.kind

    @property
    def tags(self) -> tuple[str, ...]:
        return self.item.tags

    @property
    def metadata(self) -> Mapping[str, JSON]:
        return self.item.metadata

    @property
    def speaker(self) -> str | None:
        return self.item.speaker

    @property
    def session(self) -> str | None:
        return self.item.session

    @property
    def created(self) -> datetime:
        return self.item.created

    @property
    def when(self) -> datetime:
        return self.item.when

    @property
    def outdated_by(self) -> str | None:
        """The id of the item that superseded this one."""
        return self.item.superseded_by

    @property
    def suspected_by(self) -> tuple[str, ...]:
        """The ids of newer items that may have replaced this one."""
        return self.item.suspected_by


@dataclass(frozen=True, kw_only=True, eq=False)
class Recall(Sequence[Match]):
    """What was found, best first: a read-only sequence of matches."""

    matches: tuple[Match, ...] = ()
    lessons: tuple[Match, ...] = ()  # what failed before and may be tried again: the avoid channel
    answerable: float = later(0.0)  # how likely anything here answers, 0 to 1; a judge is asked on first access
    pending: int = 0  # items whose vectors are not made yet, or of which nobody knows yet what they change
    degraded: bool = False  # meaning was not available, words answered alone

    def __repr__(self) -> str:
        found = several(f"{match.score:.2f} {cut(match.content)}" for match in self.matches)
        told = () if "answerable" in unknown(self) else (f"answerable={self.answerable:.2f}",)  # a repr asks nobody
        return call("Recall", found, *told, lessons=len(self.lessons), pending=self.pending, degraded=self.degraded)

    @property
    def text(self) -> str:
        """The contents as one bullet a line; empty when nothing was found."""
        return "\n".join(f"- {match.content}" for match in self.matches)

    @overload
    def __getitem__(self, index: int) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Match, ...]: ...
    def __getitem__(self, index: int | slice) -> Match | tuple[Match, ...]:
        return self.matches[index]

    def __len__(self) -> int:
        return len(self.matches)

    def __iter__(self) -> Iterator[Match]:
        return iter(self.matches)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Sequence) and not isinstance(other, str):
            return list(self) == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # compares by content, like a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some of the items, newest first, and where to go on."""

    items: tuple[MemoryItem, ...] = ()
    cursor: str | None = None  # for the next page; None when this was the last

    def __repr__(self) -> str:
        return call("Page", counted(len(self.items), "item"), cursor=self.cursor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """Where one arm of recall ranked an item."""

    name: str
    rank: int | None  # from 1; None when the arm did not nominate it
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why an item was found, or what it lost to."""

    id: str
    found: bool
    rank: int | None
    score: float
    arms: tuple[Arm, ...]
    note: str

    def __repr__(self) -> str:
        place = "not found" if self.rank is None else f"rank {self.rank}"
        return call("Explanation", place, f"{self.score:.2f}", repr(self.note), id=self.id)

"""The words of the product as frozen dataclasses; see docs/reference/vocabulary.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, overload

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"
Trust = Literal["unknown", "tool", "agent", "user"]
Outcome = Literal["added", "reinforced", "superseded", "refused"]
Order = Literal["best", "confidence", "newest"]
JobState = Literal["waiting", "running", "done", "failed"]
Scope = Literal["read", "write", "admin"]
Keep = Literal["newer", "older", "both"]
Redact = Literal["on", "flag", "refuse", "off"]  # what is done about secrets in what is said

KINDS = ("preference", "decision", "fact", "lesson", "context", "interaction", "temporary")
TRUST_LEVELS: tuple[Trust, ...] = ("unknown", "tool", "agent", "user")  # least first


ROLE_TRUST: Mapping[str, Trust] = MappingProxyType(
    {
        "user": "user",
        "human": "user",
        "assistant": "agent",
        "ai": "agent",
        "bot": "agent",
        "agent": "agent",
        "system": "agent",
        "developer": "agent",
        "tool": "tool",
        "function": "tool",
    }
)


class SpaceId(NamedTuple):
    """One named memory of one tenant."""

    tenant: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Who said it, where, and how far that is to be trusted.

    Without `trust`, the role tells; without a role, what has no name comes from the caller, who speaks for the user,
    and what has one ("crawler") is unknown.
    """

    name: str | None = None  # what can be rolled back as a whole: "crawler", "import:notes.txt"
    speaker: str | None = None
    role: str | None = None  # user, assistant, tool, system
    session: str | None = None
    message: str | None = None  # which message of the session
    trust: Trust = ""  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        if not self.trust:
            unnamed: Trust = "unknown" if self.name else "user"
            trust = unnamed if self.role is None else ROLE_TRUST.get(self.role, "unknown")
            object.__setattr__(self, "trust", trust)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryItem:
    """One thing remembered.

    It has two clocks: `when` to `until` is the time for which it is true, `created` to `retired` the time for
    which we believed so. `seq` says at which change of its space the item got its present state.
    """

    id: str
    content: str
    kind: str = "fact"
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    source: Source = Source()
    key: str | None = None  # the claim key: only an item with the same one can supersede this
    pinned: bool = False
    created: datetime
    updated: datetime
    when: datetime
    until: datetime | None = None
    retired: datetime | None = None
    expires: datetime | None = None
    superseded_by: str | None = None
    suspected_by: tuple[str, ...] = ()  # newer items that may have replaced it: it stays, the doubt is shown
    quarantined: bool = False  # poses as an instruction and comes from nobody we trust: kept, never recalled
    reason: str | None = None  # why the item got its present state
    version: int = 1  # of the content; `correct` adds one
    reinforced: int = 0  # how often the same was said again
    redacted: tuple[str, ...] = ()
    seq: int = 0

    @property
    def speaker(self) -> str | None:
        return self.source.speaker

    @property
    def session(self) -> str | None:
        return self.source.session

    @property
    def is_current(self) -> bool:
        """Whether nothing has taken its place."""
        return self.superseded_by is None and self.retired is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What somebody wants remembered, before it is admitted."""

    content: str
    kind: str | None = None  # None: that of the item that says the same already, else "fact"
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    source: Source = Source()
    key: str | None = None
    ttl: timedelta | None = None
    pinned: bool = False
    when: datetime | None = None
    idempotency_key: str | None = None
    derived: bool = False  # extracted or recorded rather than said to us: a tombstone stops it
    redacted: tuple[str, ...] = ()
    quarantined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What a `remember` did."""

    item: MemoryItem
    outcome: Outcome
    superseded: tuple[MemoryItem, ...] = ()
    suspected: tuple[MemoryItem, ...] = ()  # older ones that it may have replaced: they stay, the doubt is shown
    replayed: bool = False  # the idempotency key had been used before: this is the earlier answer

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def redacted(self) -> tuple[str, ...]:
        return self.item.redacted


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recall(Sequence[Match]):
    """What was found, best first: a read-only sequence of matches."""

    matches: tuple[Match, ...] = ()
    lessons: tuple[Match, ...] = ()  # what failed before and may be tried again: the avoid channel
    answerable: float = 0.0  # how likely anything here is relevant, 0 to 1
    pending: int = 0  # items whose vectors are not made yet
    degraded: bool = False  # meaning was not available, words answered alone

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A doubt that only somebody who knows can settle: the newer item may have replaced the older one."""

    older: MemoryItem
    newer: MemoryItem

    @property
    def id(self) -> str:
        return f"{self.older.id}:{self.newer.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What waits for somebody to look at it."""

    suspicions: tuple[Suspicion, ...] = ()  # newest doubt first
    quarantined: tuple[MemoryItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The latest state of an item that changed; `item` is None when it was erased."""

    seq: int
    id: str
    item: MemoryItem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What changed in a space after a cursor, in order."""

    events: tuple[Event, ...] = ()
    cursor: int = 0  # ask for what comes after it
    more: bool = False  # whether the limit cut it short
    missed: bool = False  # erasures after the cursor were purged already: drop what you know, start again from 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation that is to be extracted from."""

    content: str
    role: str | None = None
    speaker: str | None = None
    id: str | None = None
    when: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Durable work that a later process may finish."""

    id: str
    space: SpaceId
    task: str
    payload: Mapping[str, JSON]
    state: JobState = "waiting"
    attempts: int = 0
    result: Mapping[str, JSON] = field(default_factory=dict)
    error: str | None = None
    created: datetime
    updated: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionReport:
    """What an extraction by a model cost, and what became of it."""

    extractor: str
    calls: int = 0  # requests to the endpoint, repeated ones too
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dropped: int = 0  # suggestions that were left out, most of them because they quote nothing that was said
    fallback: str | None = None  # why the rules had to do it, or the rest of it; None: the model did
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What an `extract` kept; with `wait=False` only the job, until it is done."""

    remembered: tuple[Remembered, ...] = ()
    job: Job | None = None
    report: ExtractionReport | None = None  # of an extractor that reports; the result of a job has it as "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a `forget` erased, found out by searching again afterwards."""

    erased: tuple[str, ...] = ()
    remaining: int = 0  # of the erased ids, how many can still be found: always 0 unless the store failed
    pending: bool = False  # a reader still holds the log; its pages are wiped when it lets go


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """JSON under a key, with a version that only grows."""

    key: str
    value: JSON
    version: int
    created: datetime
    updated: datetime
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation, as far as it is remembered."""

    name: str
    items: int
    first: datetime
    last: datetime


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import restored."""

    items: int = 0
    versions: int = 0
    values: int = 0
    unchanged: int = 0  # already here, at least as new
    refused: int = 0  # forgotten before: a tombstone stopped them


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much is where."""

    space: str
    path: str
    items: int
    current: int
    pending: int
    values: int
    jobs: int
    failures: int
    bytes: int
    embedder: str
    kinds: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """What may be used; None: as much as one likes."""

    operations_per_month: int | None = None
    recalls_per_month: int | None = None
    memories: int | None = None  # held by the tenant, in all its spaces
    writes_per_day: int | None = None  # into one space, values too; days are those of UTC
    bytes_per_space: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessKey:
    """What one who presents its secret may do. The secret itself is nowhere kept."""

    id: str
    tenant: str
    name: str
    scopes: tuple[Scope, ...]
    spaces: tuple[str, ...] = ()  # patterns of names; empty: all spaces of the tenant
    operator: bool = False  # may make keys for any tenant
    quotas: Quotas = Quotas()
    created: datetime
    expires: datetime | None = None
    last_used: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How much was used in one period."""

    subject: str  # "key:ID" or "space:NAME"
    counter: str  # operations, recalls, writes, llm_calls, llm_tokens
    period: str  # a month, "2026-11", or a day, "2026-11-15", of UTC
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceSize:
    """How much a space holds."""

    name: str
    items: int
    values: int
    bytes: int  # of its texts and values, former versions included

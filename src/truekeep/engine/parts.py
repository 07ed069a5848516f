"""The parts that the engine works with, put together by `assembly`."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from truekeep.errors import StoreError
from truekeep.language import is_english
from truekeep.model import Job, Quotas, Redact, SpaceId
from truekeep.ports import Charge, Embedder, Extractor, Items, Store

from .admit import Limits
from .aside import Aside, Unfinished

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truekeep.index.cache import IndexCache

Clock = Callable[[], datetime]
NO_QUOTAS = Quotas()
_AT_ONCE = 256  # spaces whose access counts are written in one transaction: nobody else writes meanwhile


class SafeEmbedder(Embedder, Protocol):
    """An embedder that answers or raises EmbedderError within its deadline, whatever the real one does."""

    @property
    def failures(self) -> int: ...
    def embed(self, texts: Sequence[str], *, deadline: timedelta | None = None) -> NDArray[np.float32]: ...
    def embed_within(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32] | None: ...
    def reset_after_fork(self) -> None: ...


class SafeJudge(Protocol):
    """A judge that answers None where there is none, and while the real one fails: rules then decide alone."""

    @property
    def name(self) -> str: ...
    @property
    def failures(self) -> int: ...
    @property
    def is_there(self) -> bool: ...
    def relations(self, newer: str, older: Sequence[str]) -> NDArray[np.float32] | None: ...
    def relevance(self, question: str, texts: Sequence[str]) -> NDArray[np.float32] | None: ...
    def sentences(self, before: str, speaker: str, sentences: Sequence[str]) -> NDArray[np.float32] | None: ...
    def reset_after_fork(self) -> None: ...


class Accesses:
    """Access counts on their way to the store; a crash may lose some."""

    def __init__(self) -> None:
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._waiting: dict[SpaceId, Counter[str]] = {}
        self._writing: dict[SpaceId, Counter[str]] = {}  # handed to the store, which may not know them yet
        self._failing: set[SpaceId] = set()  # cannot be written; tried alone

    def add(self, space: SpaceId, ids: Sequence[str]) -> None:
        with self._lock:
            if (waiting := self._waiting.get(space)) is None:
                waiting = self._waiting[space] = Counter()
            waiting.update(ids)

    def waiting(self, space: SpaceId, ids: Sequence[str]) -> dict[str, int]:
        """Our own counts that the store does not know yet."""
        with self._lock:
            buffers = [buffer[space] for buffer in (self._waiting, self._writing) if space in buffer]
            return {id: count for id in ids if (count := sum(buffer[id] for buffer in buffers))} if buffers else {}

    def known(self, items: Items, space: SpaceId, ids: Sequence[str]) -> dict[str, int]:
        """The counts as kept, plus our own that are still on their way."""
        return dict(Counter(items.accesses(space, ids)) + Counter(self.waiting(space, ids)))

    def forget(self, space: SpaceId) -> None:
        with self._lock:
            self._waiting.pop(space, None)
            self._writing.pop(space, None)
            self._failing.discard(space)

    def flush(self, items: Items, now: datetime) -> None:
        """Hand the counts to the store, many spaces at once. They are known here until it has them, also if it fails.

        A space that cannot be counted holds up no other; what is wrong with it is raised at the end.
        """
        with self._flushing:
            with self._lock:
                for space, counts in self._waiting.items():
                    self._writing.setdefault(space, Counter()).update(counts)
                self._waiting = {}
                writing = dict(self._writing)
            well = [space for space in writing if space not in self._failing]
            groups = [well[start : start + _AT_ONCE] for start in range(0, len(well), _AT_ONCE)]
            groups += [[space] for space in writing if space in self._failing]
            problems = [problem for group in groups for problem in self._write(group, writing, items, now)]
        if problems:
            raise problems[0]

    def _write(
        self, spaces: Sequence[SpaceId], writing: Mapping[SpaceId, Counter[str]], items: Items, now: datetime
    ) -> list[StoreError]:
        """Write the counts of these spaces at once or, if that fails, one by one; what fails then."""
        try:
            items.count_accesses({space: writing[space] for space in spaces}, now=now)
        except StoreError as error:
            if error.retryable:
                raise  # the whole store is busy or out of reach
            if len(spaces) == 1:
                self._failing.update(spaces)
                return [error]
            return [problem for space in spaces for problem in self._write([space], writing, items, now)]
        self._failing.difference_update(spaces)
        with self._lock:
            for space in spaces:
                self._writing.pop(space, None)
        return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything that a recipe needs besides its arguments."""

    store: Store
    indexes: IndexCache
    embedder: SafeEmbedder
    multilingual: SafeEmbedder | None = None  # for what is not English, in the same space; None: there is none
    knows_english_only: bool = False  # the embedder
    extractor: Extractor
    judge: SafeJudge
    accesses: Accesses
    limits: Limits
    clock: Clock
    redact: Redact = "on"
    quotas: Quotas = NO_QUOTAS  # that writes are charged against
    writer: str | None = None  # the id of the key that they are made with; None: no server is between
    job: Job | None = None  # on whose behalf they are made: once it was erased or taken over, `apply` raises Withdrawn
    aside: Aside = field(default_factory=Aside)  # items whose text the embedder did not take
    unfinished: Unfinished = field(default_factory=Unfinished)  # spaces that may have pending vectors or verdicts
    exit_limit: timedelta = timedelta(seconds=5)

    @property
    def embedders(self) -> list[SafeEmbedder]:
        return [embedder for embedder in (self.embedder, self.multilingual) if embedder is not None]

    def embedder_of(self, text: str) -> SafeEmbedder:
        """Who makes the vectors of a text that is kept."""
        return self.embedder if self.multilingual is None or is_english(text) else self.multilingual

    def reader_of(self, question: str) -> SafeEmbedder | None:
        """Who tells what a question means; None where nobody here knows its language: there words do better alone."""
        if self.knows_english_only and self.multilingual is None and not is_english(question):
            return None
        return self.embedder_of(question)

    def charge(self, now: datetime | None = None) -> Charge | None:
        """What a write of what somebody said is charged against, in its own transaction."""
        return None if self.quotas == NO_QUOTAS else Charge(now=now or self.clock(), quotas=self.quotas)

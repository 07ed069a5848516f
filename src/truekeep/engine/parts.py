"""The parts that the engine works with, put together by `assembly`."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from truekeep.errors import StoreError
from truekeep.language import is_english
from truekeep.model import Job, Quotas, Redact, SpaceId
from truekeep.ports import Charge, Extractor, Items, Store

from .admit import Limits
from .aside import Aside, Unfinished
from .guarded_embedder import Guarded
from .guarded_judge import GuardedJudge

if TYPE_CHECKING:
    from truekeep.index.cache import IndexCache

Clock = Callable[[], datetime]
NO_QUOTAS = Quotas()
_AT_ONCE = 256  # spaces whose access counts are written in one transaction: nobody else writes meanwhile


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
    embedder: Guarded
    multilingual: Guarded | None = None  # for what is not English, in the same space; None: there is none
    knows_english_only: bool = False  # the embedder
    extractor: Extractor
    judge: GuardedJudge
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
    def embedders(self) -> list[Guarded]:
        return [embedder for embedder in (self.embedder, self.multilingual) if embedder is not None]

    def embedder_of(self, text: str) -> Guarded:
        """Who makes the vectors of a text that is kept."""
        return self.embedder if self.multilingual is None or is_english(text) else self.multilingual

    def reader_of(self, question: str) -> Guarded | None:
        """Who tells what a question means; None where nobody here knows its language: there words do better alone."""
        if self.knows_english_only and self.multilingual is None and not is_english(question):
            return None
        return self.embedder_of(question)

    def charge(self, now: datetime | None = None) -> Charge | None:
        """What a write of what somebody said is charged against, in its own transaction."""
        return None if self.quotas == NO_QUOTAS else Charge(now=now or self.clock(), quotas=self.quotas)

"""`TruekeepStore`: LangGraph's long-term store on a memory, searched by words and by meaning."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from langgraph.store.base import BaseStore, GetOp, ListNamespacesOp, Op, PutOp, Result, SearchOp, TTLConfig
from langgraph.store.base import validate_op_namespace as check_namespace

from truekeep.adapters.common import FailOpen, Recording, Remembering, Spaces
from truekeep.adapters.common.adapter import Attached
from truekeep.adapters.common.plans import Plan
from truekeep.engine import admit
from truekeep.errors import BackendError, ConfigurationError, InvalidInput, StoreError
from truekeep.memory import Memory

from . import operations, records
from .operations import Answer, Indexing, Read
from .records import Place

log = logging.getLogger(__name__)

MOST_WAITING = 1_000  # the oldest go first
MOST_UNDER_WAY = 10_000

Puts = Mapping[Place, PutOp]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Operations, taken apart."""

    count: int
    space: str | None  # None: nobody could say whose memory it is
    reads: dict[int, Read]  # by their place in the batch
    puts: dict[Place, PutOp]  # of several on one key the last counts
    late: dict[Place, PutOp]  # puts of earlier batches that could not be kept


class TruekeepStore(Attached, BaseStore):  # type: ignore[misc]  # LangGraph is not installed where types are checked
    """A store for graphs and agents: `graph.compile(store=TruekeepStore("support-bot"))`.

    Every item is a memory item of one space, so all that holds for those holds for it: it survives a power cut, other
    processes see it at once, a query finds it by its words and its meaning, secrets in it are redacted, and what is put
    under an existing key supersedes the former value, which stays in the history until the key is deleted.

    When the memory fails, reads find nothing and puts wait for the next call; `failures` counts.

    Args:
        memory: a `Memory`; `Spaces(...)`; or the name of a space. A store lives in the space that is written to.
        kind: the kind of its items.
        fields: which fields of a value a query finds, in LangGraph's path syntax; "$" is all of it.
        ttl: LangGraph's own configuration of lifetimes, in minutes.
        fail_open: with False a call raises StoreError when the memory fails: for graphs that read, change and write
            back, and must not take a failure for an empty store.
        guard: how failures are met.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory | Spaces | str,
        *,
        kind: str = "fact",
        fields: Sequence[str] = ("$",),
        ttl: TTLConfig | None = None,
        fail_open: bool = True,
        guard: FailOpen | None = None,
    ) -> None:
        if isinstance(fields, str) or not fields:
            raise ConfigurationError("fields is a list of paths, such as ['text', 'author.name']")
        self.remembering = Remembering(memory, recording=Recording(mode=None), guard=guard)
        self.ttl_config = ttl
        self._fail_open = fail_open
        self._outgoing = Outgoing(Indexing(kind, tuple(fields)))
        self.remembering.entrust(self._outgoing)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations; answers come in their order. Reads see what was there before the batch."""
        batch = self._batch(ops)
        return self._answers(batch, self.remembering.run(self._plan(batch)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`; the event loop goes on meanwhile."""
        batch = self._batch(ops)
        return self._answers(batch, await self.remembering.aio.run(self._plan(batch)))

    def _batch(self, ops: Iterable[Op]) -> _Batch:
        given = [*ops]
        reads: dict[int, Read] = {}
        puts: dict[Place, PutOp] = {}
        for number, op in enumerate(given):
            _check(op)
            if isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
            else:
                reads[number] = op
        space = self._space(is_written=bool(puts))
        late = {} if space is None else self._outgoing.begin(space, puts)
        return _Batch(len(given), space, reads, puts, late)

    def _space(self, *, is_written: bool) -> str | None:
        try:
            scopes = self.remembering.spaces.scopes()
            if is_written and scopes.write is None:
                raise ConfigurationError("this store can only be read: its scopes name no space to write to")
            return scopes.write or next(iter(scopes.read), None)
        except Exception as error:  # the host's own function may raise anything; then nothing is read or written
            self.remembering.guard.failed(error)
            return None

    def _plan(self, batch: _Batch) -> Plan[dict[int, Answer] | InvalidInput | None]:
        """What the batch answers; what is wrong with it, which is the caller's own affair; None: the memory failed."""

        def work() -> dict[int, Answer] | InvalidInput | None:
            if batch.space is None:
                return None
            memory = self.remembering.spaces.memory(batch.space)
            if batch.late:
                self._outgoing.write_late(memory, batch.late)
            try:
                answers = {number: operations.read(memory, op) for number, op in batch.reads.items()}
                self._outgoing.write(memory, batch.puts)
            except InvalidInput as error:
                return error
            return answers

        return Plan(work, None)

    def _answers(self, batch: _Batch, found: dict[int, Answer] | InvalidInput | None) -> list[Result]:
        if isinstance(found, InvalidInput):
            raise found
        if found is None:
            found = self._without_memory(batch)
        return [found.get(number) for number in range(batch.count)]

    def _without_memory(self, batch: _Batch) -> dict[int, Answer]:
        if batch.space is not None:
            self._outgoing.wait(batch.space, {**batch.late, **batch.puts} if self._fail_open else batch.late)
        if not self._fail_open:
            raise StoreError("the memory behind this store failed; see the log", retryable=True)
        now = datetime.now(UTC)
        waiting = {**batch.late, **batch.puts}
        found: dict[int, Answer] = {}
        for number, op in batch.reads.items():
            put = waiting.get((op.namespace, op.key)) if isinstance(op, GetOp) else None
            nothing: Answer = None if isinstance(op, GetOp) else []
            found[number] = nothing if put is None else records.unsaved(put, now)
        return found


def _check(op: Op) -> None:
    if not isinstance(op, GetOp | SearchOp | PutOp | ListNamespacesOp):
        raise InvalidInput("ops", f"cannot be of the type {type(op).__name__}")
    check_namespace(op)
    if isinstance(op, SearchOp):
        operations.check_filter(op.filter)
    if isinstance(op, SearchOp | ListNamespacesOp):
        admit.whole(op.limit, "limit", 0, sys.maxsize // 2)
        admit.whole(op.offset, "offset", 0, sys.maxsize // 2)
    elif isinstance(op, PutOp):
        records.lifetime_of(op)


class Outgoing:
    """Writes puts, the latest for each key only; safe in several threads.

    A call that came too late is still carried out: what was put under the same key in the meantime must not be
    overwritten by it.
    """

    def __init__(self, indexing: Indexing) -> None:
        self._indexing = indexing
        self._latest: dict[tuple[str, Place], PutOp] = {}  # of those that are not written yet
        self._puts: dict[tuple[str, Place], PutOp] = {}  # those that wait
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many puts could not be written."""
        return len(self._puts)

    def begin(self, space: str, puts: Puts) -> dict[Place, PutOp]:
        """These are to be written now; which others wait for that, and go with them."""
        with self._lock:
            late = {place: op for (owner, place), op in self._puts.items() if owner == space}
            self._puts = {key: op for key, op in self._puts.items() if key[0] != space}
            for place, op in puts.items():
                self._latest.pop((space, place), None)
                self._latest[space, place] = op
            while len(self._latest) > MOST_UNDER_WAY:
                del self._latest[next(iter(self._latest))]
            return late

    def wait(self, space: str, puts: Puts) -> None:
        """Keep those that could not be written, unless there is a later one under the same key."""
        with self._lock:
            for place, op in self._current(space, puts).items():
                self._puts.pop((space, place), None)
                self._puts[space, place] = op
            while len(self._puts) > MOST_WAITING:
                del self._puts[next(iter(self._puts))]
                log.warning("a put was not kept: %d others wait for the memory already", MOST_WAITING)

    def write(self, memory: Memory, puts: Puts) -> None:
        """Write them, less those that are out of date."""
        with self._lock:
            current = self._current(memory.space, puts)
        operations.put(memory, [*current.values()], self._indexing)
        with self._lock:
            for place in self._current(memory.space, current):
                del self._latest[memory.space, place]

    def write_late(self, memory: Memory, puts: Puts) -> None:
        """Write those that waited; what can never be kept does not hold up the others."""
        try:
            self.write(memory, puts)
        except BackendError:
            raise
        except Exception as error:  # no JSON, beyond a quota...: it would fail again before each read
            if len(puts) == 1:
                log.warning("a put that waited for the memory cannot be kept: %s", type(error).__name__)
                return
            for place, op in puts.items():
                self.write_late(memory, {place: op})

    def flush(self, spaces: Spaces) -> None:
        """Write all that waits, in every space."""
        with self._lock:
            owners = {space for space, _ in self._puts}
        for space in owners:
            late = self.begin(space, {})
            try:
                self.write_late(spaces.memory(space), late)
            except BaseException:
                self.wait(space, late)
                raise

    def _current(self, space: str, puts: Puts) -> dict[Place, PutOp]:
        return {place: op for place, op in puts.items() if self._latest.get((space, place)) is op}

"""Puts on their way to the memory of a LangGraph store, some of which wait for it to come back."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping

from langgraph.store.base import PutOp

from truekeep.errors import BackendError
from truekeep.memory import Memory

from . import operations
from .operations import Indexing
from .records import Place

log = logging.getLogger(__name__)

MOST_WAITING = 1_000  # the oldest go first
MOST_UNDER_WAY = 10_000

Puts = Mapping[Place, PutOp]


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

    def send(self, memory: Memory) -> None:
        """Write all that waits for this memory."""
        late = self.begin(memory.space, {})
        try:
            self.write_late(memory, late)
        except BaseException:
            self.wait(memory.space, late)
            raise

    def _current(self, space: str, puts: Puts) -> dict[Place, PutOp]:
        return {place: op for place, op in puts.items() if self._latest.get((space, place)) is op}

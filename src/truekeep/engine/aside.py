"""What did not work out for one text or one space, and when it is tried again, so that no other waits for it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from random import SystemRandom
from typing import NamedTuple

from truekeep.model import SpaceId

FIRST_REST = 30.0  # seconds; twice as long after each failure
MOST_REST = 3600.0
_REASON = 120  # characters
_CHANCE = SystemRandom()  # a forked child draws numbers of its own, and nobody's seed is touched

Seconds = Callable[[], float]


class _Failure(NamedTuple):
    together: int  # among how many texts it may be tried again
    times: int  # that it failed alone
    reason: str
    due: float


class Aside:
    """Items whose text an embedder did not take.

    One that failed among others is tried again among half as many, until it fails alone: then it is set aside, with the
    reason, and rests longer each time.

    All of it is in memory: another process, or this one after a restart, finds out for itself with one attempt. There
    is no lock: each change is one operation on a dict, and what is in it never changes.
    """

    def __init__(self, clock: Seconds = time.monotonic) -> None:
        self._clock = clock
        self._failures: dict[SpaceId, dict[str, _Failure]] = {}

    def count(self, space: SpaceId) -> int:
        """How many failed, alone or among others."""
        return len(self._failures.get(space, ()))

    def chosen(self, space: SpaceId, waiting: Sequence[str], limit: int, *, prompt: bool) -> list[str]:
        """Which of the waiting ids to try next: those that never failed first, and with `prompt` only those."""
        failures = dict(self._failures.get(space, {}))
        fresh = [id for id in waiting if id not in failures]
        if fresh or prompt:
            return fresh[:limit]
        now = self._clock()
        due = [id for id in waiting if failures[id].due <= now]
        together = max((failures[id].together for id in due), default=0)
        return [id for id in due if failures[id].together == together][: min(limit, together)]

    def failed(self, space: SpaceId, ids: Sequence[str], reason: str) -> bool:
        """These failed together; whether that sets one aside for the first time."""
        failures = self._failures.setdefault(space, {})
        if len(ids) > 1:
            failures.update(dict.fromkeys(ids, _Failure(len(ids) // 2, 0, reason, 0.0)))
            return False
        times = failures[ids[0]].times + 1 if ids[0] in failures else 1
        rest = min(FIRST_REST * 2 ** (times - 1), MOST_REST)
        failures[ids[0]] = _Failure(1, times, reason[:_REASON], self._clock() + rest)
        return times == 1

    def drop(self, space: SpaceId, ids: Collection[str]) -> None:
        """They have their vectors by now, or another text."""
        failures = self._failures.get(space)
        if failures:
            for id in ids:
                failures.pop(id, None)

    def keep(self, space: SpaceId, waiting: Collection[str]) -> None:
        """No others wait for vectors in the space."""
        self.drop(space, set(self._failures.get(space, ())).difference(waiting))
        if not waiting:
            self._failures.pop(space, None)

    def due(self, space: SpaceId) -> float | None:
        """When the next one is to be tried again; None when nothing failed."""
        return min((failure.due for failure in list(self._failures.get(space, {}).values())), default=None)

    def reasons(self, space: SpaceId, waiting: Callable[[], Collection[str]]) -> dict[str, int]:
        """Why items were set aside, and how many for each reason."""
        alone = {id: one.reason for id, one in list(self._failures.get(space, {}).items()) if one.times}
        still = alone.keys() & set(waiting()) if alone else ()
        return dict(Counter(alone[id] for id in still).most_common())


class Unfinished:
    """Spaces that may lack vectors or verdicts, in the order in which they are served. Without a lock, as above."""

    def __init__(self, clock: Seconds = time.monotonic) -> None:
        self._clock = clock
        self._due: dict[SpaceId, float] = {}
        self._shared: set[SpaceId] = set()  # other processes make vectors there, too
        self.claimed: set[str] = set()  # items that a caller judges itself, and waits for

    def add(self, space: SpaceId, *, due: float = 0.0) -> None:
        """Serve it after all others that wait; one that waits already keeps its place."""
        self._due[space] = due

    def __contains__(self, space: object) -> bool:
        return space in self._due

    def rest(self, space: SpaceId) -> None:
        """Serve it again in a while: it failed."""
        self.add(space, due=self._clock() + FIRST_REST)

    def remove(self, space: SpaceId) -> None:
        self._due.pop(space, None)

    def share(self, space: SpaceId, *, is_shared: bool) -> None:
        """Whether another process was seen to make the same vectors."""
        (self._shared.add if is_shared else self._shared.discard)(space)

    def begin(self, space: SpaceId) -> float:
        """Where to begin in what is missing: with the oldest, or anywhere, so that those who share it rarely meet."""
        return _CHANCE.random() if space in self._shared else 0.0

    def due(self) -> list[SpaceId]:
        now = self._clock()
        return [space for space, due in list(self._due.items()) if due <= now]

    def hurry(self) -> None:
        """Let none of them rest any longer."""
        for space in list(self._due):
            self.add(space)

"""`Transcript`: a conversation that outlives its process, message by message, each kept once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from truekeep.adapters.common import Spaces
from truekeep.errors import InvalidInput
from truekeep.memory import Memory

Entry = dict[str, Any]


class Transcript:
    """The list under a key: what was kept of it before, and what was said since.

    A framework clears conversations and replays them. What it replays is recognised by being the end of what was said
    before, or that without the last message (`resume` hands it over for the caller to send again, who may say something
    else instead), so it is neither kept twice nor shown twice.

    Args:
        key: where in the memory.
        past: what is kept there already.
        likeness: what makes two entries the same message.
    """

    def __init__(self, key: str, past: Sequence[Entry], *, likeness: Callable[[Entry], object]) -> None:
        self._key = key
        self._past = [*past]
        self._live: list[Entry] = []
        self._likeness = likeness
        self._replayed: int | None = None  # how many of the live ones are from the past; None: not decided yet
        self._left_out = 0  # how many after those were not replayed: none, or the last message
        self._waiting: dict[str, Entry] = {}
        self._lock = threading.Lock()
        self._sending = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many messages are not kept yet."""
        return len(self._waiting)

    @property
    def earlier(self) -> list[Entry]:
        """What was said before the conversation that is under way."""
        end = len(self._past) - self._left_out
        return [*self._past[: end - (self._replayed or 0)], *self._past[end:]]

    def add(self, entry: Entry) -> bool:
        """Take down what was said; whether there is something to send."""
        with self._lock:
            self._live.append(entry)
            if self._replayed is not None:
                self._wait_for([entry])
            elif not _is_part(self._likenesses(self._live), self._likenesses(self._past)):
                self._decide()
            return bool(self._waiting)

    def go_on(self) -> bool:
        """Somebody is about to reply: nothing is replayed any more. Whether there is something to send."""
        with self._lock:
            if self._replayed is None:
                self._decide()
            return bool(self._waiting)

    def restart(self) -> None:
        """The framework cleared the conversation: what comes next is said anew, or replayed."""
        with self._lock:
            if self._replayed is not None:
                self._past = [*self._past, *self._live[self._replayed :]]
            self._live = []
            self._replayed, self._left_out = None, 0

    def forget(self) -> None:
        """Nothing was ever said."""
        with self._lock:
            self._past, self._live, self._waiting = [], [], {}
            self._replayed, self._left_out = None, 0

    def send(self, memory: Memory) -> None:
        """Keep what waits, in order. Blocks, and raises what `Memory` raises; then it waits for the next time."""
        problem: InvalidInput | None = None
        with self._sending:
            while self._waiting:
                key, entry = next(iter(self._waiting.items()))
                try:
                    memory.append(self._key, entry, idempotency_key=key)
                except InvalidInput as error:  # never to be kept: it does not hold up the others
                    problem = error
                self._waiting.pop(key, None)
        if problem is not None:
            raise problem

    def flush(self, spaces: Spaces) -> None:
        """As `send`, for an `Outbox`."""
        self.send(spaces.own())

    def _decide(self) -> None:
        past, live = self._likenesses(self._past), self._likenesses(self._live)
        whole, shortened = _overlap(past, live), _overlap(past[:-1], live)
        # One message alone may well be said again; several in the same order are a replay.
        self._replayed, self._left_out = (shortened, 1) if shortened > max(whole, 1) else (whole, 0)
        self._wait_for(self._live[self._replayed :])

    def _wait_for(self, entries: Sequence[Entry]) -> None:
        self._waiting.update({uuid4().hex: entry for entry in entries})

    def _likenesses(self, entries: Sequence[Entry]) -> list[object]:
        return [self._likeness(entry) for entry in entries]


def _overlap(past: Sequence[object], live: Sequence[object]) -> int:
    """How many of the live ones, from their beginning, are the end of the past."""
    counts = range(min(len(past), len(live)), 0, -1)
    return next((count for count in counts if past[-count:] == live[:count]), 0)


def _is_part(some: Sequence[object], all_of_them: Sequence[object]) -> bool:
    starts = range(len(all_of_them) - len(some) + 1)
    return any(all_of_them[start : start + len(some)] == some for start in starts)

"""Patience with what may hang or fail: how long somebody waits for it, and how long it is left alone afterwards."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from math import inf
from typing import Generic, TypeVar

Result = TypeVar("Result")


class TooLate(Exception):
    """Nobody waits any longer. Never reaches a user."""


class TooMuch(Exception):
    """Nobody takes in any more. Never reaches a user."""


class Call(Generic[Result]):
    """One call, made by the thread that `run`s it, and told of when it ends, even when nobody waits any more."""

    value: Result

    def __init__(self, work: Callable[[], Result], *, tell: Callable[[], None]) -> None:
        self.error: BaseException | None = None
        self.is_done = False
        self._work = work
        self._tell = tell

    def run(self) -> None:
        try:
            self.value = self._work()
        except BaseException as error:  # of whatever kind: the thread goes on, and the caller is told
            self.error = error
        self.is_done = True
        self._tell()


def within(
    seconds: float, work: Callable[[], Result], *, thread: str, ended: Callable[[], None] = lambda: None
) -> Result:
    """What the work gives, done in a thread of that name. Raises what it raises, and TooLate when it takes longer.

    No thread can be stopped: it goes on then, and `ended` is called when it ends, or where it never began. It keeps no
    process alive.
    """
    done = threading.Event()

    def tell() -> None:
        ended()
        done.set()

    call = Call(work, tell=tell)
    try:
        threading.Thread(target=call.run, name=thread, daemon=True).start()
    except RuntimeError:  # no more threads, or the interpreter is shutting down
        ended()
        raise
    if not done.wait(max(0.0, seconds)):
        raise TooLate
    if isinstance(call.error, Exception):
        raise call.error
    if call.error is not None:  # a SystemExit is not meant for the thread that waits
        raise RuntimeError(f"the call ended with {type(call.error).__name__}") from call.error
    return call.value


def whole(pieces: Iterable[bytes], until: float, *, most: float = inf) -> bytes:
    """An answer that comes in pieces, all of it by that moment of the monotonic clock. Raises TooLate and TooMuch.

    An HTTP client's own timeout starts again with every byte, and would let a trickle go on.
    """
    answer = bytearray()
    for piece in pieces:
        answer += piece
        if len(answer) > most:
            raise TooMuch
        if time.monotonic() > until:
            raise TooLate
    return bytes(answer)


def seconds_asked(retry_after: str | None) -> float:
    """How long a Retry-After asks us to wait. A date instead of a number is rare, and then our own pause will do."""
    given = retry_after or ""
    return float(given) if given.isascii() and given.isdecimal() and len(given) < 10 else 0.0


class Breaker:
    """After so many failures in a row nobody asks for a while; then one call at a time tries whether it is back."""

    def __init__(self, *, tolerance: int, retry_after: float, clock: Callable[[], float]) -> None:
        self._tolerance = tolerance
        self._retry_after = retry_after
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0  # in a row
        self._rests_until = 0.0

    @property
    def is_open(self) -> bool:
        """Whether calls are held back, but for one that tries."""
        return self._failures >= self._tolerance

    @property
    def is_rested(self) -> bool:
        """Whether the next call would go through."""
        return not self.is_open or self._clock() >= self._rests_until

    def admits(self) -> bool:
        """Whether a call may go through. The one that tries sets the others back: it may never tell how it went."""
        with self._lock:
            if not self.is_rested:
                return False
            if self.is_open:
                self._rests_until = self._clock() + self._retry_after
            return True

    def succeeded(self) -> bool:
        """Whether calls had been held back until now."""
        if not self._failures:  # nearly always
            return False
        with self._lock:
            was_open = self.is_open
            self._failures = 0
            return was_open

    def failed(self) -> bool:
        """Whether calls are held back from now on, and were not before."""
        with self._lock:
            was_open = self.is_open
            self._failures += 1
            self._rests_until = self._clock() + self._retry_after
            return self.is_open and not was_open

    def reset_after_fork(self) -> None:
        self._lock = threading.Lock()

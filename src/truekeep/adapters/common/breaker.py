"""`Breaker`: decides whether a memory that failed is to be asked again."""

from __future__ import annotations

import threading
from collections.abc import Callable


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
        """Whether calls are held back."""
        return self._failures >= self._tolerance

    def admits(self) -> bool:
        """Whether a call may go through. The one that tries sets the others back: it may never tell how it went."""
        with self._lock:
            if not self.is_open:
                return True
            now = self._clock()
            if now < self._rests_until:
                return False
            self._rests_until = now + self._retry_after
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            self._rests_until = self._clock() + self._retry_after

    def reset_after_fork(self) -> None:
        self._lock = threading.Lock()

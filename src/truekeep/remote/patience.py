"""How long to wait, and how often to try."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """The defaults let an agent outlast the restart of a server, and notice within seconds that there is none."""

    connect: timedelta = timedelta(seconds=5)
    answer: timedelta = timedelta(seconds=60)
    long_answer: timedelta = timedelta(minutes=10)  # of calls that read or write a whole space or store
    attempts: int = 4
    span: timedelta = timedelta(seconds=10)  # nothing is tried again that would begin later than this
    first_pause: timedelta = timedelta(milliseconds=200)  # doubled each time

    def pause(self, attempt: int, *, elapsed: float, asked: float, chance: float) -> float | None:
        """Seconds to wait after this attempt failed; None when it was the last.

        Args:
            attempt: which one, from 1.
            elapsed: seconds since the first began.
            asked: what the server asks for (Retry-After).
            chance: between 0 and 1, so that many clients do not come back in step.
        """
        wait = asked + self.first_pause.total_seconds() * 2 ** (attempt - 1) * (0.5 + chance / 2)
        is_in_time = elapsed + wait <= self.span.total_seconds()
        return wait if attempt < self.attempts and is_in_time else None

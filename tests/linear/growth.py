"""How the time that a text takes grows with its length."""

from __future__ import annotations

import time
from collections.abc import Callable

SIZES = (16 * 1024, 32 * 1024, 64 * 1024)  # bytes; the last is the longest content that is admitted
_FIRST_LOOK = 2 * 1024
_NOTICED = 0.25  # seconds for a text of the last size: what takes less may grow as it likes
_TOO_LONG = 1.5  # seconds for one of the first size: what takes more is not measured any further
_DOUBLED = 2.7  # at most, for a text twice as long: 2 is linear, 4 quadratic
_TRIES = 3  # the machine may be busy


def repeated(unit: str, size: int) -> str:
    """A text of at most that many bytes, which begins with a letter and ends with what the run does not have."""
    return "a" + (unit * (size // len(unit.encode()) + 1)).encode()[: size - 8].decode(errors="ignore") + "!b"


def grows_too_fast(read: Callable[[str], object], made: Callable[[int], str]) -> str | None:
    """Why the time to read such texts is not linear in their size; None when it is, or too short to tell."""
    for size in (_FIRST_LOOK, SIZES[0]):
        first = _seconds(read, made(size))
        if first * (SIZES[-1] / size) ** 2 < _NOTICED:  # even if it is quadratic
            return None
    best = [first]
    best += [float("inf")] * (len(SIZES) - 1)
    for _ in range(_TRIES):
        if best[0] > _TOO_LONG:
            break
        best = [min(seconds, _seconds(read, made(size))) for size, seconds in zip(SIZES, best, strict=True)]
        if best[-1] < max(_NOTICED, best[0] * _DOUBLED ** (len(SIZES) - 1)):
            return None
    return ", ".join(f"{size:,} bytes: {seconds:.3f} s" for size, seconds in zip(SIZES, best, strict=True))


def _seconds(read: Callable[[str], object], text: str) -> float:
    """Of this thread's CPU: others on the machine do not count."""
    began = time.thread_time()
    read(text)
    return time.thread_time() - began

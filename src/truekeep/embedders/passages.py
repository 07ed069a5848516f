"""How a long text is cut into passages."""

from __future__ import annotations

from collections.abc import Sequence

MOST_PASSAGES = 700  # any text of 64 KiB needs fewer; of a longer one the rest is found by its words


def windows(starts: Sequence[int], end: int, *, size: int) -> list[tuple[int, int]]:
    """Stretches from word start to word start, each as long as a passage may be, that overlap by a quarter.

    There must always be a word start within reach: no word may be longer than a passage.
    """
    overlap = size // 4
    found: list[tuple[int, int]] = []
    boundaries = [*starts, end]
    first = last = 0  # places in boundaries
    while boundaries[last] < end and len(found) < MOST_PASSAGES:
        while last + 1 < len(boundaries) and boundaries[last + 1] - boundaries[first] <= size:
            last += 1
        found.append((boundaries[first], boundaries[last]))
        while first < last and boundaries[last] - boundaries[first] > overlap:
            first += 1
    return found


def overlapping(text: str, size: int) -> list[str]:
    """Pieces of at most `size` characters that overlap by about a quarter, cut at white space where there is some."""
    pieces = []
    start = 0
    while len(text) - start > size:
        end = _after_space(text, start + size * 3 // 4, start + size)
        pieces.append(text[start:end])
        start = _after_space(text, end - size // 4, end - size // 8)
    pieces.append(text[start:])
    return pieces


def _after_space(text: str, earliest: int, latest: int) -> int:
    """The last place in this stretch that follows white space; its end where there is none."""
    return next((place for place in range(latest, earliest, -1) if text[place - 1].isspace()), latest)

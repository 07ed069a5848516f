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

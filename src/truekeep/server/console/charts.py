"""Charts as numbers for SVG. Pure: what is drawn follows from the arguments alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from truekeep.model import MemoryItem

SPARK_WIDTH, SPARK_HEIGHT = 120, 24
BAR_WIDTH = 120
CLAIM_WIDTH, CLAIM_HEIGHT = 560, 16
_MARGIN = 16
_MOST_CLAIMS = 30


def sparkline(counts: Sequence[int]) -> str:
    """The points of a polyline, the largest count at the top."""
    top = max([1, *counts])
    step = SPARK_WIDTH / max(1, len(counts) - 1)
    return " ".join(
        f"{number * step:.1f},{SPARK_HEIGHT - 2 - (SPARK_HEIGHT - 4) * count / top:.1f}"
        for number, count in enumerate(counts)
    )


def by_day(counts: Mapping[str, int], today: date, days: int = 30) -> list[int]:
    """Counts by day of the last days, oldest first; a day without any counts none."""
    return [counts.get((today - timedelta(days=back)).isoformat(), 0) for back in reversed(range(days))]


def bar(share: float) -> float:
    """How long a bar is for a share between 0 and 1."""
    return round(BAR_WIDTH * min(1.0, max(0.0, share)), 1)


def spread(coordinates: Sequence[float], extent: int) -> list[int]:
    """Into a picture, from one margin to the other; what does not differ lies in the middle."""
    low, high = min(coordinates, default=0.0), max(coordinates, default=0.0)
    if high - low < 1e-9:
        return [extent // 2 for _ in coordinates]
    return [round((one - low) / (high - low) * (extent - 2 * _MARGIN)) + _MARGIN for one in coordinates]


class Belief(NamedTuple):
    """One item under a claim key: from when to when it was believed, as a piece of a line."""

    item: MemoryItem
    x: float
    width: float
    is_current: bool


class Claim(NamedTuple):
    key: str
    beliefs: Sequence[Belief]


def claims(items: Sequence[MemoryItem], now: datetime) -> tuple[list[Claim], datetime]:
    """What was believed when: a line for each claim key, those with most turns first, and when the lines begin."""
    by_key: dict[str, list[MemoryItem]] = {}
    for item in items:
        if item.key is not None:
            by_key.setdefault(item.key, []).append(item)
    chosen = sorted(by_key.items(), key=lambda entry: (-len(entry[1]), entry[0]))[:_MOST_CLAIMS]
    begin = min((item.created for _, group in chosen for item in group), default=now)
    scale = CLAIM_WIDTH / max(1.0, (now - begin).total_seconds())

    def drawn(item: MemoryItem) -> Belief:
        end = min(now, item.retired or now)
        x = (item.created - begin).total_seconds() * scale
        width = (end - item.created).total_seconds() * scale
        return Belief(item, round(min(x, CLAIM_WIDTH - 3), 1), round(max(3.0, width), 1), item.is_current)

    return [
        Claim(key, [drawn(item) for item in sorted(group, key=lambda item: item.created)]) for key, group in chosen
    ], begin

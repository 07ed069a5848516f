"""How a space grew."""

from __future__ import annotations

from datetime import datetime

import numpy as np

from truekeep.model import SpaceId

from .parts import Parts

_DAY = 86_400 * 1_000_000  # in microseconds


def added_by_day(*, parts: Parts, space: SpaceId, now: datetime, days: int) -> list[int]:
    """How many of the items that are still kept were added on each of the last days of UTC, the oldest day first."""
    view = parts.indexes.refreshed(space)
    today = int(now.timestamp()) // 86_400
    age = today - view.column("created")[view.alive] // _DAY
    counts = np.bincount(age[(age >= 0) & (age < days)], minlength=days)
    return [int(count) for count in counts[::-1]]

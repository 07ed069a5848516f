"""Ranking: pure functions of scores and times.

All parts of a score are on the scale of a cosine, and none is scaled to the best candidate: a query that shares one
common word with its best item should not count that word as much as one that shares all of them. So one set of weights
does for short facts, where meaning decides, and for chats, where words do. docs/explanation/recall.md has the figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from truekeep.model import MemoryItem

Scores = NDArray[np.float32]

WORDS = 0.45  # an item that held all words of the query, as often as could be
NEIGHBOURS = 0.4  # the same for what only the turns before and after it hold
SHORT_TURN = 80  # terms: a longer one speaks for itself, and is lent less in proportion
SESSION = 0.5  # ... and for the best place of its session
SPEAKER = 0.3  # the person asked about said it, or it names them and nobody in particular said it
USER = 0.14  # the user said it, and asks about themselves
SAID_THEN = 0.3  # said in the period asked about
SPEAKS_OF_THEN = 0.15  # names a day or month of that period
NAMES_TIME = 0.11  # names any time at all, for a question that asks for one
LESSON = 0.23  # a lesson, for a question about what to avoid
IDENTIFIER = 1.0  # holds an identifier of the query to the letter: more than all else that speaks for another
LENGTH = 0.04  # for each e-fold of its terms: a bare "Thanks!" says little
LONG_ENOUGH = 30  # terms: more of them make no difference any more

KIND_BONUS: Mapping[str, float] = {"preference": 0.005, "decision": 0.005}  # they win ties
RECENCY_BONUS = 0.003  # where statements compete, the newer one wins
MOST_BONUS = max(KIND_BONUS.values()) + RECENCY_BONUS
_INFLECTION_DAYS: Mapping[str, float] = {"preference": 365.0, "decision": 365.0, "temporary": 3.0}
_DEFAULT_INFLECTION_DAYS = 30.0
_DAY = timedelta(days=1)
_TEN_RECALLS = math.log(11)


class Part(NamedTuple):
    """One reason for an item to be ranked where it is, over all candidates."""

    name: str
    scores: Scores


def fused(parts: Sequence[Part]) -> Scores:
    """The sum, in the order of the parts, so that it is the same to the last bit everywhere."""
    total = parts[0].scores.copy()
    for part in parts[1:]:
        total += part.scores
    return total


def bonus(kind: str, recency: float) -> float:
    """What is added to the fused score."""
    return KIND_BONUS.get(kind, 0.0) + RECENCY_BONUS * recency


def recency(item: MemoryItem, now: datetime) -> float:
    """1 for what is new, one half at the inflection of its kind, falling towards 0."""
    if item.pinned:
        return 1.0
    said = max(item.when, item.updated) if item.reinforced else item.when
    age_days = max(0.0, (now - said) / _DAY)
    inflection = _INFLECTION_DAYS.get(item.kind, _DEFAULT_INFLECTION_DAYS)
    return 1.0 / (1.0 + math.exp(min(0.05 * (age_days - inflection), 500.0)))


def frequency(accesses: int) -> float:
    """0 for what was never recalled, 1 from ten recalls on."""
    return min(math.log(1 + accesses) / _TEN_RECALLS, 1.0)


def confidence(similarity: float, recency: float, frequency: float) -> float:
    return 0.6 * similarity + 0.2 * recency + 0.2 * frequency

"""Ranking: pure functions of scores and times."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from recollect.model import MemoryItem

Scores = NDArray[np.float32]

MEANING_WEIGHT = 0.7  # the rest is words; short facts want meaning first
KIND_BONUS: Mapping[str, float] = {"preference": 0.01, "decision": 0.01}  # they win ties
RECENCY_BONUS = 0.01  # where statements compete, the newer one wins
MOST_BONUS = max(KIND_BONUS.values()) + RECENCY_BONUS
_INFLECTION_DAYS: Mapping[str, float] = {"preference": 365.0, "decision": 365.0, "temporary": 3.0}
_DEFAULT_INFLECTION_DAYS = 30.0
_DAY = timedelta(days=1)
_TEN_RECALLS = math.log(11)


def fuse(words: Scores, meaning: Scores | None) -> Scores:
    """One score a candidate: a weighted sum of scaled scores, which beat reciprocal ranks in every pair measured."""
    if meaning is None:
        return _scaled(words, 1.0)
    return _scaled(words, 1 - MEANING_WEIGHT) + _scaled(meaning, MEANING_WEIGHT)


def _scaled(scores: Scores, top: float) -> Scores:
    """From 0, which stands for "nothing in common" in words and in meaning alike, to `top` for the best."""
    best = float(np.maximum.reduce(scores, initial=0))
    return scores * np.float32(top / best) if best > 0 else np.zeros_like(scores)


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


def answerable(similarity: float, coverage: float) -> float:
    """How likely the best match is relevant: a logistic of its similarity and of the share of words it covers.

    The constants put an even chance at a cosine of 0.35 with a third of the (rare) words covered; the issue Recall
    calibrates them on data.
    """
    return 1.0 / (1.0 + math.exp(-(8.0 * (similarity - 0.35) + 4.0 * (coverage - 0.33))))

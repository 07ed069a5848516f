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
_INFLECTION_DAYS: Mapping[str, float] = {"preference": 365.0, "decision": 365.0, "temporary": 3.0}
_DEFAULT_INFLECTION_DAYS = 30.0
_DAY = timedelta(days=1)
_TEN_RECALLS = math.log(11)


def fuse(words: Scores, meaning: Scores | None) -> Scores:
    """One score a candidate: a min-max weighted sum, which beat reciprocal ranks in every pair measured."""
    word_part = _scaled(words, low=0.0)
    if meaning is None:
        return word_part
    # A word score of 0 means "no word in common"; a cosine of 0 means nothing in particular, so its scale starts
    # at the worst candidate.
    meaning_part = _scaled(meaning, low=float(meaning.min(initial=0.0)))
    word_part *= np.float32(1 - MEANING_WEIGHT)
    word_part += np.float32(MEANING_WEIGHT) * meaning_part
    return word_part


def _scaled(scores: Scores, *, low: float) -> Scores:
    spread = float(scores.max(initial=low)) - low
    if spread <= 0:
        return np.zeros_like(scores)
    return (scores - np.float32(low)) * np.float32(1 / spread)


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

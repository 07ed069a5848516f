"""What is measured: pure functions of what was found and what should have been."""

from __future__ import annotations

import math
import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import NamedTuple, TypeVar

RESAMPLES = 1000
SEED = 20_240_101  # any: the same report twice shall hold the same figures

Group = TypeVar("Group")
Scores = tuple[Sequence[float], Sequence[float]]  # of positives, of negatives


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure, and where it lies in 95 of 100 resamplings; without bounds where there was one group only."""

    value: float
    low: float | None = None
    high: float | None = None


class Sum(NamedTuple):
    """What the questions of one conversation add up to, and how many there are."""

    total: float
    questions: int


def recall_at(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """The share of the evidence among the first `k`."""
    return len(set(ranked[:k]) & set(evidence)) / len(set(evidence))


def complete_at(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """1 if all of the evidence is among the first `k`, else 0."""
    return float(set(evidence) <= set(ranked[:k]))


def ndcg_at(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """Normalised discounted cumulative gain of the first `k`; every piece of evidence is worth the same."""
    wanted = set(evidence)
    gain = sum(1 / math.log2(place + 2) for place, id in enumerate(ranked[:k]) if id in wanted)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(len(wanted), k)))


def reciprocal_rank(ranked: Sequence[str], evidence: Collection[str]) -> float:
    """1 over the rank of the first piece of evidence; 0 when none was found."""
    wanted = set(evidence)
    return next((1 / rank for rank, id in enumerate(ranked, start=1) if id in wanted), 0.0)


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """How likely a random positive scores above a random negative; a tie is worth half."""
    below = sorted(negatives)
    wins = sum(bisect_left(below, score) + bisect_right(below, score) for score in positives) / 2
    return wins / (len(positives) * len(negatives))


def precision_at_recall(positives: Sequence[float], negatives: Sequence[float], recall: float = 0.95) -> float:
    """The share of positives above the highest threshold that keeps this share of the positives."""
    ordered = sorted(positives, reverse=True)
    threshold = ordered[max(math.ceil(recall * len(ordered)), 1) - 1]
    kept, let_in = (sum(score >= threshold for score in scores) for scores in (positives, negatives))
    return kept / (kept + let_in)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies, between neighbours in proportion."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def mean(sums: Sequence[Sum]) -> float | None:
    """The mean over all questions; None when there are none."""
    count = sum(part.questions for part in sums)
    return sum(part.total for part in sums) / count if count else None


def pooled(
    statistic: Callable[[Sequence[float], Sequence[float]], float],
) -> Callable[[Sequence[Scores]], float | None]:
    """A statistic of positives and negatives, over those of several groups together."""

    def over(groups: Sequence[Scores]) -> float | None:
        positives, negatives = ([score for group in groups for score in group[side]] for side in (0, 1))
        return statistic(positives, negatives) if positives and negatives else None

    return over


def resampled(groups: Sequence[Group], statistic: Callable[[Sequence[Group]], float | None]) -> Interval | None:
    """A statistic with its 95 % interval, by drawing whole conversations: questions about one are not independent.

    None where the statistic is: with no questions there is nothing to tell.
    """
    return resampled_mean([groups], statistic)


def resampled_mean(
    parts: Sequence[Sequence[Group]], statistic: Callable[[Sequence[Group]], float | None]
) -> Interval | None:
    """The mean of a statistic over the parts that have it, with its interval; each part is drawn from on its own."""
    known = [(place, part, value) for place, part in enumerate(parts) if (value := statistic(part)) is not None]
    if not known:
        return None
    value = fmean(value for _, _, value in known)
    if any(len(part) < 2 for _, part, _ in known):
        return Interval(value)
    drawn = [
        [statistic([part[at] for at in places]) for places in _draws(len(part), place)] for place, part, _ in known
    ]
    figures = [
        fmean(there) for figures in zip(*drawn, strict=True) if (there := [one for one in figures if one is not None])
    ]
    return Interval(value, percentile(figures, 0.025), percentile(figures, 0.975))


@lru_cache(maxsize=8)
def _draws(count: int, part: int) -> list[list[int]]:
    drawing = random.Random(SEED + part)
    return [drawing.choices(range(count), k=count) for _ in range(RESAMPLES)]

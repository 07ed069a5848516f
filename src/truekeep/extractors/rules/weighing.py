"""What a sentence is by the weights of its signs: one of the kinds, or nothing worth keeping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp
from typing import NamedTuple

KINDS = ("fact", "preference", "decision", "lesson", "context")
Weights = Mapping[str, Sequence[int]]  # sign -> what it is worth for each kind, in hundredths


class Weighed(NamedTuple):
    """The likeliest kind, and how much likelier it is to be kept than left: from 1 on it is."""

    kind: str
    odds: float


def weighed(signs: Iterable[str], weights: Weights) -> Weighed:
    """By a multinomial logistic model: weights add up, and each kind is exp(its sum) as likely as nothing."""
    rows = [weights[sign] for sign in ("always", *signs) if sign in weights]
    chances = [exp(sum(column) / 100) for column in zip(*rows, strict=True)] or [0.0]
    odds = sum(chances)
    return Weighed(KINDS[chances.index(max(chances))], odds)

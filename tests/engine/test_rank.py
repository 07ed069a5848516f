"""Ranking, from numbers to numbers."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.engine.ranking import rank
from truekeep.model import MemoryItem

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
UNIT = st.floats(0, 1, width=32)


def item(*, days: float, kind: str = "fact", pinned: bool = False, reinforced: int = 0) -> MemoryItem:
    """Said so many days ago, and said again yesterday where it was reinforced."""
    said, updated = NOW - days * DAY, NOW - DAY
    return MemoryItem(
        id="i",
        content="tea",
        kind=kind,
        pinned=pinned,
        reinforced=reinforced,
        created=said,
        updated=updated if reinforced else said,
        when=said,
    )


@pytest.mark.parametrize(("kind", "days"), [("fact", 30), ("preference", 365), ("decision", 365), ("temporary", 3)])
def test_recency_is_one_half_at_the_inflection(kind: str, days: int) -> None:
    assert rank.recency(item(days=days, kind=kind), NOW) == pytest.approx(0.5)


def test_recency_falls_with_age_and_never_fails() -> None:
    ages = [-400_000, -1, 0, 1, 29, 30, 31, 400, 700_000]

    recencies = [rank.recency(item(days=age), NOW) for age in ages]

    assert recencies == sorted(recencies, reverse=True)
    assert recencies[0] == recencies[2] < 1
    assert recencies[-1] == pytest.approx(0)


def test_what_is_pinned_or_said_again_does_not_fade() -> None:
    assert rank.recency(item(days=9999, pinned=True), NOW) == 1
    assert rank.recency(item(days=9999, reinforced=1), NOW) == rank.recency(item(days=1), NOW)


def test_frequency_grows_to_one_at_ten() -> None:
    frequencies = [rank.frequency(count) for count in (0, 1, 9, 10, 10**6)]

    assert frequencies == pytest.approx([0, math.log(2) / math.log(11), math.log(10) / math.log(11), 1, 1])


@given(UNIT, UNIT, UNIT)
def test_confidence_is_a_share(similarity: float, recency: float, frequency: float) -> None:
    confidence = rank.confidence(similarity, recency, frequency)

    assert confidence == pytest.approx(0.6 * similarity + 0.2 * recency + 0.2 * frequency)
    assert 0 <= confidence <= 1 + 1e-9


@given(st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=30))
def test_what_is_best_in_every_part_is_best(pairs: list[tuple[float, float]]) -> None:
    words, meaning = (np.array(column, dtype=np.float32) for column in zip(*pairs, strict=True))

    fused = rank.fused([rank.Part("words", words), rank.Part("meaning", meaning)])

    assert fused.tolist() == (words + meaning).tolist()
    for better in range(len(pairs)):
        for worse in range(len(pairs)):
            if words[better] >= words[worse] and meaning[better] >= meaning[worse]:
                assert fused[better] >= fused[worse]


def test_the_parts_are_left_as_they_were() -> None:
    words = rank.Part("words", np.array([0.25, 0.5], dtype=np.float32))

    rank.fused([words, words])

    assert words.scores.tolist() == [0.25, 0.5]

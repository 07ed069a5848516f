"""The measures, against values worked out by hand, and what holds for all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from truekeep_eval import metrics
from truekeep_eval.metrics import Interval, Sum

RANKED = ["a", "b", "c", "d", "e"]

ids = some.lists(some.sampled_from("abcdefghij"), unique=True, max_size=10)
evidence = some.sets(some.sampled_from("abcdefghijkl"), min_size=1, max_size=5)
ranks = some.integers(min_value=1, max_value=12)
levels = some.lists(some.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=12)


@pytest.mark.parametrize(("k", "share"), [(1, 0.0), (2, 1 / 3), (4, 2 / 3), (20, 2 / 3)])
def test_recall_is_the_share_of_the_evidence_among_the_first(k: int, share: float) -> None:
    assert metrics.recall_at(RANKED, {"b", "d", "z"}, k) == pytest.approx(share)


@pytest.mark.parametrize(("k", "complete"), [(3, 0.0), (4, 1.0)])
def test_evidence_is_complete_when_nothing_of_it_is_left(k: int, complete: float) -> None:
    assert metrics.complete_at(RANKED, {"b", "d"}, k) == complete


def test_ndcg_weighs_each_rank_by_its_logarithm() -> None:
    gained = 1 / math.log2(3) + 1 / math.log2(5)  # ranks 2 and 4
    ideal = 1 / math.log2(2) + 1 / math.log2(3)

    assert metrics.ndcg_at(RANKED, {"b", "d"}, 10) == pytest.approx(gained / ideal)
    assert metrics.ndcg_at(RANKED, {"b", "d"}, 10) == pytest.approx(0.6509, abs=1e-4)


def test_ndcg_asks_for_no_more_than_there_is_room_for() -> None:
    assert metrics.ndcg_at(RANKED, set(RANKED), 2) == pytest.approx(1.0)


@pytest.mark.parametrize(("wanted", "value"), [({"a"}, 1.0), ({"c", "e"}, 1 / 3), ({"z"}, 0.0)])
def test_the_reciprocal_rank_is_that_of_the_first_evidence(wanted: set[str], value: float) -> None:
    assert metrics.reciprocal_rank(RANKED, wanted) == pytest.approx(value)


def test_auroc_counts_pairs_in_the_right_order_and_half_of_the_ties() -> None:
    # 0.9 beats both, 0.5 beats one and ties with the other: 3.5 of 4 pairs.
    assert metrics.auroc([0.9, 0.5], [0.5, 0.1]) == pytest.approx(0.875)


def test_precision_is_told_at_the_threshold_that_keeps_enough() -> None:
    positives = [0.9, 0.8, 0.7, 0.2]

    assert metrics.precision_at_recall(positives, [0.75, 0.1], recall=0.75) == pytest.approx(3 / 4)  # at 0.7
    assert metrics.precision_at_recall(positives, [0.75, 0.1], recall=1.0) == pytest.approx(4 / 5)  # at 0.2


@pytest.mark.parametrize(("share", "value"), [(0.0, 10.0), (0.5, 25.0), (0.95, 38.5), (1.0, 40.0)])
def test_a_percentile_lies_between_neighbours_in_proportion(share: float, value: float) -> None:
    assert metrics.percentile([40, 10, 30, 20], share) == pytest.approx(value)


def test_a_mean_is_over_questions_and_not_over_conversations() -> None:
    assert metrics.mean([Sum(3.0, 4), Sum(0.0, 1)]) == pytest.approx(0.6)
    assert metrics.mean([]) is None


def test_alike_conversations_leave_no_doubt() -> None:
    assert metrics.resampled([Sum(1.0, 2)] * 5, metrics.mean) == Interval(0.5, 0.5, 0.5)


def test_one_conversation_says_nothing_about_others() -> None:
    assert metrics.resampled([Sum(1.0, 2)], metrics.mean) == Interval(0.5)


def test_an_interval_is_as_wide_as_conversations_differ() -> None:
    found = metrics.resampled([Sum(float(place % 2), 1) for place in range(100)], metrics.mean)

    assert found is not None
    assert found.low is not None
    assert found.high is not None
    # The normal approximation: 0.5 +- 1.96 * 0.5 / sqrt(100)
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.402, 0.598), abs=0.025)


def test_drawings_in_which_nothing_was_asked_are_left_out() -> None:
    found = metrics.resampled([Sum(0.0, 0), Sum(1.0, 1)], metrics.mean)

    assert found == Interval(1.0, 1.0, 1.0)


def test_without_questions_there_is_no_figure() -> None:
    assert metrics.resampled([Sum(0.0, 0)] * 3, metrics.mean) is None


@settings(deadline=None, max_examples=20)  # a thousand drawings each
@given(sums=some.lists(some.builds(lambda hit, miss: Sum(hit, hit + miss), ranks, ranks), min_size=1, max_size=6))
def test_the_same_conversations_always_give_the_same_interval_around_the_value(sums: list[Sum]) -> None:
    found, again = metrics.resampled(sums, metrics.mean), metrics.resampled(sums, metrics.mean)

    assert found is not None
    assert found == again
    shares = [part.total / part.questions for part in sums]
    if found.low is not None and found.high is not None:
        assert min(shares) - 1e-9 <= found.low <= found.high <= max(shares) + 1e-9


def test_a_mean_over_parts_counts_each_part_alike_and_draws_from_each() -> None:
    small, large = [Sum(1, 1), Sum(0, 1)], [Sum(1, 1)] * 98 + [Sum(0, 1)] * 2

    found = metrics.resampled_mean([small, large, [Sum(0, 0)]], metrics.mean)

    assert found is not None
    assert found.value == pytest.approx((0.5 + 0.98) / 2)
    assert found.low == pytest.approx((0 + 0.98) / 2, abs=0.03)  # the small part decides the interval
    assert found.high == pytest.approx((1 + 0.98) / 2, abs=0.03)


def test_a_mean_over_parts_without_a_value_is_none() -> None:
    assert metrics.resampled_mean([[Sum(0, 0)], []], metrics.mean) is None


def test_positives_and_negatives_of_several_groups_are_compared_together() -> None:
    over = metrics.pooled(metrics.auroc)

    assert over([((0.9,), ()), ((0.4,), (0.5,))]) == 0.5
    assert over([((0.9,), ()), ((0.4,), ())]) is None


@given(ranked=ids, wanted=evidence, k=ranks)
def test_measures_lie_between_nothing_and_everything(ranked: list[str], wanted: set[str], k: int) -> None:
    recall, gain = metrics.recall_at(ranked, wanted, k), metrics.ndcg_at(ranked, wanted, k)

    assert 0 <= recall <= 1
    assert 0 <= gain <= 1 + 1e-9
    assert (recall == 0) == (gain == 0) == (metrics.reciprocal_rank(ranked[:k], wanted) == 0)
    assert metrics.complete_at(ranked, wanted, k) == (recall == 1)


@given(ranked=ids, wanted=evidence, k=ranks)
def test_looking_further_finds_no_less(ranked: list[str], wanted: set[str], k: int) -> None:
    assert metrics.recall_at(ranked, wanted, k) <= metrics.recall_at(ranked, wanted, k + 1)


@given(wanted=evidence, others=ids, k=ranks)
def test_evidence_first_is_the_best_order(wanted: set[str], others: list[str], k: int) -> None:
    ranked = [*sorted(wanted), *(id for id in others if id not in wanted)]

    assert metrics.ndcg_at(ranked, wanted, k) == pytest.approx(1.0)
    assert metrics.ndcg_at(ranked[::-1], wanted, k) <= 1 + 1e-9


def counted(positives: Sequence[float], negatives: Sequence[float]) -> Fraction:
    """All pairs, one by one."""
    pairs = [(above, below) for above in positives for below in negatives]
    return sum((Fraction((above > below) + (above >= below), 2) for above, below in pairs), Fraction()) / len(pairs)


@given(positives=levels, negatives=levels)
def test_auroc_is_what_counting_all_pairs_gives(positives: list[float], negatives: list[float]) -> None:
    assert metrics.auroc(positives, negatives) == pytest.approx(float(counted(positives, negatives)))
    assert metrics.auroc(positives, negatives) + metrics.auroc(negatives, positives) == pytest.approx(1.0)


@given(positives=levels, negatives=levels, recall=some.floats(min_value=0.01, max_value=1.0))
def test_precision_keeps_as_many_positives_as_it_says(
    positives: list[float], negatives: list[float], recall: float
) -> None:
    allowed = [
        threshold
        for threshold in positives
        if sum(score >= threshold for score in positives) >= recall * len(positives)
    ]
    kept, let_in = (sum(score >= max(allowed) for score in scores) for scores in (positives, negatives))

    assert metrics.precision_at_recall(positives, negatives, recall) == pytest.approx(kept / (kept + let_in))

"""Shares add up, average and meet their targets."""

from __future__ import annotations

import pytest

from truekeep_eval.shares import Figures, Share, Target, by_fold, mean, pooled, share_of, spread

ONE = {"right": Share(1, 4), "rare": Share()}
TWO = {"right": Share(3, 4), "rare": Share(1, 2)}


def test_a_share_of_nothing_has_no_value() -> None:
    assert (share_of([True, False, True, True]).value, share_of([]).value) == (0.75, None)


def test_pooling_counts_everything_together() -> None:
    assert pooled([ONE, TWO]) == {"right": Share(4, 8), "rare": Share(1, 2)}


def test_groups_without_a_measure_do_not_count_in_its_mean() -> None:
    assert (mean([ONE, TWO], "right"), mean([ONE, TWO], "rare"), mean([ONE], "rare")) == (0.5, 0.5, None)


def test_the_spread_is_from_the_lowest_to_the_highest() -> None:
    assert (spread([ONE, TWO], "right"), spread([ONE, TWO], "rare"), spread([ONE], "rare")) == (0.5, 0.0, None)


def test_the_entries_of_a_fold_are_pooled() -> None:
    parts = {"a": ONE, "b": TWO, "c": TWO}

    assert by_fold(parts, {"a": 2, "b": 0, "c": 2}) == {0: TWO, 2: pooled([ONE, TWO])}
    assert by_fold(parts, None) == {}


@pytest.mark.parametrize(
    ("target", "value", "met"),
    [
        (Target(0.8, at_least=True), 0.8, True),
        (Target(0.8, at_least=True), 0.79, False),
        (Target(0.15, at_least=False), 0.15, True),
        (Target(0.0, at_least=False), 0.01, False),
    ],
)
def test_a_target_is_met_up_to_its_bound(target: Target, value: float, met: bool) -> None:
    assert target.is_met(value) is met


def figures(pooled: Share, **more: float) -> Figures:
    return Figures(
        format="test",
        data="set",
        embedder="none",
        entries=1,
        overall={"right": pooled, "free": Share(1, 1)},
        groups={},
        means=more,
        targets={"right": Target(0.8, at_least=True)},
    )


def test_a_target_holds_for_everything_together_and_for_the_mean() -> None:
    assert figures(Share(9, 10)).is_met("right") is True
    assert figures(Share(9, 10), right=0.7).is_met("right") is False
    assert figures(Share(7, 10), right=0.9).is_met("right") is False
    assert figures(Share()).is_met("right") is None
    assert figures(Share(9, 10)).is_met("free") is None

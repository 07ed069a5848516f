"""Verdicts become figures, rows and failures; every figure here was counted by hand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from truekeep_eval.belief import Asked, Fate, Group, Judged, Returned, State, Stay
from truekeep_eval.belief_report import failures, figures, rows, shares
from truekeep_eval.shares import Share

BACK = Returned(content="I bake with rye", when=datetime(2026, 1, 1, tzinfo=UTC), speaker="Ida", marked=True)


def asked(
    number: int = 0,
    *,
    current: Mapping[str, bool] | None = None,
    stale: Mapping[str, Fate] | None = None,
    history: Mapping[str, bool] | None = None,
) -> Asked:
    return Asked(
        number=number,
        query="which flour?",
        current=current or {},
        stale=stale or {},
        history=history or {},
        returned=(BACK,),
    )


def stays(*states: State, suspected: int = 0) -> tuple[Stay, ...]:
    """The first ones of them in doubt."""
    return tuple(
        Stay(text=f"stay {place}", state=state, suspected=place < suspected) for place, state in enumerate(states)
    )


def judged(id: str, category: str, *asks: Asked, **more: Any) -> Judged:
    return Judged(**{"id": id, "category": category, "asks": asks, "stays": (), "groups": (), **more})


MIXED = judged(
    "b001",
    "replace",
    asked(current={"a": True, "b": False}, stale={"c": "fault", "d": "suspected", "e": "retired", "f": "unfound"}),
    asked(1, current={"g": True}, stale={"h": "suspected"}, history={"i": True}),
    asked(2, history={"j": False, "m": True}),
    stays=stays("current", "current", "retired", "missing", "current", suspected=1),
    groups=tuple(Group(steps=(step, step + 1), right=step != 2) for step in (0, 2, 4)),
    others=stays("current", "retired", "current"),
)
CLEAN = judged("b002", "replace", asked(current={"k": True}), stays=stays("current"))
OTHER = judged("b003", "coexist", asked(current={"l": False}), stays=stays("retired"))


def test_every_measure_of_a_scenario_is_counted() -> None:
    assert shares(MIXED) == {
        "current": Share(2, 3),
        "stale": Share(1, 5),
        "suspected": Share(2, 5),
        "retired": Share(1, 5),
        "history": Share(2, 3),
        "false retirement": Share(2, 5),
        "false suspicion": Share(1, 5),
        "other retirement": Share(1, 3),
        "same": Share(2, 3),
        "asks": Share(1, 3),
        "scenarios": Share(0, 1),
    }


def test_a_scenario_passes_with_its_asks_and_what_must_stay() -> None:
    assert shares(CLEAN)["scenarios"] == Share(1, 1)
    assert shares(judged("b", "replace", stays=stays("current", suspected=1)))["scenarios"] == Share(1, 1)
    assert shares(judged("b", "replace", stays=stays("missing")))["scenarios"] == Share(0, 1)
    assert shares(judged("b", "replace", asked(stale={"c": "fault"})))["scenarios"] == Share(0, 1)


def test_categories_are_pooled_and_their_mean_is_the_headline() -> None:
    found = figures([MIXED, CLEAN, OTHER], data="set", embedder="none")

    assert {category: group["current"] for category, group in found.groups.items()} == {
        "replace": Share(3, 4),
        "coexist": Share(0, 1),
    }
    assert found.overall["current"] == Share(3, 5)
    assert found.means["current"] == pytest.approx(0.375)
    assert found.means["stale"] == pytest.approx(0.2)  # nothing is stale in the other category
    assert found.entries == 3


def test_folds_are_told_beside_the_whole() -> None:
    found = figures([MIXED, CLEAN, OTHER], data="set", embedder="none", fold_of={"b001": 1, "b002": 0, "b003": 1})

    assert {fold: group["current"] for fold, group in found.folds.items()} == {0: Share(1, 1), 1: Share(2, 4)}
    measure = found.record()["measures"]["current"]
    assert measure == {
        "hits": 3,
        "of": 5,
        "share": 0.6,
        "mean_over_groups": pytest.approx(0.375),
        "target": 0.95,
        "met": False,
        "mean_over_folds": 0.75,
        "spread_over_folds": 0.5,
    }


def test_there_is_a_row_for_each_ask_and_one_for_each_scenario() -> None:
    found = rows([MIXED, CLEAN], fold_of={"b001": 1, "b002": 2})

    assert [(row["scenario"], row["ask"], row["fold"], row["passed"]) for row in found] == [
        ("b001", 0, 1, False),
        ("b001", 1, 1, True),
        ("b001", 2, 1, False),
        ("b001", None, 1, False),
        ("b002", 0, 2, True),
        ("b002", None, 2, True),
    ]
    assert found[1] == {
        "scenario": "b001",
        "category": "replace",
        "fold": 1,
        "ask": 1,
        "passed": True,
        "query": "which flour?",
        "current": {"g": True},
        "stale": {"h": "suspected"},
        "history": {"i": True},
        "returned": [
            {"content": "I bake with rye", "when": "2026-01-01T00:00:00+00:00", "speaker": "Ida", "marked": True}
        ],
    }
    assert found[3]["must_stay"][2] == {"text": "stay 2", "state": "retired", "suspected": False}
    assert found[3]["same"] == [
        {"steps": [0, 1], "right": True},
        {"steps": [2, 3], "right": False},
        {"steps": [4, 5], "right": True},
    ]


def test_rows_of_a_hidden_fold_hold_no_text() -> None:
    found = rows([MIXED], fold_of={"b001": 0}, hidden=(0,))

    assert [set(row) for row in found] == [{"scenario", "category", "fold", "ask", "passed"}] * 4


def test_all_that_went_wrong_is_told() -> None:
    assert list(failures([MIXED, CLEAN])) == [
        "b001 replace, ask 0: 'which flour?'",
        "  current, not found: 'b'",
        "  stale, returned without a mark: 'c'",
        "  came back (marked): 'I bake with rye'",
        "b001 replace, ask 2: 'which flour?'",
        "  history, not found: 'j'",
        "  came back (marked): 'I bake with rye'",
        "b001 replace: falsely suspected: 'stay 0'",
        "b001 replace: had to stay, is retired: 'stay 2'",
        "b001 replace: had to stay, is missing: 'stay 3'",
        "b001 replace: steps [2, 3] did not leave one memory",
        "b001 replace: nothing took its place, is retired: 'stay 1'",
    ]

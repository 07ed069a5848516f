"""Findings become figures, rows and failures; every figure here was counted by hand."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from truekeep_eval.figures import ANSWERABLE, Figures, failures, figures, rows
from truekeep_eval.findings import Finding, Judged, Measure
from truekeep_eval.metrics import Interval, Sum

MEASURES = {
    "found": Measure(True, 0.6),
    ANSWERABLE: Measure(True, 0.85),
    "lost": Measure(False, 0),
    "told": Measure(),
    "never": Measure(True, 0.5),
}


def judged(id: str, *findings: tuple[str, bool, str], author: str | None = None, **more: Any) -> Judged:
    found = tuple(Finding(measure, hit, f"{measure} in {id}", group) for measure, hit, group in findings)
    return Judged(id=id, author=author, findings=found, **more)


ONE = judged("one", ("found", True, "sea"), ("found", False, "sea"), ("lost", False, "sea"), author="b")
TWO = judged(
    "two", ("found", False, "sea"), ("found", True, "land"), ("lost", True, ""), ("told", False, ""), author="a"
)
SURE = judged("sure", ("found", True, "land"), author="b", answered=(0.9, 0.6), unanswered=(0.7,))
ALL = [ONE, TWO, SURE]
PARTS = {"a": [TWO], "b": [ONE, SURE]}


def of(*entries: Judged, mean_over: Literal["groups", "parts"] | None = None, **more: Any) -> Figures:
    return figures(
        entries,
        MEASURES,
        mean_over=mean_over,
        **{"parts": {}, "format": "test", "data": "set", "embedder": "none", "settings": {"k": 5}, **more},
    )


def test_all_entries_are_counted_together_in_the_order_of_the_measures() -> None:
    found = of(*ALL)

    assert list(found.overall) == ["found", ANSWERABLE, "lost", "told"]
    assert found.counts == {"found": Sum(3, 5), "lost": Sum(1, 2), "told": Sum(0, 1)}
    assert found.overall["found"].value == 0.6
    assert found.overall[ANSWERABLE].value == 0.5
    assert (found.entries, found.means) == (3, {})


def test_an_interval_comes_from_drawing_entries() -> None:
    right, wrong = (judged(str(hit), ("found", hit, "")) for hit in (True, False))

    assert of(right, wrong).overall["found"] == Interval(0.5, 0.0, 1.0)
    assert of(right, judged("mute")).overall["found"] == Interval(1.0)  # one entry that has it cannot be drawn from


def test_findings_are_told_by_their_group() -> None:
    assert of(*ALL).groups == {
        "sea": {"found": Sum(1, 3), "lost": Sum(0, 1)},
        "land": {"found": Sum(2, 2)},
    }


def test_groups_count_alike_in_their_mean() -> None:
    found = of(*ALL, mean_over="groups").means

    assert found["found"].value == pytest.approx((1 / 3 + 1) / 2)
    assert found["lost"].value == 0.0  # one group has it
    assert "told" not in found


def test_parts_are_told_beside_the_whole_and_count_alike_in_their_mean() -> None:
    found = of(*ALL, parts=PARTS, mean_over="parts")

    assert {part: one["found"].value for part, one in found.parts.items()} == {"a": 0.5, "b": pytest.approx(2 / 3)}
    assert found.means["found"].value == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert found.means[ANSWERABLE].value == 0.5


@pytest.mark.parametrize(
    ("measure", "value", "met"),
    [
        (Measure(True, 0.8), 0.8, True),
        (Measure(True, 0.8), 0.79, False),
        (Measure(False, 0.15), 0.15, True),
        (Measure(False, 0), 0.01, False),
        (Measure(True), 0.5, None),
        (Measure(), 0.5, None),
    ],
)
def test_a_target_is_met_up_to_its_bound(measure: Measure, value: float, met: bool | None) -> None:
    assert measure.is_met(value) is met


def test_a_target_holds_for_everything_together_and_for_the_mean() -> None:
    assert of(*ALL).is_met("found") is True
    assert of(*ALL, parts=PARTS, mean_over="parts").is_met("found") is False
    assert of(*ALL).is_met("told") is None


def test_figures_are_told_for_programs() -> None:
    record = of(*ALL, parts=PARTS, mean_over="parts").record()

    assert (record["format"], record["version"], record["data"], record["k"]) == ("test", 1, "set", 5)
    assert record["measures"]["lost"] == {
        **{"value": 0.5, "low": 0.0, "high": 1.0, "hits": 1, "of": 2},
        **{"mean": {"value": 0.5, "low": None, "high": None}, "wanted": False, "bound": 0, "met": False},
    }
    assert record["groups"]["land"] == {"found": {"hits": 2, "of": 2}}
    assert record["parts"]["a"]["found"] == {"value": 0.5, "low": None, "high": None}


def test_there_is_a_row_for_each_entry_and_none_of_a_hidden_one_holds_text() -> None:
    shown, hidden, _ = rows(ALL, hidden={"two"})

    assert shown["findings"][0] == {"measure": "found", "hit": True, "about": "found in one", "group": "sea"}
    assert hidden["findings"][0] == {"measure": "found", "hit": False, "group": "sea"}
    assert (shown["id"], hidden["id"], hidden["author"]) == ("one", "two", "a")


def test_what_should_have_been_otherwise_is_told() -> None:
    assert list(failures(ALL, MEASURES)) == [
        "b one sea, found: found in one",
        "a two sea, found: found in two",
        "a two, lost: lost in two",
    ]

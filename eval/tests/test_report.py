"""Figures, files and comparisons, from rows written by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from truekeep.errors import InvalidInput
from truekeep_eval import report as reports
from truekeep_eval.metrics import Interval
from truekeep_eval.report import Report
from truekeep_eval.runner import Row

HIT = Row(
    conversation="c1",
    number=0,
    question="who?",
    category="name",
    evidence=("a",),
    ranked=("a", "b"),
    answerable=0.9,
    context=("a", "b"),
    context_tokens=100,
    ms=2.0,
)
LATE = replace(HIT, conversation="c2", category="date", ranked=("b", "a"), answerable=0.4, ms=4.0, context_tokens=300)
MISSED = replace(LATE, number=1, question="when?", evidence=("z",), ms=6.0, context_tokens=0, context=())
NOTHING = replace(HIT, number=1, question="why?", category="unanswerable", evidence=(), answerable=0.5)
UNMARKED = replace(NOTHING, number=2, question="how?", category="open", answerable=0.0)


def report(*rows: Row) -> Report:
    return Report(data="set.jsonl", embedder="fake", ks=(1, 5), rows=rows)


def test_the_figures_are_means_over_the_questions_with_evidence() -> None:
    found = reports.figures(report(HIT, LATE, MISSED, NOTHING))

    assert found.overall is not None
    assert found.overall.questions == 3
    values = {name: interval.value for name, interval in found.overall.measures.items()}
    assert list(values) == ["R@1", "R@5", "all@10", "NDCG@10", "MRR@10", "context"]
    assert (values["R@1"], values["R@5"], values["MRR@10"]) == pytest.approx((1 / 3, 2 / 3, 1.5 / 3))
    assert values["context"] == pytest.approx(2 / 3)
    assert (found.questions, found.conversations) == (4, 2)


def test_each_category_has_its_own_figures_in_the_order_of_the_set() -> None:
    found = reports.figures(report(HIT, LATE, MISSED, NOTHING)).categories

    assert {category: scores.questions for category, scores in found.items()} == {"name": 1, "date": 2}
    assert found["name"].measures["R@1"] == Interval(1.0)
    assert found["date"].measures["R@5"].value == pytest.approx(0.5)


def test_contexts_are_weighed_by_what_they_cost() -> None:
    found = reports.figures(report(HIT, LATE, MISSED)).context

    assert found is not None
    assert found.mean_tokens == pytest.approx(400 / 3)
    assert found.recall_per_1000_tokens == pytest.approx(1000 * 2 / 400)


def test_abstention_compares_with_questions_that_nothing_answers() -> None:
    found = reports.figures(report(HIT, LATE, NOTHING, UNMARKED)).abstention

    assert found is not None
    assert found.questions == 1  # that of no such category merely lacks its evidence
    assert found.auroc.value == pytest.approx(0.5)  # 0.9 is above 0.5, and 0.4 is not
    assert found.precision_at_95.value == pytest.approx(2 / 3)


def test_without_such_questions_there_is_no_word_about_abstention() -> None:
    assert reports.figures(report(HIT, LATE, UNMARKED)).abstention is None


def test_latency_is_told_by_percentiles() -> None:
    found = reports.figures(report(HIT, LATE, MISSED)).latency

    assert found is not None
    assert (found.p50_ms, found.p95_ms) == pytest.approx((4.0, 5.8))


def test_a_set_without_questions_has_no_figures() -> None:
    found = reports.figures(report())

    assert (found.overall, found.categories, found.context, found.latency) == (None, {}, None, None)


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = report(HIT, LATE, MISSED, NOTHING)
    record = reports.record(written, reports.figures(written))
    (tmp_path / "report.json").write_text(json.dumps(record))

    assert reports.read(tmp_path / "report.json") == written
    assert record["rows"][0]["measures"]["R@1"] == 1.0
    assert record["rows"][3]["measures"] == {}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "truekeep-evaluation", "version": 2}', '{"format": "truekeep-evaluation"}']
)
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "report.json").write_text(text)

    with pytest.raises(InvalidInput, match="is no report"):
        reports.read(tmp_path / "report.json")


def test_a_report_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No such file"):
        reports.read(tmp_path / "report.json")


def test_two_runs_are_compared_question_by_question() -> None:
    improved = replace(LATE, ranked=("a", "b"))
    spoiled = replace(HIT, ranked=("b", "a"))
    other = replace(MISSED, ranked=("z",))

    found = reports.compare(report(HIT, LATE, MISSED), report(spoiled, improved, other))

    first = found["R@1"]
    assert (first.better, first.worse, first.same) == (2, 1, 0)
    assert (first.before, first.after, first.change.value) == pytest.approx((1 / 3, 2 / 3, 1 / 3))
    assert first.change.low is not None
    assert first.change.high is not None
    assert first.change.low < first.change.value < first.change.high
    assert (found["context"].better, found["context"].worse, found["context"].same) == (0, 0, 3)


def test_only_what_both_have_is_compared() -> None:
    before, after = report(HIT, LATE, NOTHING), replace(report(LATE, MISSED, NOTHING), ks=(5, 20))

    found = reports.compare(before, after)

    assert "R@5" in found
    assert found.keys().isdisjoint({"R@1", "R@20"})
    assert found["R@5"].same == 1


def test_runs_of_two_sets_cannot_be_compared() -> None:
    with pytest.raises(InvalidInput, match="no question in common"):
        reports.compare(report(HIT), report(LATE))

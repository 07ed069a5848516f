"""German compounds are found by their parts, and find them."""

from __future__ import annotations

import pytest

from truekeep.index.arms import Words
from truekeep.index.compounds import compound_terms

from .rows import found, index_of, texts

SENTENCES = (
    "Die Rechnungsnummer von Frau Huber hat sich geändert.",
    "Der Antrag auf Urlaub wurde gestern genehmigt.",
    "Die Kühlschranktemperatur liegt bei vier Grad.",
    "Im Büro gibt es zwei Drucker und einen Scanner.",
    "Unsere Krankenversicherungskarten liegen in der Schublade.",
    "Der Sonnenschirm und die Stühle sind im Keller.",
    "The invoice address belongs to the finance team.",
)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("Nummer", 0),
        ("Nummern", 0),
        ("RECHNUNG", 0),
        ("Urlaubsantrag", 1),
        ("Schranktemperatur", 2),
        ("Kühlschrank", 2),
        ("Versicherungskarte", 4),
        ("Karten", 4),
        ("Schirm", 5),
        ("Sonne", 5),
    ],
)
def test_a_compound_is_found_by_its_parts_and_finds_them(query: str, sentence: int) -> None:
    view = index_of(texts(*SENTENCES)).view()

    assert found(view, query) == [str(sentence)]


def test_an_unknown_word_is_not_cut_where_a_part_is_unknown() -> None:
    view = index_of(texts(*SENTENCES)).view()

    assert found(view, "Urlaubsvertretung") == []


def test_a_word_that_stands_there_as_it_is_counts_as_such() -> None:
    view = index_of(texts("Die Nummer hat sich geändert.", "Die Rechnungsnummer bleibt bei uns.")).view()

    assert found(view, "Nummer") == ["0", "1"] or found(view, "Nummer") == ["1", "0"]
    assert Words(view, "Nummer").terms_of(view.rows(None)) == [["nummer"], ["nummer"]]


def test_a_cut_word_is_told_as_it_was_asked_for() -> None:
    view = index_of(texts(*SENTENCES)).view()

    assert Words(view, "Urlaubsantrag").terms_of(view.rows(None))[1] == ["urlaubsantrag"]


@pytest.mark.parametrize(
    "text",
    [
        "The configuration of the loadbalancer is in the repository",
        "Database migrations",
        "",
        "die hard",
        "Database of MIT",
    ],
)
def test_other_languages_have_no_compounds(text: str) -> None:
    assert compound_terms(text) == []


def test_an_english_space_does_not_cut_words() -> None:
    view = index_of(texts("the data is on the base", "another base")).view()

    assert found(view, "database") == []


def test_endless_words_are_no_compounds() -> None:
    assert len(compound_terms("der die das " + "a" * 5000)) == 1

"""How a sentence is cut and read: tokens, words, classes, openers, and the language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.extractors.rules.lessons import anatomy
from truekeep.extractors.rules.openers import opened
from truekeep.extractors.rules.vetoes import is_credential
from truekeep.language import Language, language, language_of
from truekeep.language.reading import cut, read

ENGLISH, GERMAN, FRENCH, OTHER = map(language, ("en", "de", "fr", "und"))
SMALL = Language(
    "en", {"classes": {"likes": "prefer, swear by", "decided": "go with", "filler": "by the way, ok", "no": "no"}}
)


def test_words_and_phrases_are_found_where_they_stand() -> None:
    reading = read("ok, I swear by tea and prefer it", SMALL)

    assert list(reading.all("likes")) == [3, 7]
    assert reading.has("decided", "likes")
    assert not reading.has("decided")


def test_contractions_and_their_slips_are_read_in_full() -> None:
    assert read("I can't, it's Ana's and they'd wait", ENGLISH).words == (
        *("i", "can", "not", ",", "it", "is", "ana's", "and", "they", "would", "wait"),
    )
    assert read("dont", ENGLISH).words == ("do", "not")
    assert read("n't", ENGLISH).words == ("not",)
    assert read("j'aime l'eau", FRENCH).words == ("j", "aime", "l", "eau")


@pytest.mark.parametrize(
    ("text", "first"),
    [("by the way, ok: tea", "tea"), ("no, tea", "tea"), ("no tea", "no"), ("ok", ""), ("tea", "tea"), ("", "")],
)
def test_a_sentence_begins_after_its_openers(text: str, first: str) -> None:
    assert read(text, SMALL).first == first


def test_order_and_nearness_of_classes_can_be_asked_for() -> None:
    reading = read("we prefer tea but go with milk", SMALL)

    assert reading.follows("likes", "decided", 3)
    assert not reading.follows("likes", "decided", 2)
    assert not reading.follows("decided", "likes")
    assert reading.before("likes", "decided")
    assert not reading.before("decided", "likes")


def test_a_sentence_in_quotation_marks_is_not_the_speakers() -> None:
    reading = read('the sign says "we prefer cash over cards"', SMALL)

    assert reading.quoted
    assert not reading.has("likes")
    assert not read('my book is "Emma"', SMALL).quoted


def test_cue_words_are_known_with_one_slip() -> None:
    for slip in ("prefre", "preffer", "prefr"):
        assert read(f"I {slip} tea", SMALL).has("likes")
    assert not read("I refer to tea", SMALL).has("likes")


def test_labels_requests_to_remember_and_names_are_set_apart() -> None:
    assert opened("Decision: we stay").claim == "we stay"
    assert opened("Decision: we stay").content == "Decision: we stay"
    assert opened("Please remember that we stay").content == "we stay"
    assert opened("Ana, open the gate", frozenset({"ana"})).claim == "open the gate"
    assert opened("Ana, open the gate").claim == "Ana, open the gate"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("the gate is open and we are here", "en"),
        ("Das Tor ist offen und wir sind da", "de"),
        ("De poort is open en wij zijn er", "nl"),
        ("Le portail est ouvert et nous sommes là", "fr"),
        ("La puerta está abierta y estamos aquí con los niños", "es"),
        ("Il cancello è aperto e noi siamo qui con gli altri", "it"),
        ("O portão está aberto e nós não estamos em casa", "pt"),
        ("Брама вже зачинена", "und"),
        ("invoices over 10k", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_told_by_its_frequent_words(text: str, code: str) -> None:
    assert language_of([text]).code == code


def test_where_words_do_not_tell_the_language_before_goes_on() -> None:
    assert language_of(["Morgen 14:00"], before=GERMAN) is GERMAN
    assert language_of(["ok"], before=OTHER) is OTHER
    assert language_of(["the gate is open and we are here"], before=GERMAN) is ENGLISH


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my password is Sun$hine77", True),
        ("card 4111 1111 1111 1111", True),
        ("use AbCdEfGh1234567890IjKlMn", True),
        ("see https://ana:s3cret@host.example/x", True),
        ("the password is rotated every 90 days", False),
        ("the key hangs behind the door", False),
        ("order 20260102-0001 is ready", False),
    ],
)
def test_a_sentence_that_hands_over_a_secret_is_recognised(text: str, expected: bool) -> None:
    assert is_credential(read(text, ENGLISH)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We tried tin but it rusted.", {"attempt": "We tried tin", "outcome": "it rusted."}),
        ("Never use tin because it rusts.", {"reason": "it rusts."}),
        ("Tin rusts", {}),
        ("tried tin -> rust", {"attempt": "tried tin", "outcome": "rust"}),
    ],
)
def test_the_parts_of_a_lesson_are_taken_word_for_word(text: str, expected: dict[str, str]) -> None:
    assert anatomy(text) == expected


def tokens(text: str) -> list[tuple[str | None, str]]:
    return [(token.lastgroup, token[0]) for token in cut(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ana@example.org", "address"),
        ("#ledger", "address"),
        ("10:30", "time"),
        ("10 am", "time"),
        ("2025-03-04", "date"),
        ("24.12.2025", "date"),
        ("0151 23456", "phone"),
        ("14th", "ordinal"),
        ("$4,000", "number"),
        ("51 %", "number"),
        ("web-07", "code"),
        ("max_wait", "code"),
        ("東京", "cjk"),
        ("don't", "word"),
        ("w/o", "word"),
        ("well-known", "word"),
        ("c++", "word"),
        ("gate", "plain"),
        ("->", "mark"),
    ],
)
def test_each_kind_of_token_is_one(text: str, kind: str) -> None:
    assert tokens(text) == [(kind, text)]


def test_a_sentence_is_cut_at_its_marks() -> None:
    found = tokens("move it to eu-north-1, then (if quiet) deploy v2.1.")

    assert [text for _, text in found] == [
        *("move", "it", "to", "eu-north-1", ",", "then", "(", "if", "quiet", ")", "deploy", "v2.1"),
    ]


@given(st.text(max_size=60))
def test_every_letter_and_digit_is_in_a_token(text: str) -> None:
    lowered = text.lower()

    covered = {place for token in cut(lowered) for place in range(*token.span())}

    assert all(place in covered for place, letter in enumerate(lowered) if letter.isalpha() or letter.isdecimal())

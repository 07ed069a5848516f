from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truekeep.language import is_english, language_of, languages
from truekeep.language.guess import _PLAIN, _signs

TOPICS = Path(__file__).parents[1] / "corpus/languages/topics.jsonl"
OTHERS = ["der", "die", "le", "la", "est", "ist", "was", "see", "tea", "Ana", "no"]
SPOKEN = {"de", "fr", "es"}  # and have a file; ru, zh, ja and pl are "und"


def texts(code: str) -> list[str]:
    with TOPICS.open(encoding="utf-8") as lines:
        return [topic[part][code] for topic in map(json.loads, lines) for part in ("said", "asked")]


@pytest.mark.parametrize("code", ["de", "fr", "es", "ru", "zh", "ja", "pl"])
def test_short_texts_tell_their_language(code: str) -> None:
    found = [language_of([text]).code for text in texts(code)]

    right = found.count(code if code in SPOKEN else "und")
    assert right / len(found) >= 0.97
    assert sum(map(is_english, texts(code))) / len(found) <= 0.03


def test_english_is_taken_for_nothing_else() -> None:
    assert all(map(is_english, texts("en")))


def test_words_with_letters_of_no_known_language_tell_another() -> None:
    polish = "Amir i Leila to bliźniaki, po wakacjach idą do szkoły."  # "i", "to" and "do" are English, too

    assert language_of([polish]).code == "und"
    assert is_english("Tell Łukasz and Jiří to ask for the żurek")  # names, and one word among English ones


@pytest.mark.parametrize("text", ["what's Jules's number?", "where's M-12?", "Ana's", "", "??"])
def test_what_follows_an_apostrophe_or_is_too_short_is_no_french(text: str) -> None:
    assert is_english(text)


def test_the_quick_way_knows_words_that_are_english_only() -> None:
    assert _signs(tuple(languages().values())).plain >= _PLAIN


@given(st.lists(st.sampled_from(sorted(_PLAIN) + OTHERS), max_size=8))
@settings(max_examples=100)
def test_the_quick_way_answers_as_the_long_one(words: list[str]) -> None:
    assert is_english(" ".join(words)) == (language_of([" ".join(words)]).code == "en")

"""What makes two texts the same memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.engine.statement import _meant_by, statement

WORDS = st.lists(st.sampled_from(["ana", "likes", "tea", "not", "10", "11", "C++", "C", "the", "very"]), min_size=1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana likes tea", "ana  LIKES\ttea!!"),
        ("The tea is very hot", "tea is hot"),
        ("I can't come", "I cannot come"),
        ("I\u2019m late", "I am late"),
        ("We won't pay", "we will not pay"),
        ("(the) 'build' is: green", "Build is green."),
        ("run `make test`", "run make test"),
        ("SHIP IT TO US NOW", "ship it to us now"),
        ("\ufb01ne \uff13", "fine 3"),
        ("love \u2764\ufe0f", "love \u2764"),
        ("A plan was made", "a plan was made"),
    ],
)
def test_how_it_is_written_makes_no_difference(one: str, other: str) -> None:
    assert statement(one) == statement(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("limit 10", "limit 11"),
        ("the area is 10\u00b2 m", "the area is 102 m"),
        ("it is \u20135 outside", "it is 5 outside"),
        ("it is not just a bug", "it is not a bug"),
        ("I do not just drink tea", "I do not drink tea"),
        ("deploy when !ready", "deploy when ready"),
        ("Ana paid Bill", "Ana paid bill"),
        ("she is Polish", "she is polish"),
        ("limit 1.5", "limit 15"),
        ("limit 5", "limit -5"),
        ("at 10:30", "at 10:31"),
        ("Ana can come", "Ana can't come"),
        ("Ana likes tea", "Ana likes no tea"),
        ("x = 5", "x != 5"),
        ("x < 5", "x > 5"),
        ("x \u2264 5", "x \u2265 5"),
        ("we use C", "we use C++"),
        ("we use C#", "we use C"),
        ("let us go", "let US go"),
        ("plan A was chosen", "the plan was chosen"),
        ("Ana manages Ben", "Ben manages Ana"),
        ("status \u2705", "status \u274c"),
        ("costs 5 \u20ac", "costs 5 $"),
        ("is it green?", "it is green"),
        ("is it green?", "is it green"),
        ("\u0928\u093e\u092e", "\u0928\u092e"),  # Hindi: name, moist
        ("\u0e21\u0e32", "\u0e21\u0e49\u0e32"),  # Thai: come, horse
        ("\u732b\u304c\u597d\u304d", "\u72ac\u304c\u597d\u304d"),  # Japanese: likes cats, likes dogs
    ],
)
def test_what_is_said_makes_a_difference(one: str, other: str) -> None:
    assert statement(one) != statement(other)


def test_the_first_person_belongs_to_its_speaker() -> None:
    assert statement("I like tea", "Ana") != statement("I like tea", "Ben")
    assert statement("I like tea", "Ana") == statement("i like tea", "ANA")
    assert statement("Ana likes tea", "Ana") == statement("Ana likes tea", "Ben")
    assert statement("They trust US", "Ana") == statement("They trust US", "Ben")


def test_punctuation_alone_states_itself() -> None:
    assert statement("...") == "..."
    assert statement(" !!! ") != statement("...")


@given(st.text(min_size=1).filter(str.strip))
def test_every_text_states_something_and_always_the_same(text: str) -> None:
    assert statement(text)
    assert statement(text) == statement(f" {text}\n")


@given(WORDS, WORDS)
def test_different_words_that_matter_never_collapse(one: list[str], other: list[str]) -> None:
    def telling(words: list[str]) -> list[str]:
        return [word for word in words if word != "the" and (word != "very" or "not" in words)]

    same = statement(" ".join(one)) == statement(" ".join(other))

    assert not same or telling(one) == telling(other) or not telling(one)


def test_long_words_are_not_remembered_for_their_next_time() -> None:
    known = _meant_by.cache_info().currsize

    statement(" ".join("x" * (60 + number) for number in range(50)))

    assert _meant_by.cache_info().currsize == known

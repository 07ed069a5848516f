"""What a question asks for: whom, when, and what it is after."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.engine import asked
from truekeep.engine.asked import Asked

TODAY = date(2025, 10, 15)
SPEAKERS = ("Melanie", "Ana Silva", "Ana Costa", "Will", "user", "assistant")


def read(text: str, speakers: tuple[str, ...] = SPEAKERS, *, is_chat: bool = True) -> Asked:
    return asked.read(text, today=TODAY, speakers=speakers, is_chat=is_chat)


@pytest.mark.parametrize(
    ("text", "speakers", "rest"),
    [
        ("What did Melanie paint?", {"Melanie"}, "What did paint?"),
        ("What is Mel's favourite colour?", {"Melanie"}, "What is favourite colour?"),
        ("what does melanie paint", {"Melanie"}, "what does paint"),
        ("Where does Ana live?", {"Ana Silva", "Ana Costa"}, "Where does live?"),
        ("Where does Ana Silva live?", {"Ana Silva"}, "Where does live?"),
        ("Did Melanie meet Ana Silva in town?", set(), "Did meet in town?"),
        ("Will it rain in Paris?", set(), "Will it rain in Paris?"),
        ("Can the user log in as assistant?", set(), "Can the user log in as assistant?"),
        ("Melanie", {"Melanie"}, "Melanie"),
        ("what about tea", set(), "what about tea"),
    ],
)
def test_the_person_asked_about_leaves_the_text(text: str, speakers: set[str], rest: str) -> None:
    found = read(text)

    assert (set(found.speakers), found.text) == (speakers, rest)


def test_names_stay_where_others_tell_of_people() -> None:
    found = read("What did Mel paint?", is_chat=False)

    assert (found.text, found.words, found.names) == ("What did Mel paint?", "What did Mel paint?", ("Mel",))
    assert found.speakers == {"Melanie"}


def test_two_names_stay_among_the_words() -> None:
    found = read("Did Melanie meet Ana Silva in town?")

    assert (found.words, found.names) == ("Did Melanie meet Ana Silva in town?", ())


def test_names_stay_where_nobody_speaks() -> None:
    found = read("What did Melanie paint?", ())

    assert (found.speakers, found.text) == (frozenset(), "What did Melanie paint?")


@pytest.mark.parametrize(
    ("text", "wants_time", "wants_lessons", "is_about_user"),
    [
        ("When did they move?", True, False, False),
        ("please say when was the release", True, False, False),
        ("How long is the trial?", True, False, False),
        ("what to do when it rains", False, False, False),
        ("what should we not do again about migrations", False, True, True),
        ("what to avoid with printers", False, True, False),
        ("restaurants not to book again", False, True, False),
        ("why didn't they choose Kafka", False, False, False),
        ("what is my address?", False, False, True),
        ("what did you recommend for my garden?", False, False, False),
        ("which paper does the printer need?", False, False, False),
    ],
)
def test_what_a_question_is_after(text: str, wants_time: bool, wants_lessons: bool, is_about_user: bool) -> None:
    found = read(text)

    assert (found.wants_time, found.wants_lessons, found.is_about_user) == (wants_time, wants_lessons, is_about_user)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What should we avoid?", True),
        ("what failed before?", True),
        ("which pitfalls do we know?", True),
        ("What went wrong in the past?", True),
        ("What mistakes did we make?", True),
        ("lessons learned?", True),
        ("Is there anything to watch out for?", True),
        ("what should we not do again about migrations", False),
        ("Any bad experiences with airlines?", False),
        ("what failed in the login?", False),
        ("which language for Ana?", False),
        ("what did we learn?", False),
    ],
)
def test_a_question_for_lessons_about_nothing_in_particular(text: str, wanted: bool) -> None:
    assert read(text).wants_all_lessons is wanted


def test_periods_are_those_of_the_day_of_asking() -> None:
    assert read("what happened in March and last week?").periods == (
        (date(2025, 3, 1), date(2025, 3, 31)),
        (date(2025, 10, 6), date(2025, 10, 12)),
    )


@pytest.mark.parametrize(
    ("text", "held", "rest"),
    [
        ("what is the telephone number of Regula?", ["regula"], "what is the telephone number of"),
        ("PMT-7031", ["pmt7031", "pmt", "7031"], ""),
        ("what is Regula's office", ["regula", "office"], ""),
        ("which tea does she like", [], "which tea does she like"),
    ],
)
def test_what_an_item_leaves_unanswered(text: str, held: list[str], rest: str) -> None:
    assert " ".join(text[start:end] for start, end in asked.unanswered(text, held)) == rest


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=12), max_size=5, unique=True))
def test_any_question_is_read(text: str, speakers: list[str]) -> None:
    found = read(text, tuple(sorted(speakers)))

    assert found.speakers <= set(speakers)
    assert found.text or not text

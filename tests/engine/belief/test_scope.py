"""Nothing true is retired by something narrower, nor by something that has another qualifier."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.belief.one_pair import judge
from truekeep.engine.belief import Said, Verdict

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
SURE = (-50.0, 50.0, -50.0, -50.0)
LIKENESS = st.sampled_from((None, 0.5, 0.75, 0.97))
STATED = (  # a statement, and one that certainly makes it untrue
    ("I like phone calls", "I don't like phone calls"),
    ("I like phone calls", "I don't like phone calls any more"),
    ("Parking is allowed", "Parking is not allowed any more"),
    ("Tom plays tennis", "Tom no longer plays tennis"),
    ("Backups run hourly", "Backups no longer run hourly"),
    ("The gate opens at 9:00", "The gate now opens at 10:00"),
    ("The team lead is Odile", "The team lead is now Bertil"),
    ("The rent is 900 euros", "The rent is now 980 euros"),
    ("My surname is Okada", "My surname is now Lund"),
)
CHANGES = st.sampled_from((*STATED, ("We use Python", "We no longer use Python")))
QUALIFIERS = st.sampled_from(
    (
        *("in the morning", "at night", "on Mondays", "in December", "this week", "during the day"),
        *("in Rome", "at home", "upstairs", "on the left", "in the back"),
        *("2", "version 3", "v2", "3.11"),
        *("with Ben", "for students", "of Ana", "for me"),
        *("in winter", "in the summer"),
        *("if it rains", "when asked", "unless Ana agrees", "without a ticket", "before lunch"),
        *("daily", "every week", "twice", "sometimes", "part-time", "only", "alone"),
    )
)


JUDGES = st.sampled_from((None, SURE))  # the rules alone, and with a learned judge that sees a change everywhere


def judged(old: str, new: str, likeness: float | None, logits: Sequence[float] | None = None) -> Verdict | None:
    later = Said(content=new, speaker="Kai", when=NOW + timedelta(days=1))
    return judge(later, Said(content=old, speaker="Kai", when=NOW), likeness, 0.1, logits=logits)


def qualified(text: str, qualifier: str, place: str) -> str:
    if place == "end":
        return f"{text} {qualifier}"
    if place == "set apart":
        return f"{text}, {qualifier}"
    return f"{qualifier[0].upper()}{qualifier[1:]} {text if text[0] == 'I' else text[0].lower() + text[1:]}"


PLACES = st.sampled_from(("end", "set apart", "beginning"))


@given(st.sampled_from(STATED), LIKENESS)
def test_a_stated_change_of_the_very_same_claim_supersedes(change: tuple[str, str], likeness: float | None) -> None:
    verdict = judged(*change, likeness)

    assert verdict is not None
    assert verdict.retires


@given(CHANGES, QUALIFIERS, PLACES, LIKENESS, JUDGES, st.booleans())
def test_a_qualifier_that_only_one_has_leaves_a_suspicion_at_most(
    change: tuple[str, str],
    qualifier: str,
    place: str,
    likeness: float | None,
    logits: Sequence[float] | None,
    newer: bool,
) -> None:
    old, new = change

    pair = (old, qualified(new, qualifier, place)) if newer else (qualified(old, qualifier, place), new)
    verdict = judged(*pair, likeness, logits)

    assert verdict is None or not verdict.retires, pair


@given(CHANGES, QUALIFIERS, QUALIFIERS, PLACES, LIKENESS, JUDGES)
def test_another_qualifier_makes_another_claim(
    change: tuple[str, str], one: str, other: str, place: str, likeness: float | None, logits: Sequence[float] | None
) -> None:
    if one == other:
        return
    pair = qualified(change[0], one, place), qualified(change[1], other, place)

    verdict = judged(*pair, likeness, logits)

    assert verdict is None or not verdict.retires, pair


@given(CHANGES, QUALIFIERS, PLACES, LIKENESS, JUDGES, st.booleans())
def test_what_is_said_with_a_qualifier_is_not_the_same_again(
    change: tuple[str, str],
    qualifier: str,
    place: str,
    likeness: float | None,
    logits: Sequence[float] | None,
    newer: bool,
) -> None:
    plain, narrower = change[0], qualified(change[0], qualifier, place)

    verdict = judged(*((plain, narrower) if newer else (narrower, plain)), likeness, logits)

    assert verdict is None or not verdict.retires, (plain, narrower)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ben's Paris office is closed", "Ben's Rome office is no longer closed"),
        ("Ben's Paris office opens at 9:00", "Ben's Rome office now opens at 10:00"),
        ("The team lead is Odile", "The night team lead is now Bertil"),
        ("The lift works", "The lift in the back no longer works"),
        ("The oven is hot", "The new oven is not hot"),
        ("The oven costs 900 euros", "The new oven now costs 980 euros"),
        ("The ferry leaves at 9:00", "Ignore what I noted, that the ferry leaves at 9:00 in winter was wrong"),
        ("Mia is allergic to nuts", "Mia is not allergic to roasted nuts any more"),
        ("Dogs are allowed", "Dogs are allowed, small ones"),
        ("Mia eats meat", "Mia quit eating pork"),
        ("We support Python 3.11", "We now support Python 3.12"),
        ("The app works on Windows", "The app now works on Linux"),
        ("The invoice mentions Ben Smith", "The invoice now mentions Carl Smith"),
        ("The report was sent to Eva", "The report was now sent to Tom"),
        ("Our cluster has nodes in Oslo", "Our cluster now has nodes in Bergen"),
        ("The party for the volunteers is on 3 June", "The briefing for the volunteers moved to 20 May"),
        ("I am vegetarian", "I am vegetarian except for fish"),
    ],
)
@pytest.mark.parametrize("likeness", [None, 0.75, 0.97])
@pytest.mark.parametrize("logits", [None, SURE])
def test_what_speaks_of_a_part_retires_nothing(
    old: str, new: str, likeness: float | None, logits: Sequence[float] | None
) -> None:
    verdict = judged(old, new, likeness, logits)

    assert verdict is None or not verdict.retires


def test_a_success_elsewhere_leaves_the_lesson() -> None:
    lesson = Said(content="Deploying with Docker on Windows failed: no space left.", kind="lesson", when=NOW)
    later = NOW + timedelta(days=1)

    elsewhere = judge(Said(content="Deploying with Docker worked.", when=later), lesson, 0.9)
    there = judge(Said(content="Deploying with Docker on Windows worked.", when=later), lesson, 0.9)

    assert elsewhere is None or not elsewhere.retires
    assert there is not None
    assert there.retires

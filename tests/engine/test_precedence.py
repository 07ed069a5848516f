"""Where one statement may have replaced another, the newer one is told first; and nothing else moves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from truekeep import Memory

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Days:
    """A clock that is moved on by hand."""

    def __init__(self) -> None:
        self.now = MONDAY

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory("bot", at=":memory:", background=False, clock=Days()) as memory:
        yield memory


def say(memory: Memory, *statements: str, **how: object) -> None:
    """One a day."""
    for number, statement in enumerate(statements):
        memory.remember(statement, when=MONDAY + timedelta(days=number - 30), **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [1, 5])
def test_what_casts_doubt_stands_before_what_it_casts_doubt_on(memory: Memory, limit: int) -> None:
    say(memory, *(f"Note {number}: the API of team {number} has a framework of its own." for number in range(12)))
    older = memory.remember(
        "We decided to use Flask as the API framework.", when=MONDAY - timedelta(days=9), pinned=True
    )
    newer = memory.remember("We decided to use FastAPI as the API framework instead of Flask.")
    assert [item.id for item in newer.suspected] == [older.id]

    found = [match.id for match in memory.recall("Did we decide to use Flask as the API framework?", limit=limit)]

    assert found[:2] == [newer.id, older.id][:limit]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_of_two_that_are_alike_and_as_good_the_newer_comes_first(memory: Memory, limit: int) -> None:
    say(memory, "The meeting is on Tuesday at 10.", "The meeting is on Thursday at 14.", judged=False)

    found = [match.content for match in memory.recall("when is the meeting?", limit=limit)]

    assert found == ["The meeting is on Thursday at 14.", "The meeting is on Tuesday at 10."][:limit]


def test_records_of_what_was_said_keep_their_order(memory: Memory) -> None:
    say(memory, "The meeting is on Tuesday at 10.", "A meeting, on a Thursday, at 14?", kind="interaction")

    found = [match.content for match in memory.recall("the meeting is on Tuesday at 10?")]

    assert found[0] == "The meeting is on Tuesday at 10."


def test_what_is_worse_by_far_stays_behind_however_new_it_is(memory: Memory) -> None:
    say(memory, "Ana's favourite drink is green tea with honey.", "Ana owns a tea shop in Lisbon.", judged=False)

    found = [match.content for match in memory.recall("what is Ana's favourite drink?")]

    assert found[0] == "Ana's favourite drink is green tea with honey."


@pytest.mark.parametrize(
    ("statements", "question"),
    [
        (["The lease of unit A1 ends in May.", "The lease of unit A2 ends in July."], "when does the lease of A1 end?"),
        (["Grade 5 has 24 pupils.", "Grade 6 has 27 pupils."], "how many pupils are in grade 5?"),
        (
            ["On Mondays Ruth has the early shift.", "On Fridays Ruth has the late shift."],
            "what shift does Ruth have on Mondays?",
        ),
    ],
)
def test_the_one_that_a_question_names_by_number_or_day_stays_before_a_newer_one_like_it(
    memory: Memory, statements: list[str], question: str
) -> None:
    say(memory, *statements, judged=False)

    assert memory.recall(question)[0].content == statements[0]


def test_a_question_about_a_past_time_is_answered_by_what_was_said_then(memory: Memory) -> None:
    memory.remember("The meeting is on Tuesday at 10.", when=datetime(2025, 3, 4, tzinfo=UTC), judged=False)
    memory.remember("The meeting is on Thursday at 14.", when=datetime(2026, 2, 4, tzinfo=UTC), judged=False)

    found = memory.recall("when was the meeting in March 2025?")

    assert found[0].content == "The meeting is on Tuesday at 10."

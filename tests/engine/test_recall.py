"""Ranking as a user of the memory sees it: people, times, conversations, warnings, and what nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from truekeep import Memory
from truekeep.embedders.minilm import MiniLM
from truekeep.testing.fakes import FakeEmbedder, FixedClock

OCTOBER = datetime(2025, 10, 15, 9, tzinfo=UTC)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(), clock=FixedClock(OCTOBER), background=False) as opened:
        yield opened


def contents(memory: Memory, query: str, limit: int = 5) -> list[str]:
    return [match.content for match in memory.recall(query, limit=limit)]


def test_the_person_asked_about_is_heard_first(memory: Memory) -> None:
    for speaker in ("Ana", "Ben"):
        memory.remember("I love hiking in the hills", speaker=speaker, kind="interaction")

    for speaker in ("Ana", "Ben"):
        first = memory.recall(f"what does {speaker} love?")[0]
        assert first.speaker == speaker
        assert "speaker" in first.why


def test_what_names_a_person_is_about_them_where_nobody_in_particular_said_it(memory: Memory) -> None:
    memory.remember("prefers tea over coffee", speaker="Ana")
    memory.remember("Ana moved to the search team")
    memory.remember("the kitchen has a move to make to which team")

    found = memory.recall("which team did Ana move to?")

    assert found[0].content == "Ana moved to the search team"
    assert "speaker" in found[0].why


def test_a_period_prefers_what_was_said_then(memory: Memory) -> None:
    memory.remember("the checkout was down for an hour", when=datetime(2025, 8, 3, tzinfo=UTC))
    memory.remember("checkout down again, forty minutes", when=datetime(2025, 3, 27, tzinfo=UTC))

    found = memory.recall("which checkout was down in March")

    assert found[0].content == "checkout down again, forty minutes"
    assert "said then" in found[0].why


def test_a_period_prefers_what_speaks_of_it(memory: Memory) -> None:
    memory.remember("the conference in Utrecht is on 20 October")
    memory.remember("the conference in Ghent is on 20 December")

    assert contents(memory, "which conference is next week", 1) == ["the conference in Utrecht is on 20 October"]


def test_what_was_said_yesterday_is_found_by_its_date(memory: Memory) -> None:
    memory.remember("met the plumber yesterday", when=datetime(2025, 9, 2, tzinfo=UTC))
    memory.remember("met the plumber yesterday morning", when=datetime(2025, 6, 2, tzinfo=UTC))

    assert contents(memory, "who was met on 1 September 2025", 1) == ["met the plumber yesterday"]


def test_a_question_for_a_time_prefers_what_names_one(memory: Memory) -> None:
    memory.remember("the boiler was repaired by Dirk on 3 October")
    memory.remember("the boiler was repaired by Dirk and Nora")

    assert contents(memory, "when was the boiler repaired", 1) == ["the boiler was repaired by Dirk on 3 October"]


def test_an_answer_is_found_by_the_question_before_it(memory: Memory) -> None:
    turns = ["who repaired the boiler?", "it was Dirk, he came at noon", "what about lunch?", "soup at noon"]
    memory.remember_many([{"content": turn, "session": "monday", "kind": "interaction"} for turn in turns])
    memory.remember_many(
        [{"content": f"small talk {n} about nothing", "session": "friday", "kind": "interaction"} for n in range(300)]
    )
    memory.flush()

    found = memory.recall("who repaired the boiler?", limit=2)

    assert [match.content for match in found] == turns[:2]
    assert "neighbours" in found[1].why
    assert "session" in found[1].why


def test_a_question_about_mistakes_prefers_lessons(memory: Memory) -> None:
    memory.remember("migrations run on Tuesday")
    memory.remember("two migrations failed on Tuesday", kind="lesson")

    found = memory.recall("what should we not do again with migrations on Tuesday", limit=1)

    assert found[0].kind == "lesson"


def test_what_the_user_said_comes_first_when_they_ask_about_themselves(memory: Memory) -> None:
    advice = "the budget for the kitchen is usually ten thousand euros"
    memory.remember(advice, speaker="assistant", session="s", kind="interaction")
    memory.remember(
        "the budget for the kitchen is four thousand euros", speaker="user", session="s", kind="interaction"
    )

    mine, yours = (memory.recall(f"what {whose} the budget for the kitchen", limit=1) for whose in ("is my", "is"))

    assert mine[0].speaker == "user"
    assert "user" in mine[0].why
    assert "user" not in yours[0].why


def test_what_has_ended_answers_for_the_time_when_it_was_true(memory: Memory) -> None:
    memory.remember("Kwame is on leave, Liv stands in", when=OCTOBER - timedelta(days=160), ttl=timedelta(days=999))
    ended = memory.remember("Tom is on leave until 31 August, Vera stands in", when=OCTOBER - timedelta(days=163)).item

    found = contents(memory, "who stood in for Tom in June")

    if ended.until is not None:  # whether the end is read from the text is not decided here
        assert ended.content not in contents(memory, "who stands in for Tom")
    assert ended.content in found


@pytest.mark.parametrize("limit", [1, 1000])
def test_a_crowded_period_is_searched_by_the_arms(memory: Memory, limit: int) -> None:
    memory.remember_many([{"content": f"note {n} of the day", "when": OCTOBER} for n in range(600)])
    memory.remember("the vault was painted green", when=OCTOBER)
    memory.remember_many([{"content": f"lesson {n} of the day", "kind": "lesson"} for n in range(600)])
    memory.flush()

    found = memory.recall("which vault was painted this week, and what should we avoid", limit=limit)

    assert found[0].content == "the vault was painted green"


def test_explain_names_the_parts_of_a_score(memory: Memory) -> None:
    kept = memory.remember("I love hiking in the hills", speaker="Ana", kind="interaction")
    memory.remember("I hate the sea", speaker="Ben", kind="interaction")

    [explained] = memory.explain("what does Ana love?", kept.id)

    assert explained.note.startswith("found: words ")
    assert "speaker 0.30" in explained.note


def test_the_same_memory_ranks_alike_in_any_process(memory: Memory) -> None:
    said = [("who repaired the boiler?", "Ana"), ("it was Dirk", "Ben"), ("thanks, in March too", "Ana")]
    for place, (content, speaker) in enumerate(said):
        memory.remember(content, speaker=speaker, session="s", when=OCTOBER + timedelta(minutes=place))
    memory.remember("never repair the boiler at night", kind="lesson")

    query = "when did Ana repair the boiler in March"
    scores = [(match.content, match.score) for match in memory.recall(query)]
    exported = list(memory.export())

    with Memory("copy", at=":memory:", embedder=FakeEmbedder(), clock=FixedClock(OCTOBER), background=False) as copy:
        copy.import_(exported)
        copy.flush()
        assert [(match.content, match.score) for match in copy.recall(query)] == scores


def test_a_trap_is_less_answerable_than_a_question_that_is_answered() -> None:
    with Memory("bot", at=":memory:", embedder=MiniLM(), background=False) as memory:
        memory.remember("Regula wants to be called after two in the afternoon")
        memory.remember("Regula runs the warehouse in Basel")
        memory.remember("The printer in the hall takes A4 only")

        answered, trap, unknown = (
            memory.recall(query).answerable
            for query in ("when should I ring Regula?", "what is Regula's blood type?", "who won the chess match?")
        )

    assert answered > trap
    assert answered > unknown

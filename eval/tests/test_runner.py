"""Sets go through the memory as users would put them there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest

from truekeep import EmbedderError, Memory, Recall
from truekeep.engine.tokens import estimate
from truekeep.testing.fakes import FailingEmbedder, FakeEmbedder, FixedClock
from truekeep_eval import datasets, playback, runner
from truekeep_eval.datasets import Conversation, Doc, Question

from .sets import CHAT, FACTS, written

KS = (1, 5)


@pytest.fixture
def conversations(tmp_path: Path) -> list[Conversation]:
    return datasets.read(written(tmp_path / "set.jsonl", CHAT, FACTS))


def run(*conversations: Conversation) -> list[runner.Row]:
    return list(runner.run(conversations, ks=KS, embedder=FakeEmbedder()))


def test_every_question_has_a_row(conversations: list[Conversation]) -> None:
    rows = run(*conversations)

    assert [(row.conversation, row.number, row.category) for row in rows] == [
        ("garden", 0, "single"),
        ("garden", 1, "multi"),
        ("garden", 2, "abstention"),
        ("office", 0, "lexical"),
        ("office", 1, "avoid"),
        ("office", 2, "unanswerable"),
    ]
    assert all(row.ms > 0 for row in rows)


def test_what_shares_words_with_a_question_is_found_first(conversations: list[Conversation]) -> None:
    rows = {row.category: row for row in run(*conversations)}

    assert rows["lexical"].ranked[0] == "m1"
    assert rows["avoid"].ranked[0] == "m2"
    assert "m2" in rows["avoid"].context


def test_facts_that_say_the_same_count_as_the_first_of_them() -> None:
    docs = tuple(Doc(id=id, text="The printer needs A4") for id in ("m1", "m2"))
    facts = Conversation(id="c", docs=docs, questions=(Question(text="printer", evidence=("m2",)),))

    (row,) = run(facts)

    assert row.evidence == row.ranked == ("m1",)


def test_what_is_said_twice_in_conversations_is_two_turns(conversations: list[Conversation]) -> None:
    row = run(conversations[0])[0]

    assert row.evidence == ("t4",)
    assert {"t1", "t4"} <= set(row.ranked)


def test_conversations_do_not_see_each_other(conversations: list[Conversation]) -> None:
    rows = run(*conversations)

    assert {id for row in rows[:3] for id in row.ranked} <= {"t1", "t2", "t3", "t4"}
    assert {id for row in rows[3:] for id in row.ranked} <= {"m1", "m2"}


def test_the_context_is_that_of_a_memory_in_use(conversations: list[Conversation]) -> None:
    _, facts = conversations
    row = run(facts)[0]

    clock = FixedClock(datetime(2025, 10, 15, 9, tzinfo=UTC))
    with Memory("office", at=":memory:", embedder=FakeEmbedder(), clock=clock, background=False) as memory:
        for doc in facts.docs:
            memory.remember(doc.text, kind=doc.kind, tags=doc.tags, when=doc.when)
        block = memory.context(row.question)
    assert row.context_tokens == estimate(block)
    assert [doc.id for doc in facts.docs if doc.text in block] == list(row.context)


class Watched(Memory):
    """Notes at what time it is asked, and since when it knows what it finds."""

    noted: ClassVar[list[tuple[datetime, dict[str, datetime]]]] = []

    def __init__(self, space: str, *, clock: Callable[[], datetime], **more: Any) -> None:
        super().__init__(space, clock=clock, **more)
        self._time = clock

    def recall(self, query: str, **more: Any) -> Recall:
        found = super().recall(query, **more)
        self.noted.append((self._time(), {match.content: match.created for match in found}))
        return found


def test_all_is_said_and_asked_at_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    january, june, july = (datetime(2025, month, 1, tzinfo=UTC) for month in (1, 6, 7))
    said = [("Tea with Ana", january), ("Tea with Bob", june), ("Tea with Cleo", None)]
    docs = tuple(Doc(id=text, text=text, when=when) for text, when in said)
    questions = (Question(text="tea"), Question(text="tea", now=july))
    monkeypatch.setattr(playback, "Memory", Watched)
    monkeypatch.setattr(Watched, "noted", [])

    run(Conversation(id="c", docs=docs, questions=questions))

    known = {"Tea with Ana": january, "Tea with Bob": june, "Tea with Cleo": june}
    assert Watched.noted == [(june, known), (july, known)]


def test_as_many_matches_are_asked_for_as_the_measures_look_at() -> None:
    docs = tuple(Doc(id=str(number), text=f"Tea number {number}") for number in range(40))
    chat = Conversation(id="c", docs=docs, questions=(Question(text="tea", evidence=("7",)),))

    assert [
        len(row.ranked) for ks in [(1,), (1, 30)] for row in runner.run([chat], ks=ks, embedder=FakeEmbedder())
    ] == [10, 30]


def test_two_runs_find_the_same(conversations: list[Conversation]) -> None:
    first, second = (
        [(row.ranked, row.answerable, row.context, row.context_tokens) for row in run(*conversations)] for _ in "12"
    )

    assert first == second


def test_progress_adds_up_to_the_work(conversations: list[Conversation]) -> None:
    told: list[int] = []

    list(runner.run(conversations, ks=KS, embedder=FakeEmbedder(), tell=told.append))

    assert sum(told) == runner.work(conversations) == 4 + 2 + 6


def test_an_embedder_that_fails_ends_the_run(conversations: list[Conversation]) -> None:
    with pytest.raises(EmbedderError, match="vectors could not be made"):
        list(runner.run(conversations, ks=KS, embedder=FailingEmbedder()))


def test_a_pasted_file_of_any_size_can_be_evaluated() -> None:
    long = Doc(id="log", text="line of a log\n" * 10_000)
    chat = Conversation(id="c", docs=(long,), questions=(Question(text="log", evidence=("log",)),))

    (row,) = run(chat)

    assert row.ranked == ("log",)
    assert row.context == ()  # it does not fit


def test_the_name_of_the_embedder_is_known() -> None:
    assert runner.embedder_name(FakeEmbedder(name="mine")) == "mine-384"

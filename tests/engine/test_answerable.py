"""Knowing when nothing is known: what `answerable` is made of, and who stays silent because of it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from truekeep import Memory
from truekeep.engine.ranking.answerable import EXCERPT, Seen, excerpt, unjudged
from truekeep.engine.requests import MIN_ANSWERABLE, floor
from truekeep.errors import InvalidInput
from truekeep.index.tokens import query_terms

UNIT = st.floats(0, 1, width=32)
SUPPORT = [
    "Refunds take five days.",
    "Tickets are closed after a week.",
    "Premium customers get phone support.",
    "Parcels to Norway need a customs form.",
]


class Listening:
    """A judge of one opinion, who remembers what it was asked."""

    name = "listening"

    def __init__(self, logit: float = 0.0) -> None:
        self.logit = logit
        self.asked: list[tuple[str, list[str]]] = []

    def relevance(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append((question, list(texts)))
        if self.logit > 100:
            raise RuntimeError("broken on purpose")
        return np.full(len(texts), self.logit, np.float32)

    def relations(self, newer: str, older: Sequence[str]) -> NDArray[np.float32]:
        return np.zeros((len(older), 4), np.float32)

    def sentences(self, before: str, speaker: str, sentences: Sequence[str]) -> NDArray[np.float32]:
        return np.zeros((len(sentences), 6), np.float32)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory("support", at=":memory:", background=False) as opened:
        opened.remember_many(SUPPORT)
        yield opened


def test_the_judge_is_asked_when_somebody_wants_to_know_and_once() -> None:
    judge = Listening()
    with Memory("bot", at=":memory:", background=False, judge=judge) as memory:
        memory.remember_many(SUPPORT)
        memory.remember("Ship it on Monday.", speaker="Ana")
        judge.asked.clear()

        found = memory.recall("When does it ship?")
        assert not judge.asked
        assert found.answerable == found.answerable

    ((question, texts),) = judge.asked
    assert question == "When does it ship?"
    assert len(texts) == 5
    assert "Ana: Ship it on Monday." in texts


def test_it_can_be_asked_after_the_memory_is_closed_and_travels_as_a_number(memory: Memory) -> None:
    found, sent = memory.recall("How long do refunds take?"), memory.recall("How long do refunds take?")
    memory.close()

    assert 0.5 < found.answerable <= 1
    assert pickle.loads(pickle.dumps(sent)).answerable == found.answerable


def test_the_surer_the_judge_the_more_answerable() -> None:
    likely = []
    for logit in (-4.0, 0.0, 4.0):
        with Memory("bot", at=":memory:", background=False, judge=Listening(logit)) as memory:
            memory.remember_many(SUPPORT)
            likely.append(memory.recall("How long do refunds take?").answerable)

    assert likely == sorted(likely)
    assert len(set(likely)) == 3


@pytest.mark.parametrize("judge", ["rules", Listening(1000)], ids=["none", "fails"])
def test_without_a_judge_what_recall_saw_decides(judge: str | Listening) -> None:
    with Memory("bot", at=":memory:", background=False, judge=judge) as memory:
        memory.remember_many(SUPPORT)
        known, unknown = memory.recall("How long do refunds take?"), memory.recall("How do I bake sourdough bread?")

        assert known.answerable > 0.3 > unknown.answerable
        assert memory.stats().judge_failures == (0 if judge == "rules" else 1)


@pytest.mark.parametrize("question", ["How do I bake sourdough bread?", "Who won the match last night?"])
def test_what_nobody_knows_packs_nothing(memory: Memory, question: str) -> None:
    assert memory.context(question) == ""
    assert memory.recall(question, min_answerable=MIN_ANSWERABLE) == []
    assert memory.recall(question) != []
    assert memory.context(question, min_answerable=0) != ""


@pytest.mark.parametrize("question", ["How long until I get my money back?", "Norway", "What do you know about me?"])
def test_what_is_known_or_vague_is_packed(memory: Memory, question: str) -> None:
    assert "- " in memory.context(question)


def test_what_is_pinned_is_shown_whatever_is_asked(memory: Memory) -> None:
    memory.remember("Answer in British spelling.", pinned=True)

    assert memory.context("How do I bake sourdough bread?", template="plain") == "- Answer in British spelling."


def test_silence_counts_no_access(memory: Memory) -> None:
    memory.context("How do I bake sourdough bread?")

    assert {match.frequency for match in memory.recall("refunds")} == {0.0}


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan"), True, "0.5"])
def test_a_floor_is_a_number_from_0_to_1(memory: Memory, wrong: float) -> None:
    with pytest.raises(InvalidInput, match="min_answerable"):
        memory.recall("refunds", min_answerable=wrong)
    with pytest.raises(InvalidInput, match="min_answerable"):
        memory.context("refunds and tickets", min_answerable=wrong)


def test_a_single_word_asks_for_anything() -> None:
    assert [floor(text) for text in ("tea", "", "what do you know about me?", "who are you?", None)] == [0] * 5
    assert floor("which tea does Ana drink?") == floor("tea for Ana, or coffee?") == MIN_ANSWERABLE
    assert floor("which language?") == 0  # asked for short, and the judge makes little of it


def test_a_task_that_names_what_is_known_is_not_met_with_silence() -> None:
    with Memory("bot", at=":memory:", background=False) as memory:
        memory.remember_many(
            ["Ana prefers TypeScript over JavaScript", "Bob lives in Porto", "The release is on Friday"]
        )

        assert "Ana prefers" in memory.context("draft a reply to Ana")
        assert "Bob lives" in memory.context("draft a letter to Bob")
        assert memory.context("write a haiku about the sea") == ""


def test_of_a_long_text_the_judge_sees_what_has_to_do_with_the_question() -> None:
    story = "The warehouse keeps pallets of paint and rope, and on Mondays the forklift is serviced. " * 30
    judge = Listening()
    with Memory("bot", at=":memory:", background=False, judge=judge) as memory:
        memory.remember(f"{story}The spare key hangs behind the boiler. {story}")
        judge.asked.clear()
        assert memory.recall("where is the spare key?").answerable > 0

    ((_, (shown,)),) = judge.asked
    assert "behind the boiler" in shown
    assert len(shown.split()) <= EXCERPT


def test_an_excerpt_is_the_beginning_where_nothing_is_shared() -> None:
    words = {term.hash for term in query_terms("spare key")}
    text = " ".join(f"word{number}" for number in range(500))

    assert excerpt("a short text", words) == "a short text"
    assert excerpt(text, words).startswith("word0 word1 ")


def test_a_lesson_warns_of_what_it_is_about_and_when_lessons_are_asked_for(memory: Memory) -> None:
    memory.remember("Caching the tokens broke the login.", kind="lesson")
    memory.remember("Compressing the images twice ruined them.", kind="lesson")

    elsewhere = memory.context("Which parcels need a customs form?")
    login = memory.context("How do I cache the tokens of the login?")
    everything = memory.context("What should we avoid?")

    assert "Norway" in elsewhere
    assert "Avoid" not in elsewhere
    assert "Caching" in login.partition("Avoid")[2]
    assert "images" not in login
    assert all(part in everything.partition("Avoid")[2] for part in ("Caching", "images"))
    assert len(memory.recall("what failed before?").lessons) == 2


def likely(gained: float, best: float, coverage: float, similarity: float) -> float:
    return unjudged(Seen(gained=gained, best=best, coverage=coverage, similarity=similarity, passages=()))


@given(st.floats(-1, 1), st.floats(0, 2), UNIT, UNIT)
def test_answerable_is_a_probability(gained: float, best: float, coverage: float, similarity: float) -> None:
    before = likely(gained, best, coverage, similarity)

    assert 0 < before < 1
    assert likely(gained + 0.1, best, coverage, similarity) > before
    assert likely(gained, best + 0.1, coverage, similarity) > before
    assert likely(gained, best, coverage, similarity + 0.1) > before


def test_what_is_near_to_nothing_is_not_known() -> None:
    assert likely(gained=0.0, best=0.1, coverage=0.0, similarity=0.1) < 0.1


def test_what_is_held_as_a_whole_is_more_likely_than_not() -> None:
    assert likely(gained=0.4, best=0.4, coverage=0.6, similarity=0.6) > 0.8
    assert likely(gained=-0.2, best=0.3, coverage=0.4, similarity=0.6) < 0.2

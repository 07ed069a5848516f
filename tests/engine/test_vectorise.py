"""Vectors that are made later: one bad text holds up nobody, and no round takes for ever."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from truekeep import Memory
from truekeep.engine.aside import FIRST_REST, MOST_REST, Aside
from truekeep.engine.parts import Parts
from truekeep.engine.runtime.local import Local
from truekeep.engine.vectorise import FEW, MOST_PASSAGES
from truekeep.engine.verbs.remember import remember
from truekeep.errors import EmbedderError
from truekeep.model import Draft
from truekeep.testing.fakes import REFUSED, ChoosyEmbedder, FakeEmbedder
from truekeep.testing.samples import SPACE

FAILED = EmbedderError("500: it hurts", retryable=True)
RAISED = ValueError("no such character")


class Ticks:
    """Monotonic seconds that move only when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def opened(embedder: FakeEmbedder) -> Memory:
    return Memory("bot", at=":memory:", embedder=embedder, background=False)


def parts_of(memory: Memory) -> Parts:
    return cast(Local, memory._engine)._parts


@pytest.mark.parametrize("error", [REFUSED, FAILED, RAISED])
@pytest.mark.parametrize("in_process", [False, True])
def test_a_text_that_the_embedder_does_not_take_holds_up_no_other(error: Exception, in_process: bool) -> None:
    memory = opened(ChoosyEmbedder(32, error, in_process=in_process))

    memory.remember_many(["a poison text", *(f"text number {number}" for number in range(200))])
    found = memory.recall("text number 7")

    assert found[0].content == "text number 7"
    assert (found.pending, found.degraded) == (1, False)
    assert memory.recall("poison")[0].content == "a poison text"


@pytest.mark.parametrize("error", [FAILED, RAISED])
def test_no_recall_is_degraded_by_a_text_that_the_embedder_does_not_take(error: Exception) -> None:
    memory = opened(ChoosyEmbedder(32, error, in_process=False))

    memory.remember_many(["the ferry leaves at nine", "a poison text"])
    found = [memory.recall("when does the ferry leave?") for _ in range(3)]

    assert [(recall.pending, recall.degraded) for recall in found] == [(1, False)] * 3


def test_a_question_that_the_embedder_does_not_take_degrades_no_other() -> None:
    memory = opened(ChoosyEmbedder(32, FAILED, in_process=False))
    memory.remember("the ferry leaves at nine")

    refused = memory.recall("a poison question about the ferry")
    found = memory.recall("when does the ferry leave?")

    assert (refused.degraded, found.degraded) == (True, False)


def test_a_recall_does_not_try_again_what_failed() -> None:
    embedder = ChoosyEmbedder(32, FAILED)
    memory = opened(embedder)
    memory.remember_many(["the ferry leaves at nine", "a poison text"])

    before = embedder.calls
    memory.recall("when does the ferry leave?")

    assert embedder.calls == before + 1


def test_what_failed_in_a_recall_is_left_to_the_background() -> None:
    memory = opened(ChoosyEmbedder(32, FAILED))
    engine = cast(Local, memory._engine)
    drafts = [Draft(content="a poison text"), Draft(content="the ferry leaves at nine")]
    remember(drafts, parts=engine._parts, space=engine.space, now=engine._parts.clock())
    engine._parts.unfinished.remove(engine.space)  # as if another process had kept them

    pending = memory.recall("when does the ferry leave?").pending
    memory.flush()

    assert (pending, memory.stats().pending) == (2, 1)


def test_a_text_that_cannot_be_divided_holds_up_no_other() -> None:
    class Undividing(FakeEmbedder):
        def passages(self, text: str) -> list[str]:
            if "poison" in text:
                raise RAISED
            return [] if "empty" in text else [text]

    memory = opened(Undividing(32))

    memory.remember_many(["poison", "empty", *(f"text number {number}" for number in range(20))])

    assert memory.stats().pending == 2


def test_stats_tell_how_many_were_set_aside_and_why() -> None:
    memory = opened(ChoosyEmbedder(32, RAISED))

    memory.remember_many(["a poison text", "another poison text", "a text that is welcome"])
    stats = memory.stats()

    assert stats.set_aside == {"the embedder raised ValueError": 2}
    assert "pending=2, set_aside=2" in repr(stats)


def test_a_text_that_was_set_aside_is_tried_again_after_a_rest() -> None:
    embedder, ticks = ChoosyEmbedder(32, FAILED), Ticks()
    memory = opened(embedder)
    parts_of(memory).aside._clock = parts_of(memory).unfinished._clock = ticks
    memory.remember("a poison text")
    memory.flush()

    before = embedder.calls
    memory.flush()
    too_early = embedder.calls - before
    embedder.error = None
    ticks.now += FIRST_REST
    memory.flush()

    assert too_early == 0
    assert memory.stats().pending == 0


def test_a_text_that_was_set_aside_is_tried_at_once_when_it_is_corrected() -> None:
    memory = opened(ChoosyEmbedder(32, FAILED))
    wrong = memory.remember("a poison text").item
    memory.flush()

    memory.correct(wrong.id, content="many more words than are embedded while somebody waits" * 20)
    memory.flush()

    assert memory.stats().pending == 0


def test_one_bad_text_among_many_is_found_by_halves() -> None:
    aside, waiting = Aside(Ticks()), [f"i{number}" for number in range(64)]

    tried = 0
    while chosen := aside.chosen(SPACE, waiting, 64, prompt=False):
        tried += 1
        if "i41" in chosen:
            aside.failed(SPACE, chosen, "no")
        else:
            waiting = [id for id in waiting if id not in chosen]
            aside.drop(SPACE, chosen)

    assert waiting == ["i41"]
    assert tried == 13  # 64, and two of each half


def test_a_text_rests_longer_each_time_but_never_for_good() -> None:
    ticks = Ticks()
    aside, rests = Aside(ticks), []

    for _ in range(12):
        aside.failed(SPACE, ["a"], "no")
        rests.append((aside.due(SPACE) or 0.0) - ticks.now)
        assert aside.chosen(SPACE, ["a"], 64, prompt=False) == []
        ticks.now += rests[-1]
        assert aside.chosen(SPACE, ["a"], 64, prompt=False) == ["a"]

    assert rests[:3] == [FIRST_REST, 2 * FIRST_REST, 4 * FIRST_REST]
    assert rests[-1] == MOST_REST


def test_what_was_forgotten_is_not_set_aside_any_more() -> None:
    memory = opened(ChoosyEmbedder(32))
    memory.remember_many(["a poison text", "another text"])
    space = cast(Local, memory._engine).space
    before = parts_of(memory).aside.count(space)

    memory.forget(id_of(memory, "poison"))
    memory.remember_many(["one text", "two texts"])

    assert (before, parts_of(memory).aside.count(space)) == (1, 0)


def id_of(memory: Memory, words: str) -> str:
    return next(item.id for item in memory.items() if words in item.content)


def test_embedders_of_one_name_and_two_dimensions_do_not_meet(tmp_path: Path) -> None:
    def named(dimension: int) -> Memory:
        embedder = FakeEmbedder(dimension)
        embedder.name = "mine"
        return Memory("bot", at=tmp_path / "memory.db", embedder=embedder, background=False)

    with named(32) as one, named(64) as other:
        one.remember("the ferry leaves at nine")
        found = [memory.recall("when does the ferry leave?") for memory in (other, one)]

    assert [(recall[0].content, recall.degraded) for recall in found] == [("the ferry leaves at nine", False)] * 2
    with named(16) as later:
        assert not later.recall("when does the ferry leave?").degraded


def test_long_texts_are_made_a_few_at_a_time() -> None:
    sizes = []

    class Counting(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            sizes.append(len(texts))
            return super().embed(texts)

    memory = opened(Counting(32, passage_words=8))

    memory.remember_many([f"{number} " + "word " * 200 for number in range(20)])

    assert memory.stats().pending == 0
    assert max(sizes) <= MOST_PASSAGES


def test_what_was_just_said_in_a_burst_is_found_before_all_that_is_merely_like_it() -> None:
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(64), background=False) as memory:
        engine = cast(Local, memory._engine)
        memory.remember_many(f"Robot a{number} weighs {number} kilograms" for number in range(60))
        drafts = [Draft(content=f"Robot b{number} weighs {number} kilograms") for number in range(60)]
        remember(drafts, parts=engine._parts, space=engine.space, now=engine._parts.clock())

        found = memory.recall("Robot b41 weighs 41 kilograms", limit=1)

        assert memory.stats().pending > FEW
        assert [match.content for match in found] == ["Robot b41 weighs 41 kilograms"]

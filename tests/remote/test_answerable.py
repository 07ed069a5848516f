"""Whether anything answers: asked of a server when somebody reads it, once, and never in an event loop."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import anyio
import pytest

from truekeep import AsyncMemory, Memory

from .scripted import Scripted, forward, scripted

QUESTION = "What does Ana like to drink?"


@pytest.fixture
def between(url: str) -> Iterator[Scripted]:
    """Stands before a server that knows something, and hears what is asked."""
    with Memory("bot", at=url) as memory:
        memory.remember_many(["Ana likes green tea", "Bo plays chess"])
    with scripted(forward(url)) as heard:
        yield heard


def paths(heard: Scripted) -> list[str]:
    return [asked.path.rpartition("/")[2] for asked in heard.asked]


def test_a_recall_asks_no_judge_until_somebody_wants_to_know_and_then_once(between: Scripted) -> None:
    with Memory("bot", at=between.url) as memory:
        found = memory.recall(QUESTION)
        assert "answerable" not in repr(found)
        assert paths(between) == ["recall"]

        known = found.answerable
        assert found.answerable == known
        assert f"answerable={known:.2f}" in repr(found)

    assert 0 < known < 1
    assert paths(between) == ["recall", "answerable"]
    assert between.asked[0].json["answerable"] is False


def test_it_can_be_asked_after_the_memory_is_closed_and_travels_as_a_number(between: Scripted) -> None:
    with Memory("bot", at=between.url) as memory:
        found = memory.recall(QUESTION)

    assert pickle.loads(pickle.dumps(found)).answerable == found.answerable > 0


def test_it_is_there_at_once_where_it_was_worked_out_anyway(between: Scripted) -> None:
    with Memory("bot", at=between.url) as memory:
        assert memory.recall(QUESTION, min_answerable=0.001).answerable > 0
        assert memory.recall(QUESTION, kinds=["decision"]).answerable == 0

    assert paths(between) == ["recall", "recall"]


def test_an_event_loop_never_waits_for_it(between: Scripted) -> None:
    async def recalled() -> float:
        async with AsyncMemory("bot", at=between.url) as memory:
            return (await memory.recall(QUESTION)).answerable

    assert anyio.run(recalled) > 0
    assert paths(between) == ["recall"]

"""The transcript of a chat comes back as it was, in another process too, and never stops a chain."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.frameworks.modern.memory_down import WAYS, memory_that_is
from truekeep.adapters.langgraph import FailOpen, Recording, TruekeepChatMessageHistory

from .moody import MoodySpaces


def history_on(folder: Path, session: str = "monday", **options: Any) -> TruekeepChatMessageHistory:
    return TruekeepChatMessageHistory(session, spaces(folder, "ana"), guard=patient(), **options)


TURN: list[BaseMessage] = [
    HumanMessage("What is it?", name="Ana", id="m1"),
    AIMessage("", tool_calls=[{"name": "look", "args": {"x": 1}, "id": "c1"}]),
    ToolMessage("42", tool_call_id="c1"),
    AIMessage([{"type": "text", "text": "It is 42."}], additional_kwargs={"k": [1, 2]}),
]


def test_messages_come_back_as_they_were(tmp_path: Path) -> None:
    history_on(tmp_path).add_messages(TURN)
    history_on(tmp_path).add_user_message("Thanks")

    assert history_on(tmp_path).messages == [*TURN, HumanMessage("Thanks")]
    assert history_on(tmp_path, "tuesday").messages == []


def test_the_async_methods_do_the_same(tmp_path: Path) -> None:
    async def run() -> list[BaseMessage]:
        await history_on(tmp_path).aadd_messages(TURN)
        await history_on(tmp_path, "tuesday").aadd_messages(TURN)
        await history_on(tmp_path, "tuesday").aclear()
        return [*await history_on(tmp_path).aget_messages(), *await history_on(tmp_path, "tuesday").aget_messages()]

    assert asyncio.run(run()) == TURN


def test_clear_deletes_the_transcript_and_close_does_not(tmp_path: Path) -> None:
    history = history_on(tmp_path)
    history.add_messages(TURN)

    history.close()
    assert history_on(tmp_path).messages == TURN

    history.clear()
    assert history_on(tmp_path).messages == []


def test_several_at_once_lose_nothing(tmp_path: Path) -> None:
    histories = [history_on(tmp_path) for _ in range(4)]

    async def add(number: int) -> None:
        await histories[number % 4].aadd_messages([HumanMessage(f"message {number}")])

    async def run() -> None:
        await asyncio.gather(*(add(number) for number in range(20)))

    asyncio.run(run())

    assert {message.content for message in history_on(tmp_path).messages} == {f"message {n}" for n in range(20)}


@pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")
def test_a_chain_goes_on_where_another_process_left_it(tmp_path: Path) -> None:
    seen: list[list[BaseMessage]] = []

    def model(messages: list[BaseMessage]) -> AIMessage:
        seen.append(messages)
        return AIMessage(f"reply {len(messages)}")

    for text in ("one", "two"):
        chain = RunnableWithMessageHistory(RunnableLambda(model), lambda session: history_on(tmp_path, session))
        chain.invoke([HumanMessage(text)], {"configurable": {"session_id": "s"}})

    assert [message.content for message in seen[-1]] == ["one", "reply 1", "two"]


def test_with_recording_other_sessions_recall_what_was_said(tmp_path: Path) -> None:
    block = "<recalled-memory note='x'>\n- old\n</recalled-memory>"

    history = history_on(tmp_path, recording=Recording())
    history.add_messages([SystemMessage(block), HumanMessage("Ana drinks tea"), *TURN])
    history_on(tmp_path, recording=Recording()).add_messages([HumanMessage("Ana drinks tea")])

    assert [item.content for item in kept(tmp_path)] == [
        "Ana drinks tea",
        "What is it?",
        "It is 42.",
        "Ana drinks tea",  # said again, in another turn
    ]
    assert "recalled-memory" not in str(opened(tmp_path).get("history:monday"))


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_is_away_raises_nothing(tmp_path: Path, way: str) -> None:
    with memory_that_is(way, tmp_path) as away:
        history = TruekeepChatMessageHistory("s", away, guard=FailOpen(deadline=0.2, tolerance=99))

        history.add_messages(TURN)

        assert history.messages == TURN  # what waits is shown
        history.clear()
        assert history.failures >= 2  # what is locked may well be read


def test_what_could_not_be_saved_is_saved_in_order_later(tmp_path: Path) -> None:
    moody = MoodySpaces.at(tmp_path)
    history = TruekeepChatMessageHistory("monday", moody, guard=patient(tolerance=99))
    moody.is_away = True
    history.add_messages([HumanMessage("one")])
    moody.is_away = False

    history.add_messages([HumanMessage("two")])

    assert [message.content for message in history_on(tmp_path).messages] == ["one", "two"]

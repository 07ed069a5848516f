"""Transcripts of the Microsoft Agent Framework in a space: exactly as they were, once, also after a failure."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_framework import Agent, Content, Message

from tests.adapters.common.places import kept, opened, patient, spaces
from truekeep import Memory, StoreError
from truekeep.adapters.agent_framework import (
    FailOpen,
    Scopes,
    Spaces,
    TruekeepContextProvider,
    TruekeepHistoryProvider,
    current_session,
)
from truekeep.adapters.agent_framework.providers import unseen
from truekeep.adapters.common import AnyScopes
from truekeep.adapters.common.transcripts import MOST_UNSAVED, Unsaved, history_key
from truekeep.engine.admit import Limits
from truekeep.testing.fakes import FakeEmbedder

from .memory_down import WAYS, memory_that_is
from .offline_client import OfflineClient, calling

MARK = "<recalled-memory"


def history_on(folder: Path, scopes: AnyScopes = "ana", **options: Any) -> TruekeepHistoryProvider:
    return TruekeepHistoryProvider(spaces(folder, scopes), guard=patient(), **options)


def texts(messages: list[Message]) -> list[str]:
    return [message.text for message in messages]


def message(role: str, text: str, id: str | None = None) -> dict[str, Any]:
    return Message(role, [text], message_id=id).to_dict()


EVERYTHING = [
    Message("user", ["Was macht 1 + 1? \N{SNOWMAN}", Content.from_data(data=b"\x89PNG", media_type="image/png")]),
    Message("assistant", [Content.from_function_call(call_id="1", name="add", arguments='{"a": 1}')], message_id="m-1"),
    Message("tool", [Content.from_function_result(call_id="1", result={"sum": [2, None, 1.5]})]),
    Message("assistant", ["2"], author_name="bot", additional_properties={"cost": 0.25, "tags": ["a"]}),
    Message("assistant", [Content.from_error(message="no", error_code="500")]),
    Message("user", None),
]


def test_a_transcript_comes_back_exactly_as_it_was(tmp_path: Path) -> None:
    asyncio.run(history_on(tmp_path).save_messages("s", EVERYTHING))

    found = asyncio.run(history_on(tmp_path).get_messages("s"))

    assert [one.to_dict() for one in found] == [one.to_dict() for one in EVERYTHING]


def test_a_new_process_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    first = Agent(
        OfflineClient(calling("add", '{"a": 1, "b": 2}'), "It is 3."),
        tools=[add],
        context_providers=[history_on(tmp_path)],
    )
    asyncio.run(first.run("What is 1 + 2?", session=first.create_session(session_id="s")))
    client = OfflineClient("You are welcome.")
    second = Agent(client, context_providers=[history_on(tmp_path)])

    asyncio.run(second.run("Thanks", session=second.create_session(session_id="s")))

    roles = [(one.role, [content.type for content in one.contents]) for one in client.received[0]]
    assert roles == [
        ("user", ["text"]),
        ("assistant", ["function_call"]),
        ("tool", ["function_result"]),
        ("assistant", ["text"]),
        ("user", ["text"]),
    ]
    assert len(asyncio.run(history_on(tmp_path).get_messages("s"))) == 6


def test_transcripts_are_values_and_not_recalled(tmp_path: Path) -> None:
    asyncio.run(history_on(tmp_path).save_messages("s", [Message("user", ["Ana drinks green tea"])]))

    assert kept(tmp_path) == []
    with opened(tmp_path) as memory:
        assert memory.keys() == ["history:s"]


@pytest.mark.parametrize("inject", ["instructions", "message"])
def test_recalled_text_is_in_no_transcript(inject: Any, tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    history = history_on(tmp_path, store_context_messages=True)  # even when all context is to be kept
    memory = TruekeepContextProvider(spaces(tmp_path, "ana"), guard=patient(), inject=inject)
    client = OfflineClient(*[f"Tea {number}." for number in range(10)])
    agent = Agent(client, context_providers=[history, memory])

    async def chat() -> list[Message]:
        for number in range(10):
            await agent.run(f"What does Ana drink? {number}", session=agent.create_session(session_id="s"))
        return await history.get_messages("s")

    found = asyncio.run(chat())

    assert [client.shown(call).count(MARK) for call in range(10)] == [1] * 10
    assert len(found) == 20
    assert not any(MARK in text for text in texts(found))


def test_a_turn_that_goes_like_the_one_before_is_kept(tmp_path: Path) -> None:
    history = history_on(tmp_path)
    agent = Agent(OfflineClient("Yes?", "Yes?", "Yes?"), context_providers=[history])

    async def chat() -> list[Message]:
        for _ in range(3):
            await agent.run("Hello", session=agent.create_session(session_id="s"))
        return await history.get_messages("s")

    assert texts(asyncio.run(chat())) == ["Hello", "Yes?"] * 3


def test_what_is_sent_along_again_is_not_kept_again() -> None:
    known = [message("user", "a"), message("assistant", "b"), message("user", "c"), message("assistant", "d")]
    new = [message("user", "e"), message("assistant", "f")]

    assert unseen(known, [*known, *new]) == new
    assert unseen(known, [*known[2:], *new]) == new
    assert unseen(known, [*known[3:], *new]) == new
    assert unseen(known, new) == new
    assert unseen([], known) == known
    assert unseen(known, known[2:]) == known[2:]


def test_one_repeated_question_is_no_replay_unless_its_id_says_so() -> None:
    reply = message("assistant", "b")

    assert unseen([message("user", "a")], [message("user", "a"), reply]) == [message("user", "a"), reply]
    assert unseen([message("user", "a", "1")], [message("user", "a", "1"), reply]) == [reply]


def test_two_users_with_sessions_of_one_name_have_two_transcripts(tmp_path: Path) -> None:
    history = history_on(tmp_path, lambda: f"user:{current_session().state['user']}")
    client = OfflineClient("Hello Ana.", "Hello Ben.")
    agent = Agent(client, context_providers=[history])

    async def chat() -> None:
        for user in ("ana", "ben"):
            session = agent.create_session(session_id="main")
            session.state["user"] = user
            await agent.run(f"I am {user}", session=session)

    asyncio.run(chat())

    assert texts(client.received[1]) == ["I am ben"]
    assert history.failures == 0


def test_what_may_only_be_read_gets_no_transcript(tmp_path: Path) -> None:
    history = history_on(tmp_path, Scopes(read="ana"))

    asyncio.run(history.save_messages("s", EVERYTHING))

    assert asyncio.run(history.get_messages("s")) == []
    assert history.failures == 0


def test_several_writers_of_one_session_lose_nothing(tmp_path: Path) -> None:
    histories = [history_on(tmp_path) for _ in range(4)]

    async def write() -> list[Message]:
        turns = [
            history.save_messages("s", [Message("user", [f"{number}-{turn}"])])
            for turn in range(5)
            for number, history in enumerate(histories)
        ]
        await asyncio.gather(*turns)
        return await histories[0].get_messages("s")

    found = texts(asyncio.run(write()))

    assert sorted(found) == sorted(f"{number}-{turn}" for turn in range(5) for number in range(4))


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_fails_changes_no_reply(way: str, tmp_path: Path) -> None:
    with memory_that_is(way, tmp_path) as lost:
        history = TruekeepHistoryProvider(lost, guard=FailOpen(deadline=0.5, retry_after=60))
        client = OfflineClient("First.", "Second.", "Third.")
        agent = Agent(client, context_providers=[history])

        async def chat() -> list[str]:
            session = agent.create_session(session_id="s")
            return [(await agent.run("Hello", session=session)).text for _ in range(3)]

        replies = asyncio.run(asyncio.wait_for(chat(), 30))

    assert replies == ["First.", "Second.", "Third."]
    assert history.failures >= 3
    assert texts(client.received[2]) == ["Hello", "First.", "Hello", "Second.", "Hello"]  # what waits is shown


def test_what_could_not_be_saved_is_saved_once_with_the_next_turn(tmp_path: Path) -> None:
    guard = FailOpen(deadline=0.3, tolerance=1000)
    with memory_that_is("locked", tmp_path) as lost:
        history = TruekeepHistoryProvider(lost, guard=guard)
        asyncio.run(history.save_messages("s", [Message("user", ["first"])]))
    failures, guard.deadline = history.failures, 60.0

    asyncio.run(history.save_messages("s", [Message("user", ["second"])]))

    assert failures == 1
    assert texts(asyncio.run(history_on(tmp_path).get_messages("s"))) == ["first", "second"]


@pytest.mark.parametrize("let_go", [TruekeepHistoryProvider.flush, TruekeepHistoryProvider.close])
def test_what_waits_for_any_user_is_saved_at_the_end(
    let_go: Callable[[TruekeepHistoryProvider], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*given: object, **named: object) -> None:
        raise StoreError("away", retryable=True)

    history = history_on(tmp_path, lambda: f"user:{current_session().state['user']}")
    agent = Agent(OfflineClient("Hello.", "Hello."), context_providers=[history])

    async def chat() -> bool:
        for user in ("ana", "ben"):
            session = agent.create_session(session_id="main")
            session.state["user"] = user
            await agent.run(f"I am {user}", session=session)
        return await history.flush()

    with monkeypatch.context() as patched:
        patched.setattr(Memory, "set", away)
        is_saved = asyncio.run(chat())
    asyncio.run(let_go(history))

    assert not is_saved
    for user in ("ana", "ben"):
        found = asyncio.run(history_on(tmp_path, f"user:{user}").get_messages("main"))
        assert texts(found) == [f"I am {user}", "Hello."]


def test_a_turn_that_can_never_be_saved_does_not_hold_up_the_others(tmp_path: Path) -> None:
    small = Spaces("ana", at=tmp_path / "memory.db", embedder=FakeEmbedder(), limits=Limits(value_bytes=2_000))
    history = TruekeepHistoryProvider(small, guard=patient())

    async def save() -> list[Message]:
        await history.save_messages("s", [Message("user", ["x" * 3_000])])
        await history.save_messages("s", [Message("user", ["short"])])
        return await history.get_messages("s")

    assert texts(asyncio.run(save())) == ["short"]
    assert history.failures == 1


def test_a_transcript_can_be_cleared(tmp_path: Path) -> None:
    history = history_on(tmp_path)
    asyncio.run(history.save_messages("s", EVERYTHING))

    cleared = [asyncio.run(history.clear("s")) for _ in range(2)]

    assert cleared == [True, False]
    assert asyncio.run(history.get_messages("s")) == []


def test_a_value_that_is_no_transcript_does_not_end_the_run(tmp_path: Path) -> None:
    opened(tmp_path).set("history:s", {"turns": [{"no": "messages"}]})
    history = history_on(tmp_path)
    agent = Agent(OfflineClient("Hello."), context_providers=[history])

    reply = asyncio.run(agent.run("Hi", session=agent.create_session(session_id="s")))

    assert reply.text == "Hello."
    assert history.failures > 0


@pytest.mark.parametrize("name", ["x" * 500, "a\nb", "\ud800", "", None])
def test_every_session_has_a_key(name: str | None, tmp_path: Path) -> None:
    history = history_on(tmp_path)

    asyncio.run(history.save_messages(name, EVERYTHING[:1]))

    assert len(asyncio.run(history.get_messages(name))) == 1
    assert history.failures == 0


def test_keys_of_sessions_differ() -> None:
    names = ["a", "b", "x" * 500, "x" * 501, "a\nb", "a\tb", None]

    assert len({history_key(name) for name in names}) == len(names)


def test_what_waits_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    unsaved = Unsaved()

    for number in range(MOST_UNSAVED + 1):
        unsaved.add(("ana", "history:s"), {"id": str(number), "messages": []})

    assert len(unsaved.at(("ana", "history:s"))) == MOST_UNSAVED
    assert "was not saved" in caplog.text
    assert json.dumps(unsaved.at(("ben", "history:s"))) == "[]"

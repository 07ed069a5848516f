"""The memory is down: the chat goes on with the same replies, within the deadline, and the failures are counted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import apsw
import pytest
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core.memory import MemoryContent

from tests.adapters.common.places import silent_server
from truekeep import TruekeepError
from truekeep.adapters.autogen import FailOpen, Spaces, TruekeepMemory, WriteBack, save_team
from truekeep.testing.fakes import FakeEmbedder

from .autogen_parts import agent, calls, opened, received, remembering, text
from .memory_down import failing_server, gone_server

DEADLINE = 0.3
TOOL_ANSWER = "Memory is unavailable right now; go on without it."


def served(at: str) -> TruekeepMemory:
    return TruekeepMemory(Spaces("ana", at=at, key="tk_x"), guard=FailOpen(deadline=DEADLINE))


async def chat(memory: TruekeepMemory) -> list[str]:
    """Three turns, one of them with a tool; what the agent replied."""
    bot = agent(
        memory, "first", calls("recall", query="tea"), "second", "third", tools=memory.tools, max_tool_iterations=3
    )
    runner = WriteBack(bot, memory)
    return [(await runner.run(task=f"question {turn}")).messages[-1].to_text() for turn in range(3)]


def flushed(memory: TruekeepMemory) -> bool:
    """Whether all is kept, at the latest when the calls that hung have come to their ends."""
    for _ in range(600):
        if memory.remembering.flush(60):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.timeout(60)  # a client that waits 30 s and tries again takes longer
@pytest.mark.parametrize("server", [silent_server, failing_server, gone_server])
def test_a_served_memory_that_is_down_changes_no_reply(server: Callable[[], AbstractContextManager[str]]) -> None:
    with server() as at:
        memory = served(at)

        replies = asyncio.run(chat(memory))

        assert replies == ["first", "second", "third"]
        assert memory.failures >= 3


def test_a_locked_file_changes_no_reply(tmp_path: Path) -> None:
    with opened(tmp_path) as ours:
        ours.remember("Ana drinks green tea")
    memory = TruekeepMemory(
        Spaces("ana", at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False),
        guard=FailOpen(deadline=DEADLINE, retry_after=0.0),
    )
    assert len(asyncio.run(memory.query("tea")).results) == 1
    locker = apsw.Connection(str(tmp_path / "memory.db"))
    locker.execute("BEGIN EXCLUSIVE")
    try:
        replies = asyncio.run(chat(memory))
    finally:
        locker.execute("ROLLBACK")
        locker.close()

    assert replies == ["first", "second", "third"]
    assert memory.failures >= 3
    assert flushed(memory)  # what could not be written then is written now
    with opened(tmp_path) as ours:
        assert {"question 0", "question 1", "question 2", "first"} <= {item.content for item in ours.items()}


def test_a_team_goes_on_without_its_memory() -> None:
    with gone_server() as at:
        memory = served(at)
        team = RoundRobinGroupChat(
            [agent(memory, name=name) for name in ("one", "two", "three")],
            termination_condition=MaxMessageTermination(4),
        )

        result = asyncio.run(WriteBack(team, memory).run(task="Hello"))

        assert [message.to_text() for message in result.messages] == ["Hello", "answer 0", "answer 0", "answer 0"]
        assert memory.failures > 0


def test_a_model_is_told_that_its_tool_has_no_memory() -> None:
    with gone_server() as at:
        memory = served(at)
        bot = agent(memory, calls("recall", query="tea"), "Never mind.", tools=memory.tools, max_tool_iterations=2)

        asyncio.run(bot.run(task="What do I drink?"))

        assert TOOL_ANSWER in text(received(bot))


def test_adding_and_asking_fail_quietly_but_saving_a_state_does_not() -> None:
    with gone_server() as at:
        memory = served(at)

        async def use() -> int:
            await memory.add(MemoryContent(content="Ana drinks tea", mime_type="text/plain"))
            found = await memory.query("tea")
            await memory.close()
            return len(found.results)

        assert asyncio.run(use()) == 0
        assert memory.failures >= 2
        with pytest.raises(TruekeepError):
            asyncio.run(save_team(agent(memory), memory))


def test_a_function_for_scopes_that_raises_costs_the_memory_and_not_the_chat(tmp_path: Path) -> None:
    def nobody() -> str:
        raise LookupError("no request")

    memory = remembering(tmp_path, nobody)

    assert asyncio.run(chat(memory)) == ["first", "second", "third"]
    assert memory.failures >= 3


def test_a_filter_that_does_not_exist_is_counted_and_finds_nothing(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    memory = remembering(tmp_path)

    found = asyncio.run(memory.query("tea", score_threshold=0.5))

    assert found.results == []
    assert memory.failures == 1

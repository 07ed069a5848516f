"""The memory protocol of AutoGen: one block per turn, shown to the model and held by nobody."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import MemoryQueryEvent, MultiModalMessage, TextMessage
from autogen_core import CancellationToken, Image
from autogen_core.memory import ListMemory, MemoryContent
from autogen_core.models import (
    LLMMessage,
    SystemMessage,
    UserMessage,
)
from PIL import Image as Picture

from truekeep.adapters.autogen import Recalling, Scopes

from .autogen_parts import MARK, agent, contents, model, opened, received, remembering, text


def test_the_model_gets_what_is_known_about_the_message(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    bot = agent(remembering(tmp_path))

    result = asyncio.run(bot.run(task="What does Ana drink?"))

    assert "Ana drinks green tea" in text(received(bot))
    assert [type(message) for message in result.messages] == [TextMessage, TextMessage]


def test_fifty_turns_show_one_block_and_leave_none(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    bot = agent(remembering(tmp_path))

    async def chat() -> str:
        for turn in range(50):
            await bot.run(task=f"What does Ana drink, {turn}?")
        return json.dumps(await bot.save_state())

    state = asyncio.run(chat())

    assert [text(received(bot, turn)).count(MARK) for turn in range(50)] == [1] * 50
    assert state.count("What does Ana drink") == 50
    assert MARK not in state
    assert "green tea" not in state


def test_the_block_of_a_turn_is_about_its_own_message(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember_many(["Ana drinks green tea", "The office opens at nine"])
    bot = agent(remembering(tmp_path, recalling=Recalling(limit=1)))

    async def chat() -> None:
        await bot.run(task="What does Ana drink?")
        await bot.run(task="When does the office open?")

    asyncio.run(chat())

    first, second = (str(received(bot, turn)[-1].content) for turn in (0, 1))
    assert "green tea" in first
    assert "green tea" not in second
    assert "office opens" in second


def test_an_agent_that_resumes_from_a_saved_state_gets_one_fresh_block(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")

    async def chat() -> tuple[list[LLMMessage], str]:
        before, after = agent(remembering(tmp_path)), agent(remembering(tmp_path))
        await before.run(task="What does Ana drink?")
        await after.load_state(json.loads(json.dumps(await before.save_state())))
        await after.run(task="And what shall Ana drink now?")
        return received(after), json.dumps(await after.save_state())

    messages, state = asyncio.run(chat())

    first, second = (str(message.content) for message in messages if isinstance(message, UserMessage))
    assert first == "What does Ana drink?"
    assert second.count(MARK) == 1
    assert second.endswith("\n\nAnd what shall Ana drink now?")
    assert MARK not in state


def test_a_reset_agent_keeps_its_memory_and_shows_nothing_of_the_past(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    bot = agent(remembering(tmp_path))

    async def chat() -> list[LLMMessage]:
        await bot.run(task="What does Ana drink?")
        await bot.on_reset(CancellationToken())
        cleared: list[LLMMessage] = await bot.model_context.get_messages()
        await bot.run(task="Ana drinks what?")
        return cleared

    assert asyncio.run(chat()) == []
    assert "green tea" in text(received(bot))
    assert "What does Ana drink?" not in text(received(bot))


def test_a_second_user_of_the_same_agent_sees_nothing_of_the_first(tmp_path: Path) -> None:
    opened(tmp_path, "user:ana").remember("The code word is tangerine")
    user = "user:ana"
    bot = agent(remembering(tmp_path, lambda: user))

    async def chat() -> None:
        nonlocal user
        await bot.run(task="What is the code word?")
        user = "user:ben"
        await bot.run(task="What is the code word?")

    asyncio.run(chat())

    assert "tangerine" in text(received(bot, 0))
    assert "tangerine" not in text(received(bot, 1))
    assert "tangerine" not in json.dumps(asyncio.run(bot.save_state()))


def test_scopes_are_read_together_and_written_apart(tmp_path: Path) -> None:
    opened(tmp_path, "team:web").remember("The team deploys on Mondays")
    opened(tmp_path, "user:ana").remember("Ana deploys with Helm")
    memory = remembering(tmp_path, Scopes(read=["user:ana", "team:web"], write="user:ana"))
    bot = agent(memory)

    async def chat() -> None:
        await bot.run(task="How does Ana deploy?")
        await memory.add(MemoryContent(content="Ana also deploys by hand", mime_type="text/plain"))

    asyncio.run(chat())

    assert "Mondays" in text(received(bot))
    assert "Helm" in text(received(bot))
    assert contents(tmp_path, "user:ana") == ["Ana deploys with Helm", "Ana also deploys by hand"]
    assert contents(tmp_path, "team:web") == ["The team deploys on Mondays"]


def test_each_of_two_memories_asks_for_the_message_and_not_for_the_other_block(tmp_path: Path) -> None:
    opened(tmp_path, "one").remember("Ana drinks green tea")
    opened(tmp_path, "two").remember("Ana drinks from a blue cup")
    one, two = remembering(tmp_path, "one"), remembering(tmp_path, "two", inject="user")
    bot = AssistantAgent("bot", model_client=model(), memory=[one, two])

    async def chat() -> None:
        for _ in range(3):
            await bot.run(task="What does Ana drink from?")

    asyncio.run(chat())

    assert text(received(bot)).count(MARK) == 2
    assert "green tea" in text(received(bot))
    assert "blue cup" in text(received(bot))


def test_it_lives_with_the_memories_that_autogen_ships(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    listed = ListMemory()
    bot = AssistantAgent("bot", model_client=model(), memory=[listed, remembering(tmp_path)])

    async def chat() -> None:
        await listed.add(MemoryContent(content="The sky is blue", mime_type="text/plain"))
        await bot.run(task="What does Ana drink?")

    asyncio.run(chat())

    assert "The sky is blue" in text(received(bot))
    assert "green tea" in text(received(bot))


def test_nothing_known_means_nothing_shown(tmp_path: Path) -> None:
    bot = agent(remembering(tmp_path), system_message="Be brief.")

    asyncio.run(bot.run(task="Hello there!"))

    assert received(bot) == [SystemMessage(content="Be brief."), UserMessage(content="Hello there!", source="user")]


def test_a_block_that_has_nothing_to_say_any_more_is_gone(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Ana drinks green tea")
    served = remembering(tmp_path)
    bot = agent(served)

    async def chat() -> None:
        await bot.run(task="What does Ana drink?")
        await served.clear()
        await bot.run(task="What does Ana drink?")

    asyncio.run(chat())

    assert text(received(bot, 0)).count(MARK) == 1
    assert text(received(bot, 1)).count(MARK) == 0


def test_a_block_is_announced_with_one_line(tmp_path: Path) -> None:
    opened(tmp_path).remember_many(["Ana drinks green tea", "Ana drinks from a cup"])
    bot = agent(remembering(tmp_path, announce=True))

    result = asyncio.run(bot.run(task="What does Ana drink?"))

    events = [message for message in result.messages if isinstance(message, MemoryQueryEvent)]
    assert [[told.content for told in event.content] for event in events] == [["recalled 2 memories"]]


def test_pictures_empty_texts_and_runs_without_a_task_break_nothing(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    memory = remembering(tmp_path, inject="merge")
    bot = agent(memory)
    picture = Image(Picture.new("RGB", (1, 1)))

    async def chat() -> None:
        await bot.run()
        await bot.run(task="")
        await bot.run(task=MultiModalMessage(content=[picture], source="user"))
        await bot.run(task=MultiModalMessage(content=["What does Ana drink?", picture], source="user"))

    asyncio.run(chat())

    assert memory.failures == 0
    assert "green tea" in text(received(bot))

"""Where in a prompt the block is shown, for models and contexts of all kinds."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from autogen_core import Image
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    SystemMessage,
    UserMessage,
)
from autogen_ext.models.openai import OpenAIChatCompletionClient
from PIL import Image as Picture

from tests.frameworks.prompts import autogen as prompts
from tests.frameworks.prompts.checking import check_prompts
from truekeep.adapters.autogen.injection import MODES, Inject, shown

from .autogen_parts import ABLE, MARK, agent, calls, opened, received, remembering, text

QUESTION = UserMessage(content="And now?", source="user")
HISTORY: list[LLMMessage] = [
    UserMessage(content="Hi", source="user"),
    AssistantMessage(content="Hello", source="bot"),
    QUESTION,
    FunctionExecutionResultMessage(
        content=[FunctionExecutionResult(content="42", call_id="1", is_error=False, name="f")]
    ),
]


@pytest.mark.parametrize(
    ("inject", "place", "message"),
    [
        ("system", 0, SystemMessage(content="BLOCK")),
        ("user", 2, UserMessage(content="BLOCK", source="memory")),
        ("merge", 2, UserMessage(content="BLOCK\n\nAnd now?", source="user")),
    ],
)
def test_where_a_block_is_shown(inject: Inject, place: int, message: LLMMessage) -> None:
    found = shown(HISTORY, "BLOCK", inject)

    assert found[place] == message
    assert [one for one in found if one != message] == [one for one in HISTORY if inject != "merge" or one != QUESTION]
    assert QUESTION.content == "And now?"


@pytest.mark.parametrize("inject", MODES)
def test_a_block_finds_a_place_where_no_user_has_said_anything(inject: Inject) -> None:
    assert shown([AssistantMessage(content="Hello", source="bot")], "BLOCK", inject)[0].content == "BLOCK"


def test_a_block_is_merged_into_a_message_with_pictures() -> None:
    picture = Image(Picture.new("RGB", (1, 1)))

    found = shown([UserMessage(content=["What is this?", picture], source="user")], "BLOCK", "merge")

    assert found == [UserMessage(content=["BLOCK", "What is this?", picture], source="user")]


def test_the_system_block_follows_the_instructions_so_that_clients_can_join_them(tmp_path: Path) -> None:
    """A client of a model with one system message joins neighbours, and refuses one after a user's turn."""
    opened(tmp_path).remember("Ana drinks green tea")
    bot = agent(remembering(tmp_path, inject="system"), system_message="Be brief.")
    client = OpenAIChatCompletionClient(
        model="local",
        api_key="x",
        base_url="http://127.0.0.1:9",
        model_info={**ABLE, "multiple_system_messages": False},
    )

    async def chat() -> list[dict[str, object]]:
        await bot.run(task="Hello!")
        await bot.run(task="What does Ana drink?")
        parameters = client._process_create_args(received(bot), [], "auto", None, {})
        await client.close()
        return list(parameters.messages)

    roles = [message["role"] for message in asyncio.run(chat())]

    assert roles == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("inject", MODES)
def test_every_model_call_of_a_turn_with_tools_shows_the_block_once(inject: Inject, tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    memory = remembering(tmp_path, inject=inject)
    bot = agent(memory, calls("forget", ids=["x"]), "Tea.", tools=memory.tools, reflect_on_tool_use=True)

    asyncio.run(bot.run(task="What does Ana drink?"))

    assert [text(received(bot, call)).count(MARK) for call in (0, 1)] == [1, 1]
    assert received(bot, 1)[:2] == received(bot, 0)[:2]  # what is cached of the one serves the other


def test_a_small_buffer_still_has_room_for_the_question(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    bot = agent(remembering(tmp_path), model_context=BufferedChatCompletionContext(buffer_size=1), system_message=None)

    async def chat() -> None:
        await bot.run(task="Hello!")
        await bot.run(task="What does Ana drink?")

    asyncio.run(chat())

    [question] = received(bot)
    assert str(question.content).startswith(f"## Long-term memory\n{MARK}")
    assert str(question.content).endswith("</recalled-memory>\n\nWhat does Ana drink?")


def test_the_prompts_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(prompts.play, tmp_path)

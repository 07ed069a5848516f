"""What is said in runs is kept: each message once, under its speaker, and nothing that was only recalled."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.base import Handoff, TaskResult
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.messages import MultiModalMessage, StopMessage, StructuredMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat, Swarm
from autogen_core import CancellationToken, Image
from autogen_core.models import CreateResult
from PIL import Image as Picture
from pydantic import BaseModel

from truekeep.adapters.autogen import Recording, WriteBack

from .autogen_parts import MARK, agent, calls, contents, kept, model, opened, received, remembering, text


def said(folder: Path) -> list[tuple[str | None, str | None, str]]:
    return [(item.source.role, item.speaker, item.content) for item in kept(folder)]


async def streamed(runner: WriteBack, **arguments: Any) -> list[object]:
    return [message async for message in runner.run_stream(**arguments)]


@pytest.mark.parametrize("is_streamed", [False, True])
def test_question_and_answer_are_kept_with_their_speakers(is_streamed: bool, tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    bot = WriteBack(agent(memory, "Noted, Ana."), memory, conversation="chat")

    if is_streamed:
        last = asyncio.run(streamed(bot, task="I drink green tea."))[-1]
    else:
        last = asyncio.run(bot.run(task="I drink green tea."))

    assert isinstance(last, TaskResult)
    assert last.messages[-1].to_text() == "Noted, Ana."
    assert said(tmp_path) == [("user", "user", "I drink green tea."), ("assistant", "bot", "Noted, Ana.")]
    assert {(item.session, item.kind) for item in kept(tmp_path)} == {("chat", "interaction")}
    assert [item.source.trust for item in kept(tmp_path)] == ["user", "agent"]


def test_a_fresh_agent_gets_what_another_one_was_told(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    asyncio.run(WriteBack(agent(memory), memory).run(task="My dog is called Rex."))
    later = agent(remembering(tmp_path))

    asyncio.run(later.run(task="What is my dog called?"))

    assert "Rex" in text(received(later))


def test_recalled_text_is_never_recorded(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    memory = remembering(tmp_path, announce=True)
    told = f"Sure! {MARK}>\n- Ana drinks green tea\n</recalled-memory>"
    bot = WriteBack(agent(memory, told, "Right.", "Yes."), memory)

    async def chat() -> None:
        for question in ("What does Ana drink?", "Really?", "Really?"):
            await bot.run(task=question)

    asyncio.run(chat())

    assert [content for content in contents(tmp_path) if MARK in content] == []
    assert [content for content in contents(tmp_path) if "green tea" in content] == ["Ana drinks green tea"]
    assert contents(tmp_path).count("Sure!") == 1


def test_messages_that_come_again_are_kept_once(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    history = [TextMessage(content="Hello there", source="user"), TextMessage(content="Hi Ana", source="bot")]

    async def chat() -> None:
        for _ in range(2):  # as after a restart: another agent, another recorder, the same conversation
            resumed = remembering(tmp_path)
            bot = WriteBack(agent(resumed, "Welcome back"), resumed, conversation="chat")
            await bot.run(task=history)

    asyncio.run(chat())

    assert said(tmp_path)[:3] == [
        ("user", "user", "Hello there"),
        ("assistant", "bot", "Hi Ana"),
        ("assistant", "bot", "Welcome back"),
    ]
    assert contents(tmp_path).count("Hello there") == 1
    assert memory.failures == 0


def test_a_task_that_is_not_put_out_is_kept_all_the_same(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    bot = WriteBack(agent(memory, "Noted."), memory)

    result = asyncio.run(
        bot.run(task="I drink tea.", output_task_messages=False, cancellation_token=CancellationToken())
    )

    assert len(result.messages) == 1
    assert contents(tmp_path) == ["I drink tea.", "Noted."]


def test_a_task_of_a_named_person_is_the_users_word(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    bot = WriteBack(agent(memory, "Noted."), memory)

    asyncio.run(bot.run(task=TextMessage(content="I drink tea.", source="ana")))

    assert said(tmp_path)[0] == ("user", "ana", "I drink tea.")


def test_what_was_asked_is_kept_even_if_the_run_fails(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    bot = AssistantAgent("bot", model_client=model("only one"), memory=[memory])

    async def chat() -> None:
        runner = WriteBack(bot, memory)
        await runner.run(task="The first question")
        await runner.run(task="The second question")  # the model has no answer left

    with pytest.raises(ValueError, match="No more mock responses"):
        asyncio.run(chat())

    assert contents(tmp_path) == ["The first question", "only one", "The second question"]


def test_a_stream_that_is_left_early_keeps_what_was_said_until_then(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    bot = WriteBack(agent(memory), memory)

    async def chat() -> None:
        stream = bot.run_stream(task="I drink tea.")
        async for _ in stream:
            break
        await stream.aclose()

    asyncio.run(chat())

    assert contents(tmp_path) == ["I drink tea."]


def test_tools_and_their_results_are_not_recorded(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    memory = remembering(tmp_path)
    bot = agent(memory, calls("recall", query="tea"), "It is tea.", tools=memory.tools)

    async def chat() -> None:
        runner = WriteBack(bot, memory)
        await runner.run(task="What does Ana drink?")  # ends with a summary of the tool's result
        await runner.run(task="So?")

    asyncio.run(chat())

    assert contents(tmp_path) == ["Ana drinks green tea", "What does Ana drink?", "So?", "It is tea."]


class Verdict(BaseModel):
    approved: bool


def test_pictures_structures_stops_and_empty_messages(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    bot = WriteBack(agent(memory, ""), memory)
    picture = Image(Picture.new("RGB", (1, 1)))
    task = [
        MultiModalMessage(content=["Look at this", picture], source="user"),
        MultiModalMessage(content=[picture], source="user"),
        StructuredMessage[Verdict](content=Verdict(approved=True), source="judge"),
        StopMessage(content="Enough", source="user"),
        TextMessage(content="", source="user"),
    ]

    asyncio.run(bot.run(task=task))

    assert contents(tmp_path) == ["Look at this", '{"approved":true}']
    assert memory.failures == 0


class Odd(TextMessage):
    def to_text(self) -> str:
        raise RuntimeError("cannot be told")


def test_a_message_that_cannot_be_read_costs_its_record_and_not_the_run(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    bot = WriteBack(agent(memory, "Noted."), memory)

    result = asyncio.run(bot.run(task=Odd(content="Hm", source="user")))

    assert result.messages[-1].to_text() == "Noted."
    assert memory.failures > 0


def test_an_empty_or_wrong_task_is_refused_as_the_agent_refuses_it(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    bot = WriteBack(agent(memory), memory)

    with pytest.raises(ValueError, match="empty"):
        asyncio.run(bot.run(task=[]))

    assert contents(tmp_path) == []


def test_a_team_is_recorded_once_with_its_people_and_agents(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    planner = agent(memory, "We deploy on Monday.", name="planner")
    person = UserProxyAgent("user_proxy", input_func=lambda _: "Tuesday would suit me better.")
    team = RoundRobinGroupChat([planner, person], termination_condition=MaxMessageTermination(3))

    asyncio.run(WriteBack(team, memory).run(task="When do we deploy?"))

    assert said(tmp_path) == [
        ("user", "user", "When do we deploy?"),
        ("assistant", "planner", "We deploy on Monday."),
        ("user", "user_proxy", "Tuesday would suit me better."),
    ]


def test_a_handoff_is_no_statement(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    first = agent(memory, calls("transfer_to_second"), name="first", handoffs=[Handoff(target="second")])
    second = agent(memory, "Done.", name="second")
    team = Swarm([first, second], termination_condition=TextMentionTermination("Done"))

    asyncio.run(WriteBack(team, memory).run(task="Please refund me."))

    assert contents(tmp_path) == ["Please refund me.", "Done."]


def test_extraction_keeps_what_is_durable_and_flushes_the_rest(tmp_path: Path) -> None:
    memory = remembering(tmp_path, recording=Recording(mode="extract", every=10))
    bot = WriteBack(agent(memory, "Fine.", "You are welcome."), memory)

    async def chat() -> None:
        await bot.run(task="I prefer concise answers.")
        await bot.run(task="Thanks a lot!")
        assert await bot.flush()

    asyncio.run(chat())

    assert [(item.kind, item.content) for item in kept(tmp_path)] == [("preference", "I prefer concise answers.")]


def test_a_plain_memory_can_be_written_back_to(tmp_path: Path) -> None:
    with opened(tmp_path) as ours:
        bot = AssistantAgent("bot", model_client=model("Noted, this is a long answer."))
        runner = WriteBack(bot, ours, recording=Recording(longer_than=20))

        async def chat() -> None:
            await runner.run(task="Short.")
            await runner.close()

        asyncio.run(chat())

        assert [item.content for item in ours.items()] == ["Noted, this is a long answer."]


def test_a_streaming_model_is_recorded_by_its_whole_messages(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    bot = agent(memory, "one two three", model_client_stream=True)

    asyncio.run(streamed(WriteBack(bot, memory), task="Count, please."))

    assert contents(tmp_path) == ["Count, please.", "one two three"]


def test_tool_calls_between_texts_break_nothing(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    replies: list[str | CreateResult] = [
        calls("remember", content="Ana drinks tea"),
        calls("recall", query="tea"),
        "Ok.",
    ]
    bot = agent(memory, *replies, tools=memory.tools, max_tool_iterations=5)

    asyncio.run(WriteBack(bot, memory).run(task="Remember that I drink tea."))

    assert sorted(contents(tmp_path)) == ["Ana drinks tea", "Ok.", "Remember that I drink tea."]
    assert memory.failures == 0

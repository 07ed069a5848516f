"""Agents of LangChain with a memory: what the model gets, what is recorded, what failures do."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.adapters.surface import check_surface
from tests.frameworks.modern.memory_down import WAYS, memory_that_is
from truekeep.adapters.common import AnyScopes
from truekeep.adapters.langgraph import FailOpen, Recording, TruekeepMiddleware, memory_tools

from .chat_model import OfflineModel, calling
from .moody import MoodySpaces

MARK = "<recalled-memory"
ASKED = "What does Ana drink?"


def middleware_on(folder: Path, scopes: AnyScopes = "ana", **options: Any) -> TruekeepMiddleware:
    return TruekeepMiddleware(spaces(folder, scopes), guard=patient(), **options)


def said(folder: Path, space: str = "ana") -> list[tuple[str | None, str | None, str]]:
    return [(item.source.speaker, item.source.role, item.content) for item in kept(folder, space)]


def thread(name: str, **more: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": name, **more}}


def ask(agent: Any, text: str, config: dict[str, Any] | None = None) -> str:
    return str(agent.invoke({"messages": [("user", text)]}, config)["messages"][-1].content)


@pytest.mark.parametrize("is_async", [False, True])
def test_the_model_gets_what_another_conversation_brought(tmp_path: Path, is_async: bool) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = OfflineModel.saying("Tea.")
    agent = create_agent(model, system_prompt="BASE", middleware=[middleware_on(tmp_path)])
    given = {"messages": [("user", ASKED)]}

    result = asyncio.run(agent.ainvoke(given)) if is_async else agent.invoke(given)

    assert result["messages"][-1].content == "Tea."
    assert model.system() == "BASE"
    assert model.asked().startswith(f"## Long-term memory\n{MARK}")
    assert "Ana drinks green tea" in model.asked()
    assert model.asked().endswith(f"\n\n{ASKED}")


def test_nothing_that_was_recalled_is_in_the_state_the_checkpoint_or_the_record(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    saver = InMemorySaver()
    model = OfflineModel.saying("Tea.", "Still tea.")
    agent = create_agent(model, middleware=[middleware_on(tmp_path)], checkpointer=saver)

    ask(agent, ASKED, thread("1"))
    ask(agent, "And now?", thread("1"))

    assert MARK in model.asked()
    assert MARK not in str(agent.get_state(thread("1")).values)
    assert not any(MARK in str(checkpoint) for checkpoint in saver.list(thread("1")))
    assert not any(MARK in content for _, _, content in said(tmp_path))


def test_each_message_is_recorded_once_with_its_speaker(tmp_path: Path) -> None:
    model = OfflineModel.saying("Noted.", "Noted.", "Noted.")
    agent = create_agent(model, name="bot", middleware=[middleware_on(tmp_path)], checkpointer=InMemorySaver())

    ask(agent, "I drink tea", thread("1"))
    agent.invoke({"messages": [HumanMessage("I drink tea", name="Ana")]}, thread("1"))
    asyncio.run(agent.ainvoke({"messages": [("user", "I drink tea")]}, thread("2")))

    bot, nobody = ("bot", "assistant", "Noted."), (None, "user", "I drink tea")
    assert said(tmp_path) == [nobody, bot, ("Ana", "user", "I drink tea"), bot, nobody, bot]
    assert [item.session for item in kept(tmp_path)] == ["1"] * 4 + ["2"] * 2


def test_a_history_that_the_caller_sends_again_is_recorded_once(tmp_path: Path) -> None:
    agent = create_agent(OfflineModel.saying("One.", "Two."), name="bot", middleware=[middleware_on(tmp_path)])
    first = [{"role": "user", "content": "I drink tea"}]

    agent.invoke({"messages": first})
    agent.invoke({"messages": [*first, {"role": "assistant", "content": "One.", "name": "bot"}, ("user", "More")]})

    assert [content for _, _, content in said(tmp_path)] == ["I drink tea", "One.", "More", "Two."]


def test_tool_calls_and_their_results_are_not_recorded(tmp_path: Path) -> None:
    model = OfflineModel.saying(calling("recall", query="tea"), "Done.")
    agent = create_agent(model, name="bot", middleware=[middleware_on(tmp_path)])

    ask(agent, "Look it up")

    assert said(tmp_path) == [(None, "user", "Look it up"), ("bot", "assistant", "Done.")]


@pytest.mark.parametrize("is_async", [False, True])
def test_the_model_can_use_the_tools(tmp_path: Path, is_async: bool) -> None:
    model = OfflineModel.saying(calling("remember", content="Ana drinks tea", kind="preference"), "Done.")
    agent = create_agent(model, middleware=[middleware_on(tmp_path, recording=Recording(mode=None))])
    given = {"messages": [("user", "Remember that")]}

    result = asyncio.run(agent.ainvoke(given)) if is_async else agent.invoke(given)

    assert model.tools == ["remember", "recall", "forget"]
    assert any(isinstance(one, ToolMessage) and "Memory stored" in one.content for one in result["messages"])
    assert [(item.kind, item.content) for item in kept(tmp_path)] == [("preference", "Ana drinks tea")]


def test_the_tools_work_on_their_own_with_descriptions_for_each_argument(tmp_path: Path) -> None:
    remember, recall, forget = memory_tools(spaces(tmp_path, "ana"))

    assert remember.invoke({"content": "Ana drinks tea"}).startswith("Memory stored")
    assert "] Ana drinks tea (id: " in asyncio.run(recall.ainvoke({"query": "tea"}))
    assert forget.invoke({"ids": ["Ana drinks tea"]}).startswith("Memory forgotten")
    assert all("description" in argument for argument in remember.args.values())


@pytest.mark.parametrize("is_async", [False, True])
def test_the_tools_have_the_surface_of_all_adapters(tmp_path: Path, is_async: bool) -> None:
    tools = {tool.name: tool for tool in memory_tools(spaces(tmp_path, "ana"))}

    def call(name: str, arguments: dict[str, Any]) -> str:
        asked = {"name": name, "args": arguments, "id": "1", "type": "tool_call"}
        answer = asyncio.run(tools[name].ainvoke(asked)) if is_async else tools[name].invoke(asked)
        return str(answer.content)

    shown = {name: convert_to_openai_tool(tool)["function"]["parameters"] for name, tool in tools.items()}
    with opened(tmp_path) as memory:
        check_surface(call, shown, memory)


def test_without_tools_and_injection_only_the_record_is_left(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = OfflineModel.saying("Hm.")
    agent = create_agent(model, system_prompt="BASE", middleware=[middleware_on(tmp_path, inject=False, tools=False)])

    ask(agent, ASKED)

    assert (model.system(), model.asked(), model.tools) == ("BASE", ASKED, [])
    assert len(kept(tmp_path)) == 3


def test_what_the_model_sees_anyway_is_not_repeated(tmp_path: Path) -> None:
    model = OfflineModel.saying("Noted.", "Tea.")
    agent = create_agent(model, middleware=[middleware_on(tmp_path)], checkpointer=InMemorySaver())
    ask(agent, "Ana drinks green tea", thread("1"))

    ask(agent, ASKED, thread("1"))

    assert model.asked() == ASKED


def test_messages_of_parts_keep_them(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = OfflineModel.saying("Tea.")
    cached = {"type": "text", "text": "BASE", "cache_control": {"type": "ephemeral"}}
    agent = create_agent(model, system_prompt=SystemMessage([cached]), middleware=[middleware_on(tmp_path)])

    picture = {"type": "image", "url": "https://example.com/cup.png"}
    agent.invoke({"messages": [HumanMessage([{"type": "text", "text": ASKED}, picture])]})

    system, asked = model.shown[-1]
    assert system.content == [cached]
    assert MARK in asked.content[0]["text"]
    assert asked.content[1:] == [{"type": "text", "text": ASKED}, picture]


def test_between_tool_calls_the_block_stays_where_it_was(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = OfflineModel.saying(calling("recall", query="tea"), calling("recall", query="cup"), "Tea.")
    agent = create_agent(model, system_prompt="BASE", middleware=[middleware_on(tmp_path)])

    ask(agent, ASKED)

    first, second, third = ([(one.type, one.content) for one in shown] for shown in model.shown)
    assert MARK in first[-1][1]
    assert second[: len(first)] == first
    assert third[: len(second)] == second


def test_what_was_recalled_is_announced_once_a_turn(tmp_path: Path) -> None:
    opened(tmp_path).remember_many(["Ana drinks green tea", "Ana drinks from a cup", "Ana drinks at noon"])
    model = OfflineModel.saying(calling("recall", query="tea"), "Tea.")
    agent = create_agent(model, middleware=[middleware_on(tmp_path, announce=True)])

    told = [*agent.stream({"messages": [("user", ASKED)]}, stream_mode="custom")]

    assert told == ["recalled 3 memories"]


def test_each_user_has_a_memory_of_their_own(tmp_path: Path) -> None:
    memory = middleware_on(tmp_path, lambda: f"user:{get_config()['configurable']['user']}")
    model = OfflineModel.saying("Noted.", calling("remember", content="Ben drinks beer"), "Noted.", "Hm.")
    agent = create_agent(model, middleware=[memory], checkpointer=InMemorySaver())

    ask(agent, "Ana drinks green tea", thread("1", user="ana"))
    asyncio.run(agent.ainvoke({"messages": [("user", "Remember my drink")]}, thread("2", user="ben")))
    ask(agent, "Who drinks green tea?", thread("3", user="ben"))

    assert "Who drinks" in model.asked()
    assert "Ana" not in model.asked()
    assert "Ben drinks beer" in [content for _, _, content in said(tmp_path, "user:ben")]
    assert [content for _, _, content in said(tmp_path, "user:ana")] == ["Ana drinks green tea", "Noted."]


def test_where_nobody_says_whose_memory_it_is_the_run_goes_on(tmp_path: Path) -> None:
    memory = middleware_on(tmp_path, lambda: get_config()["configurable"]["user"])
    agent = create_agent(OfflineModel.saying("Hello."), middleware=[memory])

    assert ask(agent, "Hi") == "Hello."
    assert memory.failures == 2


def test_a_stream_of_tokens_stays_one(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = OfflineModel.saying("Green tea it is")
    agent = create_agent(model, middleware=[middleware_on(tmp_path)])

    parts = [
        part.content
        for part, _ in agent.stream({"messages": [("user", ASKED)]}, stream_mode="messages")
        if isinstance(part, AIMessage)
    ]

    assert len(parts) > 1
    assert "".join(map(str, parts)).startswith("Green tea it is")
    assert ("Green tea it is") in [content for _, _, content in said(tmp_path)]


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_is_away_ends_no_run(tmp_path: Path, way: str) -> None:
    with memory_that_is(way, tmp_path) as away:
        memory = TruekeepMiddleware(away, guard=FailOpen(deadline=0.2, tolerance=99))
        agent = create_agent(OfflineModel.saying("Hello."), middleware=[memory])

        assert ask(agent, "Hi") == "Hello."
        assert memory.failures >= 1  # a locked store can still be read


def test_what_could_not_be_recorded_is_recorded_later(tmp_path: Path) -> None:
    moody = MoodySpaces.at(tmp_path)
    memory = TruekeepMiddleware(moody, guard=patient(tolerance=99))
    agent = create_agent(OfflineModel.saying("One.", "Two."), name="bot", middleware=[memory])
    moody.is_away = True
    ask(agent, "First", thread("1"))
    moody.is_away = False

    ask(agent, "Second", thread("1"))

    assert [content for _, _, content in said(tmp_path)] == ["First", "One.", "Second", "Two."]

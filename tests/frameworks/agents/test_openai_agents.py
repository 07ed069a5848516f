"""Agents of the OpenAI Agents SDK with a memory: what the model gets, what is kept, what failures do."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, function_tool, handoff, set_tracing_disabled
from agents.memory import Session, SessionSettings

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.adapters.surface import check_surface
from tests.frameworks.modern.memory_down import WAYS, memory_that_is
from truekeep.adapters.common import AnyScopes
from truekeep.adapters.openai_agents import (
    FailOpen,
    Recording,
    Spaces,
    TruekeepInstructions,
    TruekeepRecall,
    TruekeepSession,
    current_context,
    memory_tools,
)

from .agents_model import OfflineModel, calling
from .moody import MoodySpaces

MARK = "<recalled-memory"
ASKED = "What does Ana drink?"


@pytest.fixture(autouse=True)
def _offline() -> None:
    set_tracing_disabled(True)


@dataclass
class User:
    name: str


def session_on(folder: Path, name: str = "monday", **options: Any) -> TruekeepSession:
    return TruekeepSession(name, spaces(folder, "ana"), guard=patient(), **options)


def recalling(folder: Path, base: Any = "BASE", scopes: AnyScopes = "ana") -> TruekeepInstructions:
    return TruekeepInstructions(spaces(folder, scopes), base, guard=patient())


def filtering(folder: Path, scopes: AnyScopes = "ana") -> RunConfig:
    return RunConfig(call_model_input_filter=TruekeepRecall(spaces(folder, scopes), guard=patient()))


def said(folder: Path, space: str = "ana") -> list[tuple[str | None, str | None, str]]:
    return [(item.source.speaker, item.source.role, item.content) for item in kept(folder, space)]


def run(agent: Agent[Any], given: Any, **options: Any) -> str:
    return str(asyncio.run(Runner.run(agent, given, **options)).final_output)


def test_it_is_a_session(tmp_path: Path) -> None:
    assert isinstance(session_on(tmp_path), Session)


def test_the_model_gets_what_another_session_brought(tmp_path: Path) -> None:
    first = Agent(name="bot", instructions="BASE", model=OfflineModel("Noted."))
    run(first, "Ana drinks green tea", session=session_on(tmp_path), run_config=filtering(tmp_path))
    model = OfflineModel("Tea.")
    second, tuesday = Agent(name="bot", instructions="BASE", model=model), session_on(tmp_path, "tuesday")

    assert run(second, ASKED, session=tuesday, run_config=filtering(tmp_path)) == "Tea."

    assert model.system == "BASE"
    block, asked = (item["content"] for item in model.shown[-1][1])
    assert block.startswith(f"## Long-term memory\n{MARK}")
    assert "Ana drinks green tea" in block
    assert asked == ASKED
    assert MARK not in str(asyncio.run(tuesday.get_items()))


def test_instructions_may_recall_instead(tmp_path: Path) -> None:
    first = Agent(name="bot", instructions=recalling(tmp_path), model=OfflineModel("Noted."))
    run(first, "Ana drinks green tea", session=session_on(tmp_path))
    model = OfflineModel("Tea.")
    second = Agent(name="bot", instructions=recalling(tmp_path), model=model)

    assert run(second, ASKED, session=session_on(tmp_path, "tuesday")) == "Tea."

    assert model.system.startswith(f"BASE\n\n## Long-term memory\n{MARK}")
    assert "Ana drinks green tea" in model.system
    assert [item["content"] for item in model.shown[-1][1]] == [ASKED]


def test_a_session_goes_on_where_another_process_left_it(tmp_path: Path) -> None:
    run(Agent(name="bot", model=OfflineModel("One.")), "first", session=session_on(tmp_path))
    model = OfflineModel("Two.")

    run(Agent(name="bot", model=model), "second", session=session_on(tmp_path))

    first, reply, second = model.shown[-1][1]
    assert (first["content"], second["content"]) == ("first", "second")
    assert reply["content"][0]["text"] == "One."


def test_items_come_back_as_they_were_with_calls_and_results(tmp_path: Path) -> None:
    @function_tool
    def look(number: int) -> str:
        return f"result {number}"

    agent = Agent(name="bot", model=OfflineModel(calling("look", number=7), "Done."), tools=[look])

    run(agent, "Look it up", session=session_on(tmp_path))

    items = asyncio.run(session_on(tmp_path).get_items())
    assert [item.get("type", "message") for item in items] == [
        "message",
        "function_call",
        "function_call_output",
        "message",
    ]
    assert said(tmp_path) == [(None, "user", "Look it up"), (None, "assistant", "Done.")]


def test_each_message_is_recorded_once_with_its_speaker(tmp_path: Path) -> None:
    session = session_on(tmp_path)
    agent = Agent(name="bot", model=OfflineModel("Noted.", "Noted."))

    for _ in range(2):
        run(agent, "I drink tea", session=session, hooks=session.hooks)

    assert said(tmp_path) == [(None, "user", "I drink tea"), ("bot", "assistant", "Noted.")] * 2
    assert {item.session for item in kept(tmp_path)} == {"monday"}


def test_agents_that_hand_over_are_told_apart(tmp_path: Path) -> None:
    session = session_on(tmp_path)
    expert = Agent(name="expert", model=OfflineModel("It is 42."))
    host = Agent(name="host", model=OfflineModel(calling("transfer_to_expert")), handoffs=[handoff(expert)])

    run(host, "What is it?", session=session, hooks=session.hooks)

    assert said(tmp_path) == [(None, "user", "What is it?"), ("expert", "assistant", "It is 42.")]


def test_nothing_that_was_recalled_is_stored(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    session = session_on(tmp_path)
    block = asyncio.run(recalling(tmp_path).remembering.aio.block("tea"))

    def merge(history: list[Any], new: list[Any]) -> list[Any]:
        return [*history, {"role": "developer", "content": block}, *new]

    agent = Agent(name="bot", instructions=recalling(tmp_path), model=OfflineModel("Tea."))
    run(
        agent, [{"role": "user", "content": ASKED}], session=session, run_config=RunConfig(session_input_callback=merge)
    )

    assert MARK in block
    assert MARK not in str(asyncio.run(session.get_items()))
    assert not any(MARK in content for _, _, content in said(tmp_path))


def test_what_the_model_sees_anyway_is_not_repeated(tmp_path: Path) -> None:
    model = OfflineModel("Noted.", "Tea.")
    agent = Agent(name="bot", instructions=recalling(tmp_path), model=model)
    run(agent, "Ana drinks green tea", session=session_on(tmp_path))

    run(agent, ASKED, session=session_on(tmp_path))

    assert model.system == "BASE"


def test_between_tool_calls_the_block_stays_where_it_was(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = OfflineModel(calling("recall", query="food"), "Tea.")
    agent = Agent(name="bot", model=model, tools=memory_tools(spaces(tmp_path, "ana")))

    run(agent, ASKED, run_config=filtering(tmp_path))

    first, second = (input for _, input in model.shown)
    assert MARK in str(first)
    assert second[: len(first)] == first


def test_the_question_stays_the_same_through_a_turn_with_tools(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = OfflineModel(calling("recall", query="food"), "Tea.")
    agent = Agent(
        name="bot", instructions=recalling(tmp_path), model=model, tools=memory_tools(spaces(tmp_path, "ana"))
    )

    run(agent, ASKED)

    assert len(model.shown) == 2
    assert model.shown[0][0] == model.shown[1][0]


def test_instructions_may_be_a_function_of_either_kind(tmp_path: Path) -> None:
    async def later(context: Any, agent: Agent[Any]) -> str:
        return f"I am {agent.name}"

    def now(context: Any, agent: Agent[Any]) -> str:
        return f"I am {agent.name}"

    for base in (later, now):
        model = OfflineModel("Hm.")
        run(Agent(name="bot", instructions=recalling(tmp_path, base), model=model), "Hi")
        assert model.system == "I am bot"


def test_each_user_has_a_memory_of_their_own(tmp_path: Path) -> None:
    each = spaces(tmp_path, lambda: f"user:{current_context().context.name}")
    model = OfflineModel(calling("remember", content="Ana drinks green tea"), "Noted.", "Tea.", "Hm.")
    recall = RunConfig(call_model_input_filter=TruekeepRecall(each, guard=patient()))
    agent = Agent[User](
        name="bot",
        instructions=TruekeepInstructions(each, guard=patient()),
        model=model,
        tools=memory_tools(each),
    )

    run(agent, "Remember my drink", context=User("ana"), run_config=recall)
    run(agent, "Who drinks green tea?", context=User("ana"), run_config=recall)
    assert "Ana drinks green tea" in model.system
    assert "Ana drinks green tea" in model.above

    run(agent, "Who drinks green tea?", context=User("ben"), run_config=recall)
    assert model.system == model.above == ""
    assert said(tmp_path, "user:ben") == []


def test_tools_answer_a_model_that_calls_them_wrongly(tmp_path: Path) -> None:
    model = OfflineModel(calling("remember", wrong=1), "Sorry.")
    agent = Agent(name="bot", model=model, tools=memory_tools(spaces(tmp_path, "ana")))

    assert run(agent, "Remember that") == "Sorry."

    assert "That did not work" in model.shown[-1][1][-1]["output"]


def test_the_tools_have_the_surface_of_all_adapters(tmp_path: Path) -> None:
    tools = memory_tools(spaces(tmp_path, "ana"))

    def call(name: str, arguments: dict[str, Any]) -> str:
        model = OfflineModel(calling(name, **arguments), "Done.")
        run(Agent(name="bot", model=model, tools=tools), "Use it.")
        return str(model.shown[-1][1][-1]["output"])

    with opened(tmp_path) as memory:
        check_surface(call, {tool.name: tool.params_json_schema for tool in tools}, memory)


def test_a_streamed_run_is_kept_just_the_same(tmp_path: Path) -> None:
    async def stream() -> None:
        agent = Agent(name="bot", instructions=recalling(tmp_path), model=OfflineModel("Noted."))
        result = Runner.run_streamed(agent, "I drink tea", session=session_on(tmp_path), run_config=filtering(tmp_path))
        async for _ in result.stream_events():
            pass

    asyncio.run(stream())

    assert [content for _, _, content in said(tmp_path)] == ["I drink tea", "Noted."]
    assert len(asyncio.run(session_on(tmp_path).get_items())) == 2


def items(*texts: str) -> list[Any]:
    return [{"role": "user", "content": text} for text in texts]


def test_limits_pop_and_clear_do_as_the_sdk_wants(tmp_path: Path) -> None:
    async def use() -> list[Any]:
        session = session_on(tmp_path)
        await session.add_items(items("a", "b"))
        await session.add_items(items("c"))
        found = [await session.get_items(2), await session.pop_item(), await session.get_items()]
        limited = session_on(tmp_path, session_settings=SessionSettings(limit=1))
        found += [await limited.get_items(), await limited.get_items(0)]
        await session.pop_item()
        await session.pop_item()
        found += [await session.pop_item(), await session.get_items()]
        await session.add_items(items("d"))
        await session.clear_session()
        return [*found, await session.get_items()]

    assert asyncio.run(use()) == [items("b", "c"), *items("c"), items("a", "b"), items("b"), [], None, [], []]
    assert [content for _, _, content in said(tmp_path)] == ["a", "b", "c", "d"]  # what was remembered stays


def test_recording_can_be_left_out(tmp_path: Path) -> None:
    session = session_on(tmp_path, recording=Recording(mode=None))

    asyncio.run(session.add_items(items("a")))

    assert kept(tmp_path) == []
    assert asyncio.run(session.get_items()) == items("a")


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_is_away_ends_no_run(tmp_path: Path, way: str) -> None:
    with memory_that_is(way, tmp_path) as away:
        guard = FailOpen(deadline=0.2, tolerance=99)
        session = TruekeepSession("monday", away, guard=guard)
        agent = Agent(
            name="bot",
            instructions=TruekeepInstructions(away, "BASE", guard=guard),
            model=OfflineModel(calling("recall", query="x"), "Hello."),
            tools=memory_tools(away),
        )

        recall = TruekeepRecall(away, guard=guard)

        assert run(agent, "Hi", session=session, run_config=RunConfig(call_model_input_filter=recall)) == "Hello."
        assert session.failures >= 1


def test_what_could_not_be_saved_is_saved_in_order_later(tmp_path: Path) -> None:
    moody = MoodySpaces.at(tmp_path)
    session = TruekeepSession("monday", moody, guard=patient(tolerance=99))
    moody.is_away = True
    asyncio.run(session.add_items(items("a")))
    assert asyncio.run(session.get_items()) == items("a")
    moody.is_away = False

    asyncio.run(session.add_items(items("b")))

    assert asyncio.run(session_on(tmp_path).get_items()) == items("a", "b")
    assert [content for _, _, content in said(tmp_path)] == ["a", "b"]


def test_close_deletes_nothing_and_no_key_is_shown(tmp_path: Path) -> None:
    session = session_on(tmp_path)
    asyncio.run(session.add_items(items("a")))

    asyncio.run(session.close())

    assert asyncio.run(session_on(tmp_path).get_items()) == items("a")
    served = TruekeepSession("monday", Spaces("ana", at="https://memory.invalid", key="tk_verysecret"))
    assert "verysecret" not in f"{served!r} {vars(served)!r}"

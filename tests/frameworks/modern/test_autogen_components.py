"""Agents with their memory and tools are dumped and loaded, without any secret."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_core import CancellationToken
from autogen_core.memory import Memory as AutoGenMemory
from autogen_core.memory import MemoryContent

from tests.adapters.surface import check_surface
from truekeep import ConfigurationError, Memory
from truekeep.adapters.autogen import FailOpen, Recalling, Recording, Scopes, Spaces, TruekeepMemory
from truekeep.testing.fakes import FakeEmbedder

from .autogen_parts import agent, calls, contents, kept, model, opened, received, remembering, text

SECRET = "tk_tell-nobody"


def reloaded(memory: TruekeepMemory) -> TruekeepMemory:
    """As another process would load it: from text."""
    return AutoGenMemory.load_component(json.loads(memory.dump_component().model_dump_json()))


def test_a_loaded_memory_is_configured_like_the_dumped_one() -> None:
    memory = TruekeepMemory(
        Spaces(Scopes(read=["ana", "team"], write="ana"), at="memory.db", extractor="rules"),
        inject="merge",
        announce=True,
        recalling=Recalling(max_tokens=300, limit=3, heading="# Notes", filters={"kinds": ["-interaction"]}),
        recording=Recording(mode="extract", every=4, longer_than=2, kind="note", tags=["a"], ttl=60.0, skip=["tool"]),
        guard=FailOpen(deadline=0.5),
    )

    again = reloaded(memory)

    assert again.dump_component() == memory.dump_component()
    assert again.remembering.plans.recalling == memory.remembering.plans.recalling
    assert again.remembering.spaces.given() == memory.remembering.spaces.given()


def test_nothing_recorded_and_nothing_written_stay_so() -> None:
    memory = TruekeepMemory(Spaces(Scopes(read="ana")), recording=Recording(mode=None))

    again = reloaded(memory)

    assert again.remembering.plans.recording.mode is None
    assert again.remembering.spaces.scopes() == Scopes(read="ana")


@pytest.mark.parametrize("at", ["https://memory.example.org", f"https://agent:{SECRET}@memory.example.org"])
def test_the_access_key_is_not_dumped_and_comes_from_the_environment(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = None if SECRET in at else SECRET
    memory = TruekeepMemory(Spaces("ana", at=at, key=key), key_variable="ANAS_KEY")
    bot = AssistantAgent("bot", model_client=model(), memory=[memory], tools=memory.tools)

    dumped = bot.dump_component().model_dump_json()
    monkeypatch.setenv("ANAS_KEY", SECRET)
    _, options = reloaded(memory).remembering.spaces.given()

    assert SECRET not in dumped
    assert "ANAS_KEY" in dumped
    assert (options["at"], options["key"]) == ("https://memory.example.org", SECRET)


def test_a_key_that_is_not_set_is_asked_for_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUEKEEP_KEY", raising=False)
    memory = TruekeepMemory(Spaces("ana", at="https://memory.example.org", key=SECRET))

    with pytest.raises(ConfigurationError, match="set TRUEKEEP_KEY"):
        reloaded(memory)


@pytest.mark.parametrize(
    ("memory", "problem"),
    [
        (Spaces(lambda: "ana"), "function chooses"),
        (Spaces("ana", embedder=FakeEmbedder()), "embedder= is an object"),
        (Spaces("ana", at="postgresql://me:secret@db/memory"), "password"),
    ],
)
def test_what_cannot_be_written_down_is_said(memory: Spaces, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        TruekeepMemory(memory).dump_component()


def test_an_open_memory_cannot_be_written_down(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, pytest.raises(ConfigurationError, match="open already"):
        TruekeepMemory(memory).dump_component()


def test_a_tokeniser_cannot_be_written_down() -> None:
    with pytest.raises(ConfigurationError, match="count_tokens"):
        TruekeepMemory("ana", recalling=Recalling(count_tokens=len)).dump_component()


@pytest.mark.timeout(120)
def test_a_loaded_agent_remembers_with_its_tools(tmp_path: Path) -> None:
    memory = TruekeepMemory(Spaces("ana", at=str(tmp_path / "memory.db")))
    replies = [calls("remember", content="Ana drinks green tea"), "Noted."]
    bot = AssistantAgent("bot", model_client=model(*replies), memory=[memory], tools=memory.tools)
    dumped = json.loads(bot.dump_component().model_dump_json())

    async def chat() -> None:
        loaded: Any = AssistantAgent.load_component({**dumped, "config": {**dumped["config"], "memory": None}})
        loaded._model_client = model(*replies)  # a replay does not dump its tool calls
        await loaded.run(task="I drink green tea.")
        again: Any = AssistantAgent.load_component(dumped)
        again._model_client = model("Tea.")
        await again.run(task="What does Ana drink?")
        assert "green tea" in text(received(again))

    asyncio.run(chat())

    with Memory("ana", at=tmp_path / "memory.db") as ours:
        assert [item.content for item in ours.items()] == ["Ana drinks green tea"]


def test_the_tools_are_described_for_a_model(tmp_path: Path) -> None:
    tools = {tool.name: tool.schema for tool in remembering(tmp_path).tools}

    assert list(tools) == ["remember", "recall", "forget"]
    assert tools["recall"]["parameters"]["required"] == ["query"]
    assert "question or a topic" in tools["recall"]["parameters"]["properties"]["query"]["description"]


def test_a_model_remembers_recalls_and_forgets(tmp_path: Path) -> None:
    remember, recall, forget = remembering(tmp_path).tools

    async def use() -> list[str]:
        token = CancellationToken()
        stored = await remember.run_json({"content": "Ana drinks green tea", "kind": "preference"}, token)
        found = await recall.run_json({"query": "tea"}, token)
        gone = await forget.run_json({"ids": ["Ana drinks green tea"]}, token)
        return [stored, found, gone, await recall.run_json({"query": "tea"}, token)]

    stored, found, gone, nothing = asyncio.run(use())

    assert stored.startswith("Memory stored (id: ")
    assert "] Ana drinks green tea (id: " in found
    assert gone.startswith("Memory forgotten (id: ")
    assert nothing == "No relevant memories found."


def test_the_tools_have_the_surface_of_all_adapters(tmp_path: Path) -> None:
    tools = {tool.name: tool for tool in remembering(tmp_path).tools}

    def call(name: str, arguments: dict[str, Any]) -> str:
        answer: str = asyncio.run(tools[name].run_json(arguments, CancellationToken()))
        return answer

    with opened(tmp_path) as memory:
        check_surface(call, {name: tool.schema["parameters"] for name, tool in tools.items()}, memory)


def test_a_tool_call_in_a_run_reaches_the_memory(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    bot = agent(memory, calls("remember", content="Ana drinks green tea", kind="preference"), tools=memory.tools)

    result = asyncio.run(bot.run(task="I like green tea."))

    assert "Memory stored" in result.messages[-1].to_text()
    assert contents(tmp_path) == ["Ana drinks green tea"]
    assert kept(tmp_path)[0].kind == "preference"


def test_an_item_without_metadata_can_be_added(tmp_path: Path) -> None:
    memory = remembering(tmp_path)

    asyncio.run(memory.add(MemoryContent(content="x", mime_type="text/plain", metadata={"tags": 3, "kind": None})))

    assert kept(tmp_path)[0].metadata == {"tags": 3, "kind": None}

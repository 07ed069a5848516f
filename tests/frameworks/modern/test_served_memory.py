"""AutoGen, AG2 and the Agent Framework with a memory behind a real server, which goes away and comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from ag2 import Agent as Ag2Agent
from ag2.testing import TestConfig, TrackingConfig
from agent_framework import Agent
from autogen_agentchat.agents import AssistantAgent

from tests.frameworks.live import (
    ROOT,
    TOLD,
    LiveServer,
    answer_without_a_server,
    example,
    know_across_processes,
    live_through_an_outage,
    patient,
)
from truekeep.adapters.ag2 import TruekeepPlugin
from truekeep.adapters.agent_framework import TruekeepContextProvider
from truekeep.adapters.autogen import TruekeepMemory, WriteBack

from .autogen_parts import model, received, text
from .offline_client import OfflineClient

EXAMPLES = ("ag2/remember_across_processes.py", "agent_framework/remember_across_processes.py")
AUTOGEN = str(ROOT / "tests" / "frameworks" / "modern" / "served_autogen.py")
REPLIES = [f"Answer {number}." for number in range(1, 5)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_one_process_tells_the_server_and_another_one_knows(live: LiveServer, tmp_path: Path, name: str) -> None:
    know_across_processes(live, name, tmp_path)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_process_whose_server_is_gone_answers_all_the_same(live: LiveServer, tmp_path: Path, name: str) -> None:
    answer_without_a_server(live, name, tmp_path)


def test_with_autogen_another_process_knows_and_without_a_server_it_answers(live: LiveServer, tmp_path: Path) -> None:
    def process(space: str, said: str) -> str:
        return example(AUTOGEN, live.address, space, said, folder=tmp_path)

    process("ana", "My dog is called Rex, and he is afraid of thunder.")
    known, stranger = (process(space, "What is my dog called?") for space in ("ana", "ben"))
    live.stop()
    alone = process("ana", "What is my dog called?")

    assert "called Rex" in known
    assert "Rex" not in stranger
    assert "assistant: I see." in alone
    assert "Rex" not in alone


def test_autogen_lives_through_an_outage(live: LiveServer) -> None:
    guard, replies = patient(), iter(REPLIES)
    memory = TruekeepMemory(live.spaces(), guard=guard)

    def talk(said: str) -> tuple[str, str]:
        client = model(next(replies))
        agent = AssistantAgent("bot", model_client=client, memory=[memory])
        result = asyncio.run(WriteBack(agent, memory).run(task=said))
        return result.messages[-1].to_text(), text(received(client))

    live_through_an_outage(live, guard, talk)
    assert memory.remembering.flush(60)

    assert [content for _, _, content in live.said() if content.startswith("And what")]  # said while it was away


def test_ag2_lives_through_an_outage(live: LiveServer) -> None:
    guard, replies = patient(), iter(REPLIES)
    plugin = TruekeepPlugin(live.spaces(), guard=guard)

    def talk(said: str) -> tuple[str, str]:
        config = TrackingConfig(TestConfig(next(replies)))
        reply = asyncio.run(Ag2Agent("bot", "BASE", config=config, plugins=[plugin]).ask(said))
        return str(reply.body), str(config.mock.call_args.args[0].parts[0].content)

    live_through_an_outage(live, guard, talk)
    assert asyncio.run(plugin.flush(60))

    said = live.said()
    assert said[:2] == [(None, "user", TOLD), ("bot", "assistant", "Answer 1.")]
    assert ("bot", "assistant", "Answer 3.") in said  # said while it was away


def test_the_agent_framework_lives_through_an_outage(live: LiveServer) -> None:
    guard, replies = patient(), iter(REPLIES)
    provider = TruekeepContextProvider(live.spaces(), guard=guard)

    def talk(said: str) -> tuple[str, str]:
        client = OfflineClient(next(replies))
        reply = asyncio.run(Agent(client, "BASE", name="bot", context_providers=[provider]).run(said))
        return reply.text, client.shown()

    live_through_an_outage(live, guard, talk)
    assert asyncio.run(provider.flush(60))

    said = live.said()
    assert said[:2] == [(None, "user", TOLD), ("bot", "assistant", "Answer 1.")]
    assert ("bot", "assistant", "Answer 3.") in said

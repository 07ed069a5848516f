"""LangGraph and the OpenAI Agents SDK with a memory behind a real server, which goes away and comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from agents import Agent, RunConfig, Runner, set_tracing_disabled
from langchain.agents import create_agent

from tests.frameworks.live import (
    TOLD,
    LiveServer,
    answer_without_a_server,
    know_across_processes,
    live_through_an_outage,
    patient,
)
from truekeep.adapters.langgraph import TruekeepMiddleware, TruekeepStore
from truekeep.adapters.openai_agents import TruekeepRecall, TruekeepSession

from . import agents_model, chat_model

EXAMPLES = ("langgraph/remember_across_processes.py", "openai_agents/remember_across_processes.py")
REPLIES = [f"Answer {number}." for number in range(1, 5)]


@pytest.fixture(autouse=True)
def _offline() -> None:
    set_tracing_disabled(True)


@pytest.mark.parametrize("name", EXAMPLES)
def test_one_process_tells_the_server_and_another_one_knows(live: LiveServer, tmp_path: Path, name: str) -> None:
    know_across_processes(live, name, tmp_path)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_process_whose_server_is_gone_answers_all_the_same(live: LiveServer, tmp_path: Path, name: str) -> None:
    answer_without_a_server(live, name, tmp_path)


def test_langgraph_lives_through_an_outage(live: LiveServer) -> None:
    guard, replies = patient(), iter(REPLIES)
    memory = TruekeepMiddleware(live.spaces(), guard=guard)

    def talk(said: str) -> tuple[str, str]:
        model = chat_model.OfflineModel.saying(next(replies))
        agent = create_agent(model, system_prompt="BASE", name="bot", middleware=[memory])
        return str(agent.invoke({"messages": [("user", said)]})["messages"][-1].content), model.asked()

    live_through_an_outage(live, guard, talk)
    assert memory.flush(60)

    said = live.said()
    assert said[:2] == [(None, "user", TOLD), ("bot", "assistant", "Answer 1.")]
    assert ("bot", "assistant", "Answer 3.") in said  # said while it was away


def test_the_openai_agents_live_through_an_outage(live: LiveServer) -> None:
    guard, replies, sessions = patient(), iter(REPLIES), iter(range(100))
    spaces = live.spaces()
    config = RunConfig(call_model_input_filter=TruekeepRecall(spaces, guard=guard))

    def talk(said: str) -> tuple[str, str]:
        model = agents_model.OfflineModel(next(replies))
        agent = Agent(name="bot", instructions="BASE", model=model)
        session = TruekeepSession(f"session {next(sessions)}", spaces, guard=guard)
        running = Runner.run(agent, said, session=session, hooks=session.hooks, run_config=config)
        return str(asyncio.run(running).final_output), model.above

    live_through_an_outage(live, guard, talk)

    assert live.said()[:2] == [(None, "user", TOLD), ("bot", "assistant", "Answer 1.")]


def test_a_store_of_langgraph_lives_on_the_server(live: LiveServer) -> None:
    one, other = (TruekeepStore(live.spaces("store"), guard=patient()) for _ in range(2))

    one.put(("users", "ana"), "profile", {"tone": "concise"})

    found = other.get(("users", "ana"), "profile")
    assert found is not None
    assert found.value == {"tone": "concise"}
    assert other.get(("users", "ben"), "profile") is None

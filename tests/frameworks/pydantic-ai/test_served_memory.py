"""Pydantic AI with a memory behind a real server, which goes away and comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic_ai import Agent

from tests.frameworks.live import (
    TOLD,
    LiveServer,
    answer_without_a_server,
    know_across_processes,
    live_through_an_outage,
    patient,
)
from truekeep.adapters.pydantic_ai import TruekeepCapability

from .offline_model import OfflineModel

EXAMPLE = "pydantic_ai/remember_across_processes.py"


def test_one_process_tells_the_server_and_another_one_knows(live: LiveServer, tmp_path: Path) -> None:
    know_across_processes(live, EXAMPLE, tmp_path)


def test_a_process_whose_server_is_gone_answers_all_the_same(live: LiveServer, tmp_path: Path) -> None:
    answer_without_a_server(live, EXAMPLE, tmp_path)


def test_an_agent_lives_through_an_outage(live: LiveServer) -> None:
    guard, replies = patient(), iter(f"Answer {number}." for number in range(1, 5))
    memory = TruekeepCapability(live.spaces(), guard=guard)

    def talk(said: str) -> tuple[str, str]:
        model = OfflineModel(next(replies))
        agent = Agent(model.model, name="bot", capabilities=[memory])
        return asyncio.run(agent.run(said)).output, str(model.prompts)

    live_through_an_outage(live, guard, talk)
    assert memory.remembering.flush(60)

    said = live.said()
    assert said[:2] == [(None, "user", TOLD), ("bot", "assistant", "Answer 1.")]
    assert ("bot", "assistant", "Answer 3.") in said  # said while it was away

"""Hermes with a memory behind a real server, which goes away and comes back."""

from __future__ import annotations

from pathlib import Path

from tests.frameworks.live import (
    TOLD,
    LiveServer,
    answer_without_a_server,
    know_across_processes,
    live_through_an_outage,
    patient,
)
from truekeep.adapters.hermes import TruekeepMemoryProvider

from .offline_agent import hermes, running

EXAMPLE = "hermes/remember_across_processes.py"


def test_one_process_tells_the_server_and_another_one_knows(live: LiveServer, tmp_path: Path) -> None:
    know_across_processes(live, EXAMPLE, tmp_path)


def test_a_process_whose_server_is_gone_answers_all_the_same(live: LiveServer, tmp_path: Path) -> None:
    answer_without_a_server(live, EXAMPLE, tmp_path)


def test_an_agent_lives_through_an_outage(live: LiveServer, home: Path) -> None:
    guard = patient()
    provider = TruekeepMemoryProvider(live.spaces(), guard=guard)
    with running(*(f"Answer {number}." for number in range(1, 5))) as model:

        def talk(said: str) -> tuple[str, str]:
            agent = hermes(model, provider=provider)
            reply = agent.run_conversation(said)["final_response"]
            agent._memory_manager.flush_pending(60)
            return str(reply), model.prompt

        live_through_an_outage(live, guard, talk)
    provider.on_session_end([])

    said = live.said()
    assert said[:2] == [(None, "user", TOLD), ("hermes", "assistant", "Answer 1.")]
    assert ("hermes", "assistant", "Answer 3.") in said  # said while it was away

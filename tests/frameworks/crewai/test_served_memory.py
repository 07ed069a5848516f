"""Crews with a memory behind a real server, which goes away and comes back."""

from __future__ import annotations

from pathlib import Path

from tests.frameworks.live import LiveServer, example, patient
from truekeep.adapters.crewai import memory_tools

from .offline_llm import OfflineLLM, crew_of, done, using

EXAMPLE = "crewai/remember_across_processes.py"


def test_one_process_tells_the_server_and_another_one_knows(live: LiveServer, tmp_path: Path) -> None:
    first, second, stranger = (
        example(EXAMPLE, step, "--at", live.address, folder=tmp_path) for step in ("first", "second", "stranger")
    )

    assert "Memory stored" in first
    assert "Ana drinks green tea" in second
    assert "No relevant memories found." in stranger
    assert [item["content"] for item in live.kept("user:ana")] == ["Ana drinks green tea"]


def test_a_process_whose_server_is_gone_answers_all_the_same(live: LiveServer, tmp_path: Path) -> None:
    live.stop()

    told = example(EXAMPLE, "second", "--at", live.address, folder=tmp_path)

    assert "host: The usual green tea?" in told
    assert "unavailable" in told


def test_a_crew_lives_through_an_outage(live: LiveServer) -> None:
    guard = patient()
    tools = memory_tools(live.spaces(), guard=guard)

    def worked(use: str, answer: str) -> str:
        llm = OfflineLLM.saying(use, done(answer))
        assert crew_of(llm, tools).kickoff().raw == answer
        return llm.observed

    asking = using("recall", query="what does Ana drink?")
    assert "Memory stored" in worked(using("remember", content="Ana drinks green tea"), "Noted.")
    live.stop()
    guard.deadline = 0.5
    assert "Memory is unavailable right now" in worked(asking, "I do not know.")
    live.start()
    guard.deadline = 60

    assert "] Ana drinks green tea (id: " in worked(asking, "Green tea.")

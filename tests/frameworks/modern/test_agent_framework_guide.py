"""The guide for the Agent Framework does what it says, and its example shows a memory that outlives the process."""

from __future__ import annotations

from pathlib import Path

from tests.frameworks.guides import run_guide

from .run_example import run_example


def test_the_guide_does_what_it_says(tmp_path: Path) -> None:
    run_guide("agent-framework.md", tmp_path)


def test_in_the_example_another_process_knows_and_another_user_does_not(tmp_path: Path) -> None:
    first, second, same_session, stranger = run_example("agent_framework/remember_across_processes.py", tmp_path)

    assert "the model was shown: You are a cook.\n" in first
    assert "the model was shown: You are a cook. - [" in second
    assert "I am allergic to peanuts" in second
    assert "and the messages: What shall I cook for dinner tonight? Pad Thai" in same_session
    assert "peanuts" not in stranger

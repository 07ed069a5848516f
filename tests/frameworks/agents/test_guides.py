"""The guides do what they say, and the examples show a memory that outlives the process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frameworks.guides import run_guide
from tests.frameworks.modern.run_example import run_example


@pytest.mark.parametrize("name", ["langgraph.md", "openai-agents.md"])
def test_the_guide_does_what_it_says(name: str, tmp_path: Path) -> None:
    run_guide(name, tmp_path)


def test_in_the_example_for_langgraph_another_process_knows_and_another_user_does_not(tmp_path: Path) -> None:
    first, second, stranger = run_example("langgraph/remember_across_processes.py", tmp_path)

    assert "the model was shown: You are a cook.\n" in first
    assert "I am allergic to peanuts" in second
    assert "peanuts" not in stranger


def test_in_the_example_for_the_agents_sdk_another_process_knows_and_another_user_does_not(tmp_path: Path) -> None:
    first, second, same_session, stranger = run_example("openai_agents/remember_across_processes.py", tmp_path)

    assert "the model was shown: You are a cook.\n" in first
    assert "the model was shown: You are a cook. - [" in second
    assert "I am allergic to peanuts" in second
    assert "and the messages: What shall I cook for dinner tonight? Pad Thai" in same_session
    assert "peanuts" not in stranger

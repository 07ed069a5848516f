"""What LangChain and the OpenAI Agents SDK send to a model keeps the prompt cache of its provider."""

from __future__ import annotations

from pathlib import Path

from tests.frameworks.prompts import langgraph, openai_agents
from tests.frameworks.prompts.checking import check_prompts


def test_the_prompts_of_langchain_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(langgraph.play, tmp_path)


def test_the_prompts_of_the_agents_sdk_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(openai_agents.play, tmp_path)

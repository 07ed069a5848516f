"""Without its framework, an adapter says what to install."""

from __future__ import annotations

from importlib import import_module

import pytest

from truekeep import ConfigurationError

ADAPTERS = {
    "classic_autogen": "classic-autogen",
    "autogen": "autogen",
    "ag2": "ag2",
    "agent_framework": "agent-framework",
    "langgraph": "langgraph",
    "openai_agents": "openai-agents",
    "crewai": "crewai",
    "pydantic_ai": "pydantic-ai",
    "google_adk": "google-adk",
    "llama_index": "llama-index",
    "strands": "strands",
    "hermes": "hermes",
    "mcp": "mcp",
}


@pytest.mark.usefixtures("without_mcp")
@pytest.mark.parametrize(("name", "extra"), ADAPTERS.items())
def test_an_adapter_without_its_framework_says_what_to_install(name: str, extra: str) -> None:
    with pytest.raises(ImportError, match=rf"pip install '\.\[{extra}\]'") as caught:
        import_module(f"truekeep.adapters.{name}")

    assert isinstance(caught.value, ConfigurationError)

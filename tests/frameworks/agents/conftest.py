"""Warnings of the frameworks themselves are not ours to fix; those of our own modules stay errors."""

from __future__ import annotations

import pytest

THIRD_PARTIES = ("langgraph", "langchain", "langchain_core", "langsmith", "agents", "pydantic", "openai", "mcp")


def pytest_configure(config: pytest.Config) -> None:
    for module in THIRD_PARTIES:
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}(\.|$)")

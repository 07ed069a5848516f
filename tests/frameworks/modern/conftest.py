"""Warnings of the frameworks themselves are not ours to fix; those of our own modules stay errors."""

from __future__ import annotations

import pytest

THIRD_PARTIES = (
    "autogen_agentchat",
    "autogen_core",
    "autogen_ext",
    "ag2",
    "agent_framework",
    "pydantic",
    "google",
    "openai",
)


def pytest_configure(config: pytest.Config) -> None:
    for module in THIRD_PARTIES:
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}(\.|$)")

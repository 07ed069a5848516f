"""Warnings of LlamaIndex itself are not ours to fix; those of our own modules stay errors."""

from __future__ import annotations

import pytest

# Its workflows look at all attributes of an agent, through inspect, and so at those that pydantic calls outdated.
THIRD_PARTIES = ("llama_index", "workflows", "banks", "pydantic", "sqlalchemy", "aiosqlite", "nltk", "inspect")


def pytest_configure(config: pytest.Config) -> None:
    for module in THIRD_PARTIES:
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}(\.|$)")

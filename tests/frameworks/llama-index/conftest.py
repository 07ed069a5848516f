"""Warnings of LlamaIndex itself are not ours to fix; those of our own modules stay errors."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

# Its workflows look at all attributes of an agent, through inspect, and so at those that pydantic calls outdated.
THIRD_PARTIES = ("llama_index", "workflows", "banks", "pydantic", "sqlalchemy", "aiosqlite", "nltk", "inspect")


def pytest_configure(config: pytest.Config) -> None:
    for module in THIRD_PARTIES:
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}(\.|$)")


@pytest.fixture(scope="session", autouse=True)
def _swept() -> Iterator[None]:
    """LlamaIndex never closes the database of a `Memory`: here it is still known that this is not ours to fix."""
    yield
    gc.collect()

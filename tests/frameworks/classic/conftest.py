"""Warnings of the framework itself are not ours to fix; those of our own modules stay errors."""

from __future__ import annotations

import pytest

THIRD_PARTIES = ("autogen", "pydantic", "openai", "fast_depends", "flaml", "diskcache", "docker", "importlib")


def pytest_configure(config: pytest.Config) -> None:
    for module in THIRD_PARTIES:
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}(\.|$)")

"""Warnings of Google ADK itself are not ours to fix; those of our own modules stay errors."""

from __future__ import annotations

import pytest

THIRD_PARTIES = ("google", "authlib", "pydantic", "opentelemetry", "websockets", "aiohttp")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("filterwarnings", r"ignore:\[EXPERIMENTAL\]:UserWarning")
    for module in THIRD_PARTIES:
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}(\.|$)")

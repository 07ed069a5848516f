"""Warnings of the SDK itself are not ours to fix; those of our own modules stay errors."""

from __future__ import annotations

import pytest

THIRD_PARTIES = ("mcp", "pydantic", "anyio", "httpx", "httpx2", "sse_starlette", "starlette", "uvicorn", "websockets")


def pytest_configure(config: pytest.Config) -> None:
    for module in THIRD_PARTIES:
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}(\.|$)")

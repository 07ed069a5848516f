"""Warnings of Strands itself are not ours to fix; those of our own modules stay errors."""

from __future__ import annotations

import pytest

THIRD_PARTIES = ("strands", "botocore", "boto3", "opentelemetry", "pydantic", "mcp")


def pytest_configure(config: pytest.Config) -> None:
    for module in THIRD_PARTIES:
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}(\.|$)")

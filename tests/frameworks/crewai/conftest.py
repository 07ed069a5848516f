"""CrewAI stays offline; its own warnings are not ours to fix, those of our modules stay errors."""

from __future__ import annotations

import os

import pytest

THIRD_PARTIES = ("crewai", "crewai_core", "crewai_cli", "pydantic", "chromadb", "opentelemetry", "lancedb", "httpx")

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("filterwarnings", "ignore:Cannot set an attribute on 'crewai:ImportWarning")
    for module in THIRD_PARTIES:
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}(\.|$)")

"""Hermes has a home of its own; its own warnings are not ours to fix, those of our modules stay errors."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

THIRD_PARTIES = (
    "agent",
    "hermes_cli",
    "run_agent",
    "tools",
    "plugins",
    "pydantic",
    "openai",
    "httpx",
    "multiprocessing",
)

sys.path.insert(0, sysconfig.get_path("purelib"))  # its `tools`, rather than those of this repository


def pytest_configure(config: pytest.Config) -> None:
    for module in THIRD_PARTIES:
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}(\.|$)")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "hermes"
    folder.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(folder))
    return folder

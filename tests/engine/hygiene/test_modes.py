"""Who decides what is done about secrets: the argument, then the environment; of a served memory, its server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from truekeep import AsyncMemory, ConfigurationError, InvalidInput, Memory
from truekeep.server.settings import load
from truekeep.testing.fakes import FakeEmbedder

SAID = "password: hunter2"


def kept(**options: Any) -> str:
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(), background=False, **options) as memory:
        return memory.remember(SAID).item.content


def test_the_argument_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEKEEP_REDACT", "off")

    assert kept() == SAID
    assert kept(redact="on") == "password: [redacted:password]"


def test_an_unknown_mode_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="redact: must be one of on, flag, refuse, off"):
        Memory("bot", at=tmp_path / "memory.db", redact="maybe")  # type: ignore[arg-type]  # that is the point

    assert list(tmp_path.iterdir()) == []


def test_the_mode_of_a_served_memory_is_its_servers() -> None:
    with pytest.raises(ConfigurationError, match="redact= belongs to the server"):
        Memory("bot", at="http://127.0.0.1:1", redact="off")


async def _remembered_async() -> str:
    async with AsyncMemory("bot", at=":memory:", embedder=FakeEmbedder(), background=False, redact="off") as memory:
        return (await memory.remember(SAID)).item.content


def test_async_code_has_the_same_say() -> None:
    assert asyncio.run(_remembered_async()) == SAID


def test_a_server_takes_its_mode_from_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEKEEP_REDACT", "flag")

    assert load().redact == "flag"
    assert load(redact="refuse").redact == "refuse"
    with pytest.raises(ConfigurationError, match="redact"):
        load(redact="maybe")

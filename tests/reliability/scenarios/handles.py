"""Memories as the scenarios open them, and the ways in which they look at a store afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from truekeep import Memory
from truekeep.ports import Extractor
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.fakes import FakeEmbedder

SPACE = "chaos"


def opened(
    path: Path | str,
    *,
    background: bool = False,
    clock: Callable[[], datetime] | None = None,
    extractor: Extractor | None = None,
) -> Memory:
    """A handle with a small, deterministic embedder."""
    return Memory(SPACE, at=path, embedder=FakeEmbedder(32), background=background, clock=clock, extractor=extractor)


def exported(path: Path) -> list[dict[str, Any]]:
    """Everything that a fresh handle reads from the file."""
    with opened(path) as memory:
        return [json.loads(line) for line in memory.export()]


def damages(path: Path) -> list[str]:
    """What the store itself finds wrong with the file."""
    store = SqliteStore(path)
    try:
        return store.check()
    finally:
        store.close()

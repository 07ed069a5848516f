"""What the tests of the contracts share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from truekeep import Memory
from truekeep.testing.fakes import FakeEmbedder, FixedClock


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory("bot", at=tmp_path / "m.db", embedder=FakeEmbedder(), clock=FixedClock(), background=False) as memory:
        memory.remember("Ana likes tea", key="ana/drink", tags=["tea"], session="s", speaker="Ana")
        memory.set("k", [1])
        memory.set("n", 1)
        yield memory

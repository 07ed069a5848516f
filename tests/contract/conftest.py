"""What the tests of the contracts share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("truekeep.testing")  # before it is imported, so that its assertions tell as much

from truekeep import Memory  # noqa: E402
from truekeep.testing.fakes import FakeEmbedder, FixedClock  # noqa: E402


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory("bot", at=tmp_path / "m.db", embedder=FakeEmbedder(), clock=FixedClock(), background=False) as memory:
        memory.remember("Ana likes tea", key="ana/drink", tags=["tea"], session="s", speaker="Ana")
        memory.set("k", [1])
        memory.set("n", 1)
        yield memory

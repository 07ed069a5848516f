"""A memory to import into, embedded and served."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote.served import Served, served
from truekeep import Memory
from truekeep.assembly import open_parts
from truekeep.testing.fakes import FakeEmbedder


@pytest.fixture(scope="session")
def server() -> Iterator[Served]:
    with served() as server:
        yield server


@pytest.fixture(params=["embedded", "served"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    if request.param == "embedded":
        with Memory("bot", at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False) as memory:
            yield memory
        return
    server: Served = request.getfixturevalue("server")
    opened = open_parts(at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False)
    url = server.add(opened)
    try:
        with Memory("bot", at=url) as memory:
            yield memory
    finally:
        server.remove(url)
        opened.close()

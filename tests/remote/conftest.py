"""A server of one file for the tests of the client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from truekeep.assembly import open_parts

from .served import Served, served


@pytest.fixture(scope="session")
def server() -> Iterator[Served]:
    with served() as server:
        yield server


@pytest.fixture
def url(server: Served, tmp_path: Path) -> Iterator[str]:
    from truekeep.testing.fakes import FakeEmbedder  # not above: the tests of contracts have it rewritten first

    opened = open_parts(at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False)
    url = server.add(opened)
    try:
        yield url
    finally:
        server.remove(url)
        opened.close()

"""Servers for the dialects, besides those of `tests/server`: one without keys, and one that knows meaning."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.served import OPERATOR, Served, serving


@pytest.fixture
def keyless(tmp_path: Path) -> Iterator[Served]:
    """As `truekeep serve` starts without any settings: whoever is on this machine may use it."""
    with serving(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def meaningful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """With the model in the package, so that other words for the same thing are understood."""
    with serving(tmp_path_factory.mktemp("meaningful"), embedder="minilm", admin_key=OPERATOR) as running:
        yield running

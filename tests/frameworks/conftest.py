"""What the environments of all frameworks share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.frameworks.live import LiveServer, live_server


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveServer]:
    """A real server that asks for a key, in a process of its own."""
    with live_server(tmp_path) as server:
        yield server

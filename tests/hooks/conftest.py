"""A desk for each test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .desk import Desk

if sys.platform == "win32":
    collect_ignore_glob = ["test_sessions.py", "test_hostile.py", "test_waiting.py"]  # they want a POSIX shell


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()

"""Threads and handles."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cycles
from .scenarios import threads
from .scenarios.handles import opened


@pytest.mark.parametrize(("number", "count"), [(8, 6), (64, 2)])
@pytest.mark.parametrize("place", [":memory:", "file"])
def test_threads_share_one_handle(tmp_path: Path, place: str, number: int, count: int) -> None:
    with opened(place if place == ":memory:" else tmp_path / "threads.db", background=True) as memory:
        found = threads.crowd(memory, number, count)

    assert found == []


@pytest.mark.chaos
def test_closing_during_use_raises_clearly_and_never_crashes(tmp_path: Path, cycles: Cycles) -> None:
    found = threads.violations_of_closing(tmp_path, rounds=cycles(15, 300))

    assert found == []


@pytest.mark.chaos
def test_dropped_handles_leave_no_threads_and_no_open_files(tmp_path: Path, cycles: Cycles) -> None:
    found = threads.violations_of_dropping(tmp_path, count=cycles(40, 1000))

    assert found == []

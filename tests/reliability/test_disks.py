"""Full disks and read-only files."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .scenarios import disks

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="limits and permissions as POSIX has them"),
]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach; pytest's own are for their owner alone."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.mark.parametrize("role", ["fill_small_disk", "fill_up_to_limit"])
def test_a_full_disk_gives_a_clear_error_and_loses_nothing_acknowledged(tmp_path: Path, role: str) -> None:
    found = disks.violations_of_filling(tmp_path, role)

    assert found == []


@pytest.mark.parametrize("whole_folder", [False, True])
def test_a_read_only_file_gives_a_clear_error_and_stays_as_it_is(open_folder: Path, whole_folder: bool) -> None:
    found = disks.violations_of_read_only(open_folder, whole_folder=whole_folder)

    assert found == []

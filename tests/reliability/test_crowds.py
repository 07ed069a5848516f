"""Eight processes on one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cycles
from .scenarios import crowds


@pytest.mark.chaos
def test_eight_processes_write_one_file_without_errors_or_losses(tmp_path: Path, cycles: Cycles) -> None:
    found = crowds.violations_of_writing(tmp_path, count=cycles(12, 40))

    assert found == []


@pytest.mark.chaos
def test_eight_processes_that_supersede_one_key_leave_one_current_item_and_a_whole_history(
    tmp_path: Path, cycles: Cycles
) -> None:
    found = crowds.violations_of_superseding(tmp_path, count=cycles(12, 100))

    assert found == []

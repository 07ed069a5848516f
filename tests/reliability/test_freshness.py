"""Two processes that share a memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cycles
from .scenarios import freshness


@pytest.mark.chaos
def test_a_second_process_sees_every_change_on_its_very_next_call(tmp_path: Path, cycles: Cycles) -> None:
    found = freshness.violations(tmp_path, rounds=cycles(200, 2000))

    assert found == []

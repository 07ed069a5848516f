"""Power cuts."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cycles
from .scenarios import cuts


@pytest.mark.chaos
@pytest.mark.timeout(0)
def test_a_power_cut_takes_nothing_that_was_acknowledged_and_brings_nothing_forgotten_back(
    tmp_path: Path, cycles: Cycles
) -> None:
    found = cuts.violations(tmp_path, cuts=cycles(40, 2000))

    assert found == []


def test_the_same_cuts_take_acknowledged_writes_where_the_log_is_not_synced(tmp_path: Path) -> None:
    found = cuts.violations(tmp_path, cuts=10, durable="normal")

    assert any("lost" in violation for violation in found)

"""kill -9 in the middle of concurrent writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cycles
from .scenarios import kills


@pytest.mark.chaos
@pytest.mark.timeout(0)
def test_whatever_was_acknowledged_survives_a_kill_and_no_batch_is_halved(tmp_path: Path, cycles: Cycles) -> None:
    found = kills.violations(tmp_path, cycles=cycles(20, 500))

    assert found == []

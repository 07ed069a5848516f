"""Flipped bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cycles
from .scenarios import flips


@pytest.mark.chaos
@pytest.mark.timeout(0)
def test_a_flipped_byte_is_noticed_or_harmless(tmp_path: Path, cycles: Cycles) -> None:
    count = cycles(2000, 50_000)

    found, verdicts = flips.violations(tmp_path, flips=count)

    print(dict(verdicts))
    assert found == []
    assert verdicts.total() == count
    assert verdicts["noticed"] > 0

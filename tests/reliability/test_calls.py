"""Random sequences of calls, on one store and on two."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cycles
from .scenarios import calls

PARTS = 20  # so that all cores take part


@pytest.mark.chaos
@pytest.mark.timeout(0)
@pytest.mark.parametrize("part", range(PARTS))
def test_random_calls_leave_the_file_sound(part: int, tmp_path: Path, cycles: Cycles) -> None:
    seeds = range(part, cycles(2000, 10_000), PARTS)
    found = [told for seed in seeds for told in calls.violations(seed, [tmp_path / f"{seed}.db"])]

    assert found == []


@pytest.mark.chaos
@pytest.mark.timeout(0)
def test_both_stores_answer_random_calls_alike(tmp_path: Path, postgres_url: str, cycles: Cycles) -> None:
    seeds = range(10_000, 10_000 + cycles(10, 2000))
    found = [told for seed in seeds for told in calls.violations(seed, [tmp_path / f"{seed}.db", postgres_url])]

    assert found == []

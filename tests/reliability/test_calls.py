"""Random sequences of calls, on one store and on two."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cycles
from .scenarios import calls


@pytest.mark.chaos
@pytest.mark.timeout(0)
def test_random_calls_leave_the_file_sound(tmp_path: Path, cycles: Cycles) -> None:
    found = [told for seed in range(cycles(30, 2000)) for told in calls.violations(seed, [tmp_path / f"{seed}.db"])]

    assert found == []


@pytest.mark.chaos
@pytest.mark.timeout(0)
def test_both_stores_answer_random_calls_alike(tmp_path: Path, postgres_url: str, cycles: Cycles) -> None:
    seeds = range(10_000, 10_000 + cycles(10, 2000))
    found = [told for seed in seeds for told in calls.violations(seed, [tmp_path / f"{seed}.db", postgres_url])]

    assert found == []

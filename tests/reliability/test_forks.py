"""Forked children."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .conftest import Cycles
from .scenarios import forks


@pytest.mark.chaos
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("load", ["idle", "busy"])
def test_a_forked_child_works_and_so_does_its_parent(tmp_path: Path, cycles: Cycles, load: str) -> None:
    found = forks.violations(tmp_path, rounds=cycles(8, 100), load=load)

    assert found == []

"""Clocks that jump backwards."""

from __future__ import annotations

from pathlib import Path

from .scenarios import clocks


def test_what_was_said_last_is_current_although_the_clock_jumped_backwards(tmp_path: Path) -> None:
    found = clocks.violations_of_superseding(tmp_path)

    assert found == []


def test_a_clock_that_jumps_backwards_expires_nothing_early_and_brings_nothing_back(tmp_path: Path) -> None:
    found = clocks.violations_of_expiry(tmp_path)

    assert found == []

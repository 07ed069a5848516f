"""Texts are compared without regard to case and line breaks, and to nothing else."""

from __future__ import annotations

import pytest

from truekeep_eval.matching import holds


@pytest.mark.parametrize("part", ["tea", "TEA at  four", "tea\nat four", "four, please"])
def test_a_part_is_found_whatever_its_case_and_spacing(part: str) -> None:
    assert holds("She takes Tea at\n four, please.", part)


@pytest.mark.parametrize("part", ["tea-at", "four please", "café"])
def test_nothing_else_is_made_alike(part: str) -> None:
    assert not holds("She takes Tea at four, please. Cafe!", part)

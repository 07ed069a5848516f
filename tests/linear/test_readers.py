"""No text takes more than linear time, whoever reads it: `re` lets nobody else run meanwhile."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from random import Random

import pytest

from .growth import grows_too_fast, repeated
from .readers import readers
from .units import FIXED, WORST, made_up

pytestmark = pytest.mark.long

CHAOS = os.environ.get("TEST_TRUEKEEP_CHAOS") == "1"
NAMES = tuple(readers(Path()))


@pytest.mark.parametrize("name", NAMES)
def test_no_text_takes_more_than_linear_time(name: str, tmp_path: Path) -> None:
    read = readers(tmp_path)[name]
    units = (*FIXED, *made_up(Random(), 600)) if CHAOS else WORST

    slow = {unit: told for unit in units if (told := grows_too_fast(read, partial(repeated, unit)))}

    assert slow == {}


def test_what_takes_quadratic_time_is_noticed() -> None:
    def linear(text: str) -> None:
        for _ in range(len(text) // 64):
            sum(range(40_000))

    def quadratic(text: str) -> None:
        for _ in range(len(text) // 1024):
            linear(text[::16])

    assert grows_too_fast(linear, partial(repeated, " ")) is None
    assert grows_too_fast(quadratic, partial(repeated, " ")) is not None

"""How often the reliability tests repeat themselves: a little in `make test-long`, a lot in `make chaos`."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator

import pytest

Cycles = Callable[[int, int], int]


@pytest.fixture
def cycles() -> Cycles:
    """Chooses between a usual and a long number of repetitions."""

    def choose(usual: int, chaos: int) -> int:
        return chaos if os.environ.get("TEST_TRUEKEEP_CHAOS") else usual

    return choose


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Failures are planted by the dozen here; what matters is what the checks tell."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)

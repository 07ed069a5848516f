"""An operator's day: on files, and with `make test-postgres` on PostgreSQL."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .ground import Ground, on_databases, on_files
from .operators_day import live
from .served import POSTGRES


@pytest.fixture
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ground]:
    if POSTGRES:
        with on_databases(request.getfixturevalue("postgres_server"), tmp_path) as databases:
            yield databases
    else:
        yield on_files(tmp_path)


@pytest.mark.long
@pytest.mark.timeout(900)  # a dozen servers and as many commands, on two cores that others use, too
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_an_operators_day(ground: Ground, tmp_path: Path) -> None:
    figures = live(ground, tmp_path)

    print(*(f"\n{what}: {seconds:.2f} s" for what, seconds in figures.items()))

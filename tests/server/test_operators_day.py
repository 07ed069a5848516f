"""An operator's day: on files, and with `make test-postgres` on PostgreSQL."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from zipfile import ZipFile

import pytest

from .operators_day import Ground, live
from .served import POSTGRES

WRITTEN = Path(__file__).parent.parent / "stores" / "written" / "before_the_audit.zip"


@pytest.fixture
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ground]:
    numbers = count()

    def file() -> str:
        return str(tmp_path / f"store-{next(numbers)}.db")

    def old_file() -> tuple[str, str]:
        with ZipFile(WRITTEN) as archive:
            return archive.extract("memory.db", tmp_path), archive.read("memory.key").decode()

    if not POSTGRES:
        yield Ground(new=file, elsewhere=file, of_the_last_release=old_file)
        return
    from tests.postgres_server import new_database
    from truekeep.stores.postgres import load_backup

    server = request.getfixturevalue("postgres_server")

    def old_database() -> tuple[str, str]:
        place = database()
        with ZipFile(WRITTEN) as archive:
            load_backup(place, Path(archive.extract("backup.zip", tmp_path)))  # which leaves it as it was then
            return place, archive.read("backup.key").decode()

    with ExitStack() as stack:

        def database() -> str:
            return stack.enter_context(new_database(server))

        yield Ground(new=database, elsewhere=file, of_the_last_release=old_database)


@pytest.mark.long
@pytest.mark.timeout(900)  # a dozen servers and as many commands, on two cores that others use, too
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_an_operators_day(ground: Ground, tmp_path: Path) -> None:
    figures = live(ground, tmp_path)

    print(*(f"\n{what}: {seconds:.2f} s" for what, seconds in figures.items()))

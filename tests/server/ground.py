"""Where an operator's day is lived: on files, or on databases of a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from zipfile import ZipFile

WRITTEN = Path(__file__).parent.parent / "stores" / "written" / "before_the_audit.zip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The kind of store that the day is about."""

    new: Callable[[], str]  # a place where no store is yet
    elsewhere: Callable[[], str]  # another one, perhaps of the other kind
    of_the_last_release: Callable[[], tuple[str, str]]  # a store that is not migrated yet, and a key of it


def on_files(folder: Path) -> Ground:
    numbers = count()

    def new() -> str:
        return str(folder / f"store-{next(numbers)}.db")

    def old() -> tuple[str, str]:
        with ZipFile(WRITTEN) as archive:
            return archive.extract("memory.db", folder), archive.read("memory.key").decode()

    return Ground(new=new, elsewhere=new, of_the_last_release=old)


@contextmanager
def on_databases(server: str, folder: Path) -> Iterator[Ground]:
    """Databases of their own, which are gone afterwards; the day's migration goes to a file."""
    from tests.postgres_server import new_database
    from truekeep.stores.postgres import load_backup

    with ExitStack() as stack:

        def new() -> str:
            return stack.enter_context(new_database(server))

        def old() -> tuple[str, str]:
            place = new()
            with ZipFile(WRITTEN) as archive:
                load_backup(place, Path(archive.extract("backup.zip", folder)))  # which leaves it as it was then
                return place, archive.read("backup.key").decode()

        yield Ground(new=new, elsewhere=on_files(folder).new, of_the_last_release=old)

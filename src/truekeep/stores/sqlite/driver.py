"""The driver: transactions on the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from truekeep.model import SpaceId
from truekeep.ports import Head
from truekeep.stores.ledger import Rows

from .items import ItemTables
from .jobs import JobTables
from .meta import SpaceTables
from .rows import query
from .snapshots import SnapshotTables
from .spaces import Spaces
from .usage import UsageTables
from .wiping import wipe, wipe_if_small

if TYPE_CHECKING:
    import apsw

    from .connections import Database

T = TypeVar("T")


class FileRows(ItemTables, JobTables, SnapshotTables, SpaceTables, UsageTables):
    """Implements `ledger.Rows`."""


class FileDriver:
    """Implements `ledger.Driver`. One file knows no walls between tenants: every statement names the space."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.spaces = Spaces(database)

    @property
    def secret(self) -> bytes:
        return self.spaces.secret()

    def head(self, space: SpaceId) -> Head:
        return self.spaces.head(space)

    def read(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        return self._database.read(lambda connection: work(FileRows(connection, self.spaces)))

    def read_together(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        return self._database.read_together(lambda connection: work(FileRows(connection, self.spaces)))

    def write(self, space: SpaceId, work: Callable[[Rows], T], size: int = 0) -> T:
        return self._write(work, size)

    def change(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        return self._write(work)

    def _write(self, work: Callable[[Rows], T], size: int = 0) -> T:
        def inside(connection: apsw.Connection) -> T:
            rows = FileRows(connection, self.spaces)
            result = work(rows)
            rows.save()
            return result

        return self._database.write(inside, size)

    def write_each(self, spaces: Sequence[SpaceId], work: Callable[[Rows, SpaceId], T]) -> list[T]:
        return self._write(lambda rows: [work(rows, space) for space in spaces])

    @contextmanager
    def viewed(self) -> Iterator[Rows]:
        with self._database.own() as connection:
            connection.execute("BEGIN")
            yield FileRows(connection, self.spaces)

    def learn_secret(self, secret: bytes) -> None:
        self.spaces.forget_secret()

    def tidy(self) -> None:
        """Clear what was erased, and let the log not grow for ever."""
        wipe(self._database)
        with self._database.own() as connection:
            query(connection, "PRAGMA wal_checkpoint(PASSIVE)")

    def clean(self) -> bool:
        return wipe_if_small(self._database)

"""The driver: transactions on the file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from truekeep.model import SpaceId
from truekeep.ports import Head
from truekeep.stores.ledger import Rows

from .items import ItemTables
from .jobs import JobTables
from .spaces import Spaces
from .usage import UsageTables
from .wiping import wipe_if_small

if TYPE_CHECKING:
    import apsw

    from .connections import Database

T = TypeVar("T")


class FileRows(ItemTables, JobTables, UsageTables):
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
        return self._database.read_together(lambda connection: work(FileRows(connection, self.spaces)))

    read_together = read

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

    def clean(self) -> bool:
        return wipe_if_small(self._database)

"""The driver: transactions on the file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from truekeep.model import SpaceId

from .spaces import Spaces
from .tables import Tables
from .wiping import wipe_if_small

if TYPE_CHECKING:
    import apsw

    from .connections import Database

T = TypeVar("T")


class FileDriver:
    """Implements `ledger.Driver`. One file knows no walls between tenants: every statement names the space."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.spaces = Spaces(database)

    def read(self, tenant: str | None, work: Callable[[Tables], T]) -> T:
        return self._database.read_together(lambda connection: work(Tables(connection, self.spaces)))

    read_together = read

    def write(self, space: SpaceId, work: Callable[[Tables], T], size: int = 0) -> T:
        return self._write(work, size)

    def change(self, tenant: str | None, work: Callable[[Tables], T]) -> T:
        return self._write(work)

    def _write(self, work: Callable[[Tables], T], size: int = 0) -> T:
        def inside(connection: apsw.Connection) -> T:
            tables = Tables(connection, self.spaces)
            result = work(tables)
            tables.save()
            return result

        return self._database.write(inside, size)

    def clean(self) -> bool:
        return wipe_if_small(self._database)

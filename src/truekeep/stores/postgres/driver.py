"""The driver: transactions on the database, each behind the wall of its tenant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from truekeep.model import SpaceId

from .tables import Numbers, Tables

if TYPE_CHECKING:
    from .connections import Database

T = TypeVar("T")


class DatabaseDriver:
    """Implements `ledger.Driver`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.numbers = Numbers()

    def read(self, tenant: str | None, work: Callable[[Tables], T]) -> T:
        return self._database.read(tenant, lambda session: work(Tables(session, self.numbers)))

    def read_together(self, tenant: str | None, work: Callable[[Tables], T]) -> T:
        return self._database.read_together(tenant, lambda session: work(Tables(session, self.numbers)))

    def write(self, space: SpaceId, work: Callable[[Tables], T], size: int = 0) -> T:
        return self._database.write(space, lambda writing: work(Tables(writing.session, self.numbers, writing)), size)

    def change(self, tenant: str | None, work: Callable[[Tables], T]) -> T:
        return self._database.change(tenant, lambda session: work(Tables(session, self.numbers)))

    def clean(self) -> bool:
        """The bytes of what was dropped are the server's to clean up; see the page about scaling out."""
        return True

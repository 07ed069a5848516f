"""The driver: transactions on the database, each behind the wall of its tenant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from truekeep.model import SpaceId
from truekeep.ports import Head
from truekeep.stores.ledger import Rows

from .items import ItemTables
from .jobs import JobTables
from .spaces import sought
from .tables import Numbers
from .usage import UsageTables

if TYPE_CHECKING:
    from .connections import Database

T = TypeVar("T")


HEAD = "SELECT head, floor FROM spaces WHERE tenant = %s AND name = ANY(%s)"


class DatabaseRows(ItemTables, JobTables, UsageTables):
    """Implements `ledger.Rows`."""


class DatabaseDriver:
    """Implements `ledger.Driver`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.numbers = Numbers()

    @property
    def secret(self) -> bytes:
        return self._database.secret

    def head(self, space: SpaceId) -> Head:
        rows = self._database.read(space.tenant, lambda session: session.query(HEAD, sought(session, space)))
        return Head(*rows[0]) if rows else Head(0, 0)

    def read(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        return self._database.read(tenant, lambda session: work(DatabaseRows(session, self.numbers)))

    def read_together(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        return self._database.read_together(tenant, lambda session: work(DatabaseRows(session, self.numbers)))

    def write(self, space: SpaceId, work: Callable[[Rows], T], size: int = 0) -> T:
        return self._database.write(
            space, lambda writing: work(DatabaseRows(writing.session, self.numbers, writing)), size
        )

    def change(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        return self._database.change(tenant, lambda session: work(DatabaseRows(session, self.numbers)))

    def clean(self) -> bool:
        """The bytes of what was dropped are the server's to clean up; see the page about scaling out."""
        return True

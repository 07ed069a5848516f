"""The driver: transactions on the database, each behind the wall of its tenant."""

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
from .snapshots import SnapshotTables
from .spaces import sought
from .tables import Numbers
from .usage import UsageTables

if TYPE_CHECKING:
    from .connections import Database

T = TypeVar("T")


HEAD = "SELECT head, floor FROM spaces WHERE tenant = %s AND name = ANY(%s)"


class DatabaseRows(ItemTables, JobTables, SnapshotTables, SpaceTables, UsageTables):
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

    def read(self, tenant: str | None, work: Callable[[Rows], T], *, together: bool = False) -> T:
        read = self._database.read_together if together else self._database.read
        return read(tenant, lambda session: work(DatabaseRows(session, self.numbers)))

    def write(self, space: SpaceId, work: Callable[[Rows], T], size: int = 0) -> T:
        return self._database.write(
            space, lambda writing: work(DatabaseRows(writing.session, self.numbers, writing)), size
        )

    def change(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        return self._database.change(tenant, lambda session: work(DatabaseRows(session, self.numbers)))

    def write_each(self, spaces: Sequence[SpaceId], work: Callable[[Rows, SpaceId], T]) -> list[T]:
        """One after the other: whoever writes into one of them waits for no other."""

        def within(space: SpaceId) -> T:
            return self.write(space, lambda rows: work(rows, space))

        return [within(space) for space in spaces]

    @contextmanager
    def viewed(self) -> Iterator[Rows]:
        with self._database.view() as session:
            yield DatabaseRows(session, self.numbers)

    def learn_secret(self, secret: bytes) -> None:
        self._database.secret = secret

    def tidy(self) -> None:
        """The server does that."""

    def clean(self) -> bool:
        """The bytes of what was dropped are the server's to clean up; see the page about scaling out."""
        return True

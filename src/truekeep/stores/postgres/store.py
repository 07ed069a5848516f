"""The store: everything in one schema of a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from truekeep.model import SpaceId
from truekeep.stores.files import new_backup
from truekeep.stores.ledger import Ledger
from truekeep.stores.tables import mark_of

from .backup import write_backup
from .bell import Listener
from .check import problems, recounted
from .driver import DatabaseDriver
from .session import Session

SIZE = """SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"""
TELLING = ("items", "versions", "vectors", "answers", "kept_values", "former_values", "jobs", "snapshots", "pieces")


class PostgresStore(Ledger):
    """Implements `truekeep.ports.Store` on a database that many servers share.

    Args:
        url: "postgresql://user:password@host:port/database", with any parameter that libpq knows.
        schema: where the tables are, made if they are not there.
        connections: how many this process opens at most.
        patience: how long a call waits for a server that went away before it fails.

    Raises:
        ConfigurationError: the address is wrong, the server is too old, a role is missing, or the database belongs to
            a newer Truekeep.
        StoreError: the server cannot be reached.
    """

    _driver: DatabaseDriver

    def __init__(
        self,
        url: str,
        *,
        schema: str = "truekeep",
        connections: int = 16,
        patience: timedelta = timedelta(seconds=10),
    ) -> None:
        super().__init__(DatabaseDriver(url, schema=schema, connections=connections, patience=patience))

    def size(self) -> int:
        return self._driver.read(None, lambda rows: rows.number(SIZE))

    def backup(self, target: Path) -> None:
        with new_backup(Path(target)) as unfinished:
            self._driver.transact(None, "together", lambda session: write_backup(session, unfinished))

    def check(self) -> list[str]:
        return self._driver.transact(None, "together", lambda session: list(problems(session)))

    def recount(self, *, dry_run: bool = False) -> list[str]:
        def work(session: Session) -> list[str]:
            return recounted(session, dry_run=dry_run)

        return self._driver.transact(None, "together" if dry_run else "write", work)

    def wipe(self) -> bool:
        """The bytes of what was erased are the server's to clean up; see the page about scaling out."""
        return True

    def leftovers(self) -> list[str]:
        """A plain VACUUM frees the room of dead rows, and leaves their bytes in it."""
        tables = ", ".join(f"{self._driver.schema}.{table}" for table in TELLING)
        return [
            f"dead rows, until their tables are written anew: VACUUM FULL {tables}; by the owner of the database, and"
            " nobody reads or writes meanwhile",
            "the write-ahead log, until its segments are recycled and written over; replicas, archives of the log and"
            " backups, until they are thrown away",
        ]

    def mark(self, space: SpaceId) -> str:
        return mark_of(self._driver.secret, space)

    def listen(self, heard: Callable[[str], None]) -> Listener:
        return self._driver.listen(heard)

    def pool(self) -> dict[str, int]:
        return self._driver.lent()

    @property
    def is_away(self) -> bool:
        return self._driver.is_away

    def give_up(self) -> None:
        self._driver.give_up()

"""Upkeep: check, tidy, size, and which spaces there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from truekeep.model import SpaceId
from truekeep.stores.files import new_backup
from truekeep.stores.ledger import Ledger

from .backup import write_backup
from .checking import problems, recounted
from .connections import Database
from .driver import DatabaseDriver
from .session import Session
from .waking import Listener, mark_of

SIZE = """SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"""


class DatabaseUpkeep(Ledger):
    """What the port `Store` adds to its parts."""

    def __init__(self, database: Database) -> None:
        driver = DatabaseDriver(database)
        super().__init__(driver)
        self._database = database

    @property
    def location(self) -> str:
        return self._database.location

    def size(self) -> int:
        return int(self._database.read(None, lambda session: session.query(SIZE))[0][0])

    def backup(self, target: Path) -> None:
        with new_backup(Path(target)) as unfinished:
            self._database.read_together(None, lambda session: write_backup(session, unfinished))

    def check(self) -> list[str]:
        return self._database.read_together(None, lambda session: list(problems(session)))

    def recount(self, *, dry_run: bool = False) -> list[str]:
        def work(session: Session) -> list[str]:
            return recounted(session, dry_run=dry_run)

        return self._database.read_together(None, work) if dry_run else self._database.change(None, work)

    def wipe(self) -> bool:
        """The bytes of what was erased are the server's to clean up; see the page about scaling out."""
        return True

    def mark(self, space: SpaceId) -> str:
        return mark_of(self._database.secret, space)

    def listen(self, heard: Callable[[str], None]) -> Listener:
        return self._database.listen(heard)

    def close(self) -> None:
        self._database.close()

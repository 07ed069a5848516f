"""Upkeep: check, tidy, size, and which spaces there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from truekeep.errors import InvalidInput, StoreError
from truekeep.model import SpaceId
from truekeep.stores.ledger.upkeep import Upkeep

from .backup import write_backup
from .checking import problems, recounted
from .session import Session
from .snapshots import SnapshotRows
from .waking import Listener, mark_of

SIZE = """SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"""


class DatabaseUpkeep(SnapshotRows, Upkeep):
    """What the port `Store` adds to its parts."""

    @property
    def location(self) -> str:
        return self._database.location

    def size(self) -> int:
        return int(self._database.read(None, lambda session: session.query(SIZE))[0][0])

    def backup(self, target: Path) -> None:
        target = Path(target)
        if target.exists():
            raise InvalidInput("target", f"{target} exists; a backup never overwrites")
        try:
            self._database.read_together(None, lambda session: write_backup(session, target))
        except OSError as error:
            raise StoreError(f"cannot write the backup {target}: {error.strerror}") from error

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

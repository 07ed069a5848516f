"""Upkeep: check, tidy, size, and which spaces there are."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from truekeep.errors import InvalidInput, StoreError
from truekeep.model import SpaceId, SpaceSize
from truekeep.stores.ledger.usage import Usages
from truekeep.stores.records import microseconds

from .backup import write_backup
from .checking import problems, recounted
from .session import Session
from .snapshots import SnapshotRows
from .spaces import Writing
from .waking import Listener, mark_of

MARKERS_KEPT = timedelta(days=7)
ANSWERS_KEPT = timedelta(days=30)
FINISHED_JOBS_KEPT = timedelta(days=7)
AT_ONCE = 2000  # rows that one transaction of tidying removes, or spaces that one look finds

HOLDS_SOMETHING = "(items > 0 OR kept_values > 0 OR EXISTS (SELECT 1 FROM jobs WHERE jobs.space_id = spaces.id))"
SPACES = f"SELECT name FROM spaces WHERE tenant = %s AND {HOLDS_SOMETHING} ORDER BY name"
OVERVIEW = f"""SELECT name, items, kept_values, bytes FROM spaces
    WHERE tenant = %s AND name > %s AND {HOLDS_SOMETHING} ORDER BY name LIMIT %s"""
SIZE = """SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"""


class Upkeep(SnapshotRows, Usages):
    """What the port `Store` adds to its parts."""

    @property
    def location(self) -> str:
        return self._database.location

    def spaces(self, tenant: str) -> list[str]:
        return [name for (name,) in self._database.read(tenant, lambda session: session.query(SPACES, (tenant,)))]

    def overview(self, tenant: str, *, after: str = "", limit: int = 1000) -> list[SpaceSize]:
        rows = self._database.read(tenant, lambda session: session.query(OVERVIEW, (tenant, after, limit)))
        return [SpaceSize(name=name, items=items, values=values, bytes=size) for name, items, values, size in rows]

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

    def tidy(self, *, now: datetime) -> None:
        self._in_each_space("kept_values", "expires", now, _drop_values)
        self._in_each_space("markers", "at", now - MARKERS_KEPT, _drop_markers)
        self._purge("answers", "key", "at <= %s", now - ANSWERS_KEPT)
        self._purge("jobs", "id", "state IN ('done', 'failed') AND updated <= %s", now - FINISHED_JOBS_KEPT)
        self.drop_old_usage(now)

    def wipe(self) -> bool:
        """The bytes of what was erased are the server's to clean up; see the page about scaling out."""
        return True

    def _in_each_space(self, table: str, column: str, before: datetime, drop: Callable[[Writing, int], None]) -> None:
        """Remove old rows that are counted, or that the floor depends on, under the lock of each space."""
        at = microseconds(before)
        statement = f"""SELECT tenant, name FROM spaces WHERE id IN (
            SELECT space_id FROM {table} WHERE {column} <= %s LIMIT {AT_ONCE})"""
        while found := self._database.read(None, lambda session: session.query(statement, (at,))):
            for tenant, name in found:
                self._database.write(SpaceId(tenant, name), lambda writing: drop(writing, at))

    def _purge(self, table: str, key: str, where: str, before: datetime) -> None:
        """Remove other old rows in portions."""
        statement = f"""DELETE FROM {table} WHERE (space_id, {key}) IN (
            SELECT space_id, {key} FROM {table} WHERE {where} LIMIT {AT_ONCE})"""

        def work(session: Session) -> int:
            return session.change(statement, (microseconds(before),))

        while self._database.change(None, work) == AT_ONCE:
            pass

    def mark(self, space: SpaceId) -> str:
        return mark_of(self._database.secret, space)

    def listen(self, heard: Callable[[str], None]) -> Listener:
        return self._database.listen(heard)

    def close(self) -> None:
        self._database.close()


def _drop_values(writing: Writing, at: int) -> None:
    row = writing.find()
    if row is not None:
        statement = "DELETE FROM kept_values WHERE space_id = %s AND expires <= %s RETURNING octet_length(value::text)"
        sizes = [size for (size,) in writing.session.change_returning(statement, (row.id, at))]
        row.counts["kept_values"] -= len(sizes)
        row.counts["bytes"] -= sum(sizes)


def _drop_markers(writing: Writing, at: int) -> None:
    row = writing.find()
    if row is not None:
        statement = "DELETE FROM markers WHERE space_id = %s AND at <= %s RETURNING seq"
        gone = writing.session.change_returning(statement, (row.id, at))
        row.floor = max([row.floor, *(seq for (seq,) in gone)])

"""Upkeep: backup, check, tidy, size."""

from __future__ import annotations

import os
import secrets
from datetime import datetime, timedelta
from pathlib import Path

import apsw

from truekeep.errors import InvalidInput, StoreError
from truekeep.model import SpaceSize
from truekeep.stores.files import make_private, sync
from truekeep.stores.ledger.space import Space
from truekeep.stores.ledger.usage import Usages
from truekeep.stores.records import microseconds

from .checking import problems
from .driver import FileRows
from .faults import FAULTS, translated
from .recounting import recounted
from .rows import query, verified
from .snapshots import SnapshotRows
from .spaces import SELECT, TALLIED, Spaces, count_spaces, space_of, tally
from .wiping import wipe, wipe_is_due

MARKERS_KEPT = timedelta(days=7)
ANSWERS_KEPT = timedelta(days=30)
FINISHED_JOBS_KEPT = timedelta(days=7)
TEXTS = frozenset({"kept_values", "jobs"})  # what holds what somebody said, and not only names and hashes
AT_ONCE = 2000  # rows that one transaction of tidying removes: writers wait no longer than that


class Upkeep(SnapshotRows, Usages):
    """What the port `Store` adds to its parts."""

    @property
    def location(self) -> str:
        return self._database.location

    def spaces(self, tenant: str) -> list[str]:
        def fetch(connection: apsw.Connection) -> list[Space]:
            count_spaces(connection)
            ids = query(connection, "SELECT id FROM spaces WHERE tenant = ?", (tenant,))
            return [self._spaces.by_id(connection, id) for (id,) in ids]

        rows = self._database.read_together(fetch)
        return sorted(row.name for row in rows if _holds_something(row))

    def overview(self, tenant: str, *, after: str = "", limit: int = 1000) -> list[SpaceSize]:
        next_ones = f"{SELECT} WHERE tenant = ? AND name > ? ORDER BY name LIMIT ?"

        def fetch(connection: apsw.Connection) -> list[SpaceSize]:
            count_spaces(connection)
            found: list[SpaceSize] = []
            last = after
            while len(found) < limit and (rows := query(connection, next_ones, (tenant, last, limit))):
                spaces = [space_of(verified("spaces", row, row[2])) for row in rows]
                found += [_size(connection, self._spaces, row) for row in spaces if _holds_something(row)]
                last = spaces[-1].name
            return found[:limit]

        return self._database.read_together(fetch)

    def size(self) -> int:
        path = self._database.path
        if path is None:
            pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            return int(self._database.read(lambda connection: query(connection, pages)[0][0]))
        files = (path, path.with_name(path.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def backup(self, target: Path) -> None:
        target = Path(target)
        if target.exists():
            raise InvalidInput("target", f"{target} exists; a backup never overwrites")
        unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        try:
            make_private(unfinished)
            self._copy(unfinished)
            sync(unfinished)
            unfinished.rename(target)
            sync(target.parent)
        except OSError as error:
            raise StoreError(f"cannot write the backup {target}: {error.strerror}") from error
        finally:
            unfinished.unlink(missing_ok=True)

    def _copy(self, target: Path) -> None:
        """VACUUM INTO reads one state of the file; whoever writes meanwhile is not held up."""
        database = self._database
        connection = database.take_reader() if database.path is None else database.open_another()
        try:
            query(connection, "VACUUM INTO ?", (os.fspath(target),))
        except FAULTS as error:
            raise translated(error, str(target)) from error
        finally:
            if database.path is None:
                database.give_reader(connection)
            else:
                database.drop(connection)

    def check(self) -> list[str]:
        return self._database.read_together(lambda connection: list(problems(connection, self._spaces)))

    def recount(self, *, dry_run: bool = False) -> list[str]:
        def work(connection: apsw.Connection) -> list[str]:
            return recounted(connection, self._spaces, dry_run=dry_run)

        return self._database.read_together(work) if dry_run else self._database.write(work)

    def tidy(self, *, now: datetime) -> None:
        self._purge("kept_values", "key", "expires <= ?", now)
        self._purge("answers", "key", "at <= ?", now - ANSWERS_KEPT)
        self._purge("jobs", "id", "state IN ('done', 'failed') AND updated <= ?", now - FINISHED_JOBS_KEPT)
        self._purge("markers", "id", "at <= ?", now - MARKERS_KEPT)
        self.drop_old_usage(now)
        self.remove_leftovers()
        self.wipe()
        if self._database.path is not None:
            self._checkpoint()

    def wipe(self) -> bool:
        return wipe(self._database)

    def _purge(self, table: str, key: str, where: str, before: datetime) -> None:
        """Remove old rows in portions; without any, nothing is written."""
        seq = "seq" if table == "markers" else "0"
        statement = f"SELECT space, {key}, checksum, {seq} FROM {table} WHERE {where} LIMIT {AT_ONCE}"
        sought = (microseconds(before),)

        def work(connection: apsw.Connection) -> None:
            rows: dict[int, Space] = {}
            for space, name, checksum, seq in query(connection, statement, sought):
                row = rows.setdefault(space, self._spaces.by_id(connection, space))
                connection.execute(f"DELETE FROM {table} WHERE space = ? AND {key} = ?", (space, name))
                if table in TALLIED:
                    tally(row, table, removed=checksum)
                row.floor = max(row.floor, seq)
            for row in rows.values():
                self._spaces.save(connection, row)
            if table in TEXTS:
                wipe_is_due(connection)

        while self._database.read(lambda connection: query(connection, statement, sought)):
            self._database.write(work)

    def _checkpoint(self) -> None:
        connection = self._database.open_another()
        try:
            query(connection, "PRAGMA wal_checkpoint(PASSIVE)")
        except FAULTS as error:
            raise translated(error, self.location) from error
        finally:
            self._database.drop(connection)

    def close(self) -> None:
        self._database.close()


def _holds_something(row: Space) -> bool:
    return any(row.counts[table] for table in ("items", "kept_values", "jobs"))


def _size(connection: apsw.Connection, spaces: Spaces, row: Space) -> SpaceSize:
    return SpaceSize(
        name=row.name,
        items=row.counts["items"],
        values=row.counts["kept_values"],
        bytes=FileRows(connection, spaces).size_of(row),
    )

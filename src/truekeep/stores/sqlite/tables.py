"""The tables of the file: rows that are sealed and tallied when they come, and verified when they are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import repeat

import apsw

from truekeep.model import SpaceId
from truekeep.ports import Table
from truekeep.stores.ledger.space import Space
from truekeep.stores.tables import COLUMNS, NAME

from .rows import Columns, checksum, query, replaced_one, sealed, verified
from .spaces import TALLIED, Spaces, tally
from .usage import UsageTables
from .wiping import wipe_is_due

UNSEALED = "accesses"
AT_ONCE = 1024  # names in one statement
TEXTS = frozenset({"items", "versions", "kept_values", "jobs"})  # what holds what somebody said
ORDERED = {"versions": " ORDER BY version, seq, row", "jobs": " ORDER BY row"}
KEYS = "SELECT key FROM kept_values WHERE space = ? AND (expires IS NULL OR expires > ?) ORDER BY key"
FREE = """WHERE state IN ('waiting', 'running') AND CASE state WHEN 'waiting' THEN not_before ELSE lease END <= ?
    ORDER BY created, row LIMIT 1"""
# Without INDEXED BY, SQLite may prefer to ask every space of the tenant.
OF_TENANT = """INDEXED BY jobs_by_id WHERE id = ?
    AND EXISTS (SELECT 1 FROM spaces WHERE spaces.id = jobs.space AND tenant = ?) ORDER BY row LIMIT 1"""
LATEST = "WHERE space IN (SELECT id FROM spaces WHERE tenant = ?) ORDER BY created DESC, row DESC LIMIT ?"
OPEN = "SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running')"


class Tables(UsageTables):
    """Implements `ledger.Rows` on a connection. A row that is missing is missed: see `Spaces.count`."""

    def __init__(self, connection: apsw.Connection, spaces: Spaces) -> None:
        self.connection = connection
        self._spaces = spaces
        self._held: dict[SpaceId, tuple[Space, Columns]] = {}  # with the counters that they came with

    def find(self, space: SpaceId) -> Space | None:
        held = self._held.get(space)
        if held is not None:
            return held[0]
        row = self._spaces.find(self.connection, space)
        return None if row is None else self._hold(space, row)

    seen = find

    def open(self, space: SpaceId) -> Space:
        held = self.find(space)
        if held is not None and held.name == space.name:
            return held
        return self._hold(space, self._spaces.open(self.connection, space))

    def _hold(self, space: SpaceId, row: Space) -> Space:
        self._held[space] = (row, row.counters())
        return row

    def save(self) -> None:
        """Keep the counters of spaces as they are now."""
        for row, before in self._held.values():
            if row.counters() != before:
                self._spaces.save(self.connection, row)

    def of(self, table: Table, space: Space, names: Collection[str | bytes]) -> list[Columns]:
        found = [
            columns
            for part in _parts(list(names))
            for columns in query(self.connection, _several(table, len(part)), (space.id, *part))
        ]
        if len(found) < len(names) and table in TALLIED:
            self._spaces.count(self.connection, space, table)
        return [_cells(table, columns) for columns in found]

    def all(self, table: Table, space: Space) -> list[Columns]:
        statement = f"SELECT {_named(table)} FROM {table} WHERE space = ?{ORDERED.get(table, '')}"
        return [_cells(table, columns) for columns in query(self.connection, statement, (space.id,))]

    def keep(self, table: Table, space: Space, rows: Sequence[Columns], old: Sequence[Columns] = ()) -> None:
        before = {cells[0]: checksum(table, (space.id, *cells)) for cells in old}
        for cells in rows:
            new = sealed(table, space.id, *cells)
            replaced = before.get(cells[0])
            if replaced is not None and table == "kept_values":  # whose size is counted as it comes and goes
                self.drop(table, space, [cells[0]])
                replaced = None
            if replaced is None:
                self.connection.execute(_insert(table), new)
            else:
                self.connection.execute(_update(table), (*new, space.id, cells[0], replaced))
                replaced_one(self.connection, table)
            if table in TALLIED:
                tally(space, table, added=new[-1], removed=replaced)

    def drop(self, table: Table, space: Space, names: Collection[str | bytes]) -> None:
        gone = 0
        for part in _parts(list(names)):
            seal = "0" if table == UNSEALED else "checksum"
            marks = ", ".join("?" * len(part))
            statement = f"DELETE FROM {table} WHERE space = ? AND {NAME[table]} IN ({marks}) RETURNING {seal}"
            for (removed,) in query(self.connection, statement, (space.id, *part)):
                gone += 1
                if table in TALLIED:
                    tally(space, table, removed=removed)
        if gone and table in TEXTS:
            wipe_is_due(self.connection)

    def size_of(self, space: Space) -> int:
        return self._number("SELECT bytes FROM sizes WHERE space = ?", space.id)

    def payloads(self, space: Space) -> int:
        return self._number("SELECT sum(octet_length(payload)) FROM jobs WHERE space = ?", space.id)

    def memories(self, space: Space) -> int:
        return self._number("SELECT sum(items) FROM spaces WHERE tenant = ?", space.tenant)

    def open_jobs_of(self, tenant: str) -> int:
        return self._number(f"{OPEN} AND space IN (SELECT id FROM spaces WHERE tenant = ? AND jobs > 0)", tenant)

    def _number(self, statement: str, *sought: str | int) -> int:
        rows = query(self.connection, statement, sought)
        return int(rows[0][0] or 0) if rows else 0

    def value_keys(self, space: Space, at: int) -> list[str]:
        self._spaces.count(self.connection, space, "kept_values", any_number=True)
        return [key for (key,) in query(self.connection, KEYS, (space.id, at))]

    def free_job(self, at: int) -> tuple[SpaceId, Columns] | None:
        return next(self._jobs(FREE, at), None)

    def job_of(self, tenant: str, id: str) -> tuple[SpaceId, Columns] | None:
        return next(self._jobs(OF_TENANT, id, tenant), None)

    def latest_jobs(self, tenant: str, limit: int) -> list[tuple[SpaceId, Columns]]:
        return list(self._jobs(LATEST, tenant, limit))

    def _jobs(self, where: str, *sought: str | int) -> Iterator[tuple[SpaceId, Columns]]:
        for columns in query(self.connection, f"SELECT {_named('jobs')} FROM jobs {where}", sought):
            space = self._spaces.by_id(self.connection, columns[0])
            yield SpaceId(space.tenant, space.name), _cells("jobs", columns)

    def open_jobs(self, space: Space | None) -> int:
        return self._number(OPEN) if space is None else self._number(f"{OPEN} AND space = ?", space.id)


def _cells(table: Table, columns: Columns) -> Columns:
    """What is kept of a row, without the number of the space and the checksum."""
    if table == UNSEALED:
        return columns[1:]
    return verified(table, columns, "tombstone" if table == "tombstones" else columns[1])[1:-1]


def _parts(names: Sequence[str | bytes]) -> Iterator[Sequence[str | bytes]]:
    """As many as go into one statement; rounded up by the last one, so that there are few statements to prepare."""
    for start in range(0, len(names), AT_ONCE):
        part = names[start : start + AT_ONCE]
        yield [*part, *repeat(part[-1], (1 << (len(part) - 1).bit_length()) - len(part))]


@cache
def _named(table: Table) -> str:
    return ", ".join(("space", *COLUMNS[table], *([] if table == UNSEALED else ["checksum"])))


@cache
def _several(table: Table, marks: int) -> str:
    sought = ", ".join("?" * marks)
    return (
        f"SELECT {_named(table)} FROM {table} WHERE space = ? AND {NAME[table]} IN ({sought}){ORDERED.get(table, '')}"
    )


@cache
def _insert(table: Table) -> str:
    verb = "INSERT" if table in TALLIED else "INSERT OR REPLACE"
    return f"{verb} INTO {table} ({_named(table)}) VALUES ({', '.join('?' * (len(COLUMNS[table]) + 2))})"


@cache
def _update(table: Table) -> str:
    marks = ", ".join("?" * (len(COLUMNS[table]) + 2))
    return f"UPDATE {table} SET ({_named(table)}) = ({marks}) WHERE space = ? AND {NAME[table]} = ? AND checksum = ?"

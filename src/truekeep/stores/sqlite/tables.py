"""The tables of the file: rows that are sealed and tallied when they come, and verified when they are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any

import apsw

from truekeep.model import SpaceId
from truekeep.ports import Table
from truekeep.stores.ledger.cells import Space, unused
from truekeep.stores.sql import SqlRows
from truekeep.stores.tables import COLUMNS, NAME, ORDER

from .rows import UNSEALED, Columns, cells_of, checksum, named, parts, query, replaced_one
from .spaces import TALLIED, Spaces, space_of, tally
from .wipe import wipe_is_due

TEXTS = frozenset({"items", "versions", "kept_values", "former_values", "jobs"})  # what holds what somebody said
ORDERED = {"versions": " ORDER BY version, seq, row", "jobs": " ORDER BY row"}


class Tables(SqlRows):
    """Implements `ledger.Rows` on a connection. A row that is missing is missed: see `Spaces.count`."""

    column = "space"
    came = "row"
    counted = TALLIED

    def __init__(self, connection: apsw.Connection, spaces: Spaces) -> None:
        self.connection = connection
        self._spaces = spaces
        self._held: dict[SpaceId, tuple[Space, Columns]] = {}  # with the counters that they came with
        self._seals: dict[tuple[Table, str | bytes], int] = {}  # of rows that were read: they are not made again

    def ask(self, statement: str, *values: Any) -> list[Columns]:
        return query(self.connection, statement, values)

    def change(self, statement: str, *values: Any) -> None:
        self.connection.execute(statement, values)

    def find(self, space: SpaceId) -> Space:
        held = self._held.get(space)
        if held is not None:
            return held[0]
        columns = self._spaces.row(self.connection, space)
        if columns is None:
            return unused(space)
        row = space_of(columns)
        self._held[space] = (row, columns[4:-1])
        return row

    seen = find

    def open(self, space: SpaceId) -> Space:
        row = self.find(space)
        if not row.is_there:
            row = self._spaces.make(self.connection, space)
            self._held[space] = (row, row.counters())
        elif row.name != space.name:
            self._spaces.rename(self.connection, row, space.name)
        return row

    def of(self, table: Table, space: Space, names: Collection[str | bytes]) -> list[Columns]:
        found = [
            columns
            for part in parts(names)
            for columns in query(self.connection, _several(table, len(part)), (space.id, *part))
        ]
        if len(found) < len(names) and table in TALLIED:
            self.miss(table, space)
        if table == "items":
            self._seals.update(((table, columns[1]), columns[-1]) for columns in found)
        return [cells_of(table, columns) for columns in found]

    def all(self, table: Table, space: Space) -> list[Columns]:
        statement = f"SELECT {named(table)} FROM {table} WHERE space = ?{ORDERED.get(table, '')}"
        return [cells_of(table, columns) for columns in query(self.connection, statement, (space.id,))]

    def keep(self, table: Table, space: Space, rows: Sequence[Columns], old: Sequence[Columns] = ()) -> None:
        if not rows:
            return
        if table == "kept_values" and old:  # whose size is counted as they come and go
            self.drop(table, space, [cells[0] for cells in old])
            old = ()
        before = {cells[0]: self._seal(table, space, cells) for cells in old}
        for cells in rows:
            columns = (space.id, *cells)
            new = columns if table == UNSEALED else (*columns, checksum(table, columns))
            replaced = before.get(cells[0])
            if replaced is None:
                self.connection.execute(_insert(table), new)
            else:
                self.connection.execute(_update(table), (*new, space.id, cells[0], replaced))
                replaced_one(self.connection, table)
            if table in TALLIED:
                tally(space, table, added=new[-1], removed=replaced)

    def _seal(self, table: Table, space: Space, cells: Columns) -> int:
        return self._seals.pop((table, cells[0]), None) or checksum(table, (space.id, *cells))

    def drop(self, table: Table, space: Space, names: Collection[str | bytes]) -> None:
        gone = 0
        for part in parts(names):
            seal = "0" if table == UNSEALED else "checksum"
            marks = ", ".join("?" * len(part))
            statement = f"DELETE FROM {table} WHERE space = ? AND {NAME[table]} IN ({marks}) RETURNING {seal}"
            for (removed,) in query(self.connection, statement, (space.id, *part)):
                gone += 1
                if table in TALLIED:
                    tally(space, table, removed=removed)
        if gone and table in TEXTS:
            wipe_is_due(self.connection)

    def page(self, table: Table, space: Space, *, after: Columns, limit: int) -> list[tuple[Columns, Columns]]:
        if table in TALLIED and not after:
            self._spaces.count(self.connection, space, table, always=True)
        order = ORDER[table] or ("row",)
        place = ", ".join(order)
        beyond = f"AND ({place}) > ({', '.join('?' * len(order))})" if after else ""
        statement = f"SELECT {place}, {named(table)} FROM {table} WHERE space = ? {beyond} ORDER BY {place} LIMIT ?"
        rows = query(self.connection, statement, (space.id, *after, limit))
        return [(row[: len(order)], cells_of(table, row[len(order) :])) for row in rows]

    def empty(self, space: Space) -> list[str]:
        wipe_is_due(self.connection)
        return super().empty(space)

    def hide(self, space: SpaceId) -> None:
        self._spaces.hide(self.connection, self.find(space), space)

    def miss(self, table: Table, space: Space, *, any_number: bool = False) -> None:
        """Something is not there: see that it never was, or was erased."""
        if not space.is_there or self._spaces.is_counted(space, table):
            return
        if self.connection.in_transaction:
            self._spaces.count(self.connection, space, table, any_number=any_number)
        else:
            self.together(
                lambda: self.miss(table, self._spaces.by_id(self.connection, space.id), any_number=any_number)
            )

    def together(self, look: Callable[[], None]) -> None:
        """Look at one state of the file."""
        if self.connection.in_transaction:
            look()
            return
        self.connection.execute("BEGIN")
        try:
            look()
        finally:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")


@cache
def _several(table: Table, marks: int) -> str:
    sought = ", ".join("?" * marks)
    return f"SELECT {named(table)} FROM {table} WHERE space = ? AND {NAME[table]} IN ({sought}){ORDERED.get(table, '')}"


@cache
def _insert(table: Table) -> str:
    verb = "INSERT" if table in TALLIED else "INSERT OR REPLACE"
    return f"{verb} INTO {table} ({named(table)}) VALUES ({', '.join('?' * (named(table).count(',') + 1))})"


@cache
def _update(table: Table) -> str:
    marks = ", ".join("?" * (len(COLUMNS[table]) + 2))
    return f"UPDATE {table} SET ({named(table)}) = ({marks}) WHERE space = ? AND {NAME[table]} = ? AND checksum = ?"

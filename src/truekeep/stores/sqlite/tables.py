"""The tables of the file: rows that are sealed and tallied when they come, and verified when they are read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

import apsw

from truekeep.stores.ledger.cells import Space
from truekeep.stores.tables import COLUMNS, NAME, ORDER, Held

from .rows import UNSEALED, Columns, cells_of, checksum, named, parts, query, replaced_one
from .spaces import TALLIED, Known, SpaceTables, tally
from .wipe import wipe_is_due

TEXTS = frozenset({"items", "versions", "kept_values", "former_values", "jobs"})  # what holds what somebody said
ORDERED = {"versions": " ORDER BY version, seq, row", "jobs": " ORDER BY row"}


class Tables(SpaceTables):
    """Implements `ledger.Rows` on a connection."""

    def __init__(self, connection: apsw.Connection, known: Known) -> None:
        super().__init__(connection, known)
        self._seals: dict[tuple[Held, str | bytes], int] = {}  # of rows that were read: they are not made again

    def of(self, table: Held, space: Space, names: Collection[str | bytes]) -> list[Columns]:
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

    def all(self, table: Held, space: Space) -> list[Columns]:
        statement = f"SELECT {named(table)} FROM {table} WHERE space = ?{ORDERED.get(table, '')}"
        return [cells_of(table, columns) for columns in query(self.connection, statement, (space.id,))]

    def keep(self, table: Held, space: Space, rows: Sequence[Columns], old: Sequence[Columns] = ()) -> None:
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

    def _seal(self, table: Held, space: Space, cells: Columns) -> int:
        return self._seals.pop((table, cells[0]), None) or checksum(table, (space.id, *cells))

    def drop(self, table: Held, space: Space, names: Collection[str | bytes]) -> None:
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

    def page(self, table: Held, space: Space, *, after: Columns, limit: int) -> list[tuple[Columns, Columns]]:
        if table in TALLIED and not after:
            self.see_all(table, space)
        order = ORDER[table] or ("row",)
        place = ", ".join(order)
        beyond = f"AND ({place}) > ({', '.join('?' * len(order))})" if after else ""
        statement = f"SELECT {place}, {named(table)} FROM {table} WHERE space = ? {beyond} ORDER BY {place} LIMIT ?"
        rows = query(self.connection, statement, (space.id, *after, limit))
        return [(row[: len(order)], cells_of(table, row[len(order) :])) for row in rows]

    def empty(self, space: Space) -> list[str]:
        wipe_is_due(self.connection)
        return super().empty(space)


@cache
def _several(table: Held, marks: int) -> str:
    sought = ", ".join("?" * marks)
    return f"SELECT {named(table)} FROM {table} WHERE space = ? AND {NAME[table]} IN ({sought}){ORDERED.get(table, '')}"


@cache
def _insert(table: Held) -> str:
    verb = "INSERT" if table in TALLIED else "INSERT OR REPLACE"
    return f"{verb} INTO {table} ({named(table)}) VALUES ({', '.join('?' * (named(table).count(',') + 1))})"


@cache
def _update(table: Held) -> str:
    marks = ", ".join("?" * (len(COLUMNS[table]) + 2))
    return f"UPDATE {table} SET ({named(table)}) = ({marks}) WHERE space = ? AND {NAME[table]} = ? AND checksum = ?"

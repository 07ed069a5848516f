"""The tables of the file: spaces with their counters, and rows that are sealed and tallied when they come.

They are verified when they are read, and one that damage took away is missed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import apsw

from truekeep.errors import DamagedStore
from truekeep.model import SpaceId
from truekeep.stores.ledger.cells import Cells, Name, Place, Space
from truekeep.stores.sql import SqlRows
from truekeep.stores.tables import COLUMNS, NAME, ORDER, Held, hidden_name, to_json

from .rows import (
    COUNTERS,
    LOW,
    SPACE,
    TALLIED,
    UNSEALED,
    Columns,
    cells_of,
    checksum,
    columns_of,
    count_rows,
    count_spaces,
    identity,
    keep_meta,
    meta,
    named,
    parts,
    query,
    replaced_one,
    space_of,
    tally,
    verified,
)
from .wipe import wipe_is_due

SELECT = f"SELECT {SPACE} FROM spaces"
INSERT = f"INSERT INTO spaces ({SPACE}) VALUES ({', '.join('?' * (len(COUNTERS) + 5))})"
UPDATE = f"UPDATE spaces SET {', '.join(f'{name} = ?' for name in (*COUNTERS, 'checksum'))} WHERE id = ?"

# Up to so many rows a process counts what a space holds before it believes that something is not there.
COUNTED_ROWS = 5_000
MOST_KNOWN = 10_000  # spaces
TEXTS = frozenset({"items", "versions", "kept_values", "former_values", "jobs"})  # what holds what somebody said
ORDERED = {"versions": " ORDER BY version, seq, row", "jobs": " ORDER BY row"}


@dataclass(slots=True)
class Known:
    """What a process knows of the spaces of a file, so that it is not read, hashed or counted again."""

    secret: Callable[[], bytes]
    seen: dict[SpaceId, Columns] = field(default_factory=dict)  # rows as last verified
    numbers: dict[SpaceId, int] = field(default_factory=dict)  # only of spaces that were committed
    counted: set[tuple[int, str]] = field(default_factory=set)  # by space, 0 for what belongs to none

    def note(self, space: SpaceId, row: Columns) -> None:
        if len(self.seen) > MOST_KNOWN:
            self.seen.clear()
        self.seen[space] = row


class Tables(SqlRows):
    """Implements `ledger.Rows` on a connection."""

    column = "space"
    came = "row"
    counted = TALLIED
    given = "json_each(?) AS given"
    space_of = staticmethod(space_of)
    indexed = "INDEXED BY {}"
    among = "IN (SELECT value FROM json_each(?))"
    in_doubt = """instr(body, '"suspected_by"')"""
    nothing = "'[]'"

    def __init__(self, connection: apsw.Connection, known: Known) -> None:
        super().__init__()
        self.connection = connection
        self._known = known
        self._seals: dict[tuple[Held, Name], int] = {}  # of rows that were read: they are not made again

    def ask(self, statement: str, *values: Any) -> list[Columns]:
        return query(self.connection, statement, values)

    def change(self, statement: str, *values: Any) -> None:
        self.connection.execute(statement, values)

    def row(self, space: SpaceId) -> Columns | None:
        named = f"{SELECT} WHERE tenant = ? AND name = ?"
        rows = self.connection.execute(named, space).fetchall()
        if not rows:
            rows = self.ask(named, space.tenant, hidden_name(self._known.secret(), space))
        if not rows:
            self.once("spaces", count_spaces)  # it never was, or it vanished
            return None
        if self._known.seen.get(space) != rows[0]:  # every recall asks this: mostly nothing is called
            self.verified(space, rows[0])
        return rows[0]

    def verified(self, space: SpaceId, row: Columns) -> Columns:
        """The row (SPACE) of the space, which is not hashed again while it is as it was last."""
        if self._known.seen.get(space) != row:
            self._known.note(space, verified("spaces", row, space.name))
        return row

    def number_of(self, space: SpaceId) -> int | None:
        """The number that stands for the space in all tables; it never changes, so the row is not read again.

        Only for reads: a write that is rolled back may have seen a new space whose number another one gets later.
        """
        number = self._known.numbers.get(space)
        if number is None and (row := self.row(space)) is not None:
            if len(self._known.numbers) > MOST_KNOWN:
                self._known.numbers.clear()
            number = self._known.numbers[space] = int(row[0])
        return number

    def by_id(self, id: int) -> Space:
        rows = self.ask(f"{SELECT} WHERE id = ?", id)
        if not rows:
            raise DamagedStore(f"the row of space number {id} is missing; restore a backup")
        return space_of(verified("spaces", rows[0], rows[0][2]))

    def seen(self, space: SpaceId) -> Space:
        return self.find(space)

    def save(self, row: Space) -> None:
        columns = columns_of(row)
        self.connection.execute(UPDATE, (*columns[4:], row.id))
        self._known.note(SpaceId(row.tenant, row.name), columns)

    def _made(self, space: SpaceId) -> Space:
        row = Space(
            self.number("SELECT max(id) FROM spaces") + 1, *space, 0, 0, 0, counts=dict.fromkeys(COUNTERS[3:], 0)
        )
        columns = columns_of(row)
        self.connection.execute(INSERT, columns)
        about = meta(self.connection)
        keep_meta(self.connection, about._replace(spaces=about.spaces + 1, total=about.total + (columns[3] & LOW)))
        return row

    def rename(self, space: Space, name: str) -> None:
        self._known.seen.pop(SpaceId(space.tenant, space.name), None)
        former, present = (identity(space.id, space.tenant, called) for called in (space.name, name))
        space.name = name
        about = meta(self.connection)
        keep_meta(self.connection, about._replace(total=about.total - (former & LOW) + (present & LOW)))
        self.connection.execute("UPDATE spaces SET name = ?, identity = ? WHERE id = ?", (name, present, space.id))
        self.save(space)

    def see_all(self, table: Held, space: Space) -> None:
        """See that the space has as many rows in the table as it should, in the transaction in which it was read."""
        count_rows(self.connection, space, table)
        self._known.counted.add((space.id, table))

    def miss(self, table: Held, space: Space, *, any_number: bool = False) -> None:
        """Something is not there: see that it never was, or was erased, once a process.

        A table with many rows is left to `check` unless `any_number` is asked for.
        """
        is_large = not any_number and space.counts[table] > COUNTED_ROWS
        if not space.is_there or is_large or (space.id, table) in self._known.counted:
            return
        if self.connection.in_transaction:
            self.see_all(table, space)
        else:
            self.together(lambda: self.see_all(table, self.by_id(space.id)))

    def once(self, table: str, count: Callable[[apsw.Connection], None]) -> None:
        """Count what belongs to no space, once a process, before something is believed not to be there."""
        if (0, table) not in self._known.counted:
            self.together(lambda: count(self.connection))
            self._known.counted.add((0, table))

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

    def of(self, table: Held, space: Space, names: Collection[Name]) -> list[Cells]:
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

    def many(self, names: Collection[str]) -> str:
        return to_json(list(names))

    def told(self, table: Held, rest: str, *values: Any) -> list[Cells]:
        rows = query(self.connection, f"SELECT {named(table)} FROM {table} {rest}", values)
        return [cells_of(table, columns) for columns in rows]

    def ordered(self, table: Held) -> str:
        return ORDERED.get(table, "")

    def keep(self, table: Held, space: Space, rows: Sequence[Cells], old: Sequence[Cells] = ()) -> None:
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

    def _seal(self, table: Held, space: Space, cells: Cells) -> int:
        return self._seals.pop((table, cells[0]), None) or checksum(table, (space.id, *cells))

    def drop(self, table: Held, space: Space, names: Collection[Name]) -> None:
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

    def page(self, table: Held, space: Space, *, after: Place, limit: int) -> list[tuple[Place, Cells]]:
        if table in TALLIED and not after:
            self.see_all(table, space)
        rows = query(self.connection, _page(table, bool(after)), (space.id, *after, limit))
        width = len(ORDER[table] or ("row",))
        return [(row[:width], cells_of(table, row[width:])) for row in rows]

    def empty(self, space: Space) -> list[str]:
        wipe_is_due(self.connection)
        return super().empty(space)


@cache
def _several(table: Held, marks: int) -> str:
    sought = ", ".join("?" * marks)
    return f"SELECT {named(table)} FROM {table} WHERE space = ? AND {NAME[table]} IN ({sought}){ORDERED.get(table, '')}"


@cache
def _page(table: Held, is_beyond: bool) -> str:
    order = ORDER[table] or ("row",)
    place = ", ".join(order)
    beyond = f"AND ({place}) > ({', '.join('?' * len(order))})" if is_beyond else ""
    return f"SELECT {place}, {named(table)} FROM {table} WHERE space = ? {beyond} ORDER BY {place} LIMIT ?"


@cache
def _insert(table: Held) -> str:
    verb = "INSERT" if table in TALLIED else "INSERT OR REPLACE"
    return f"{verb} INTO {table} ({named(table)}) VALUES ({', '.join('?' * (named(table).count(',') + 1))})"


@cache
def _update(table: Held) -> str:
    marks = ", ".join("?" * (len(COLUMNS[table]) + 2))
    return f"UPDATE {table} SET ({named(table)}) = ({marks}) WHERE space = ? AND {NAME[table]} = ? AND checksum = ?"

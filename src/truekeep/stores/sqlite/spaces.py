"""Spaces: their counters, and the tallies by which a row that damage took away is missed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import apsw

from truekeep.errors import DamagedStore
from truekeep.model import SpaceId
from truekeep.stores.ledger.cells import Space, unused
from truekeep.stores.sql import SqlRows
from truekeep.stores.tables import Held, hidden_name

from .rows import Columns, checksum, named, query, sealed, verified

TALLIED: tuple[Held, ...] = ("items", "versions", "tombstones", "answers", "kept_values", "jobs")
LOW = 0xFFFFFFFF  # sums of the lower half of checksums cannot overflow
COUNTERS = ("head", "floor", "value_head", *(name for table in TALLIED for name in (table, f"{table}_sum")))
SPACE = ", ".join(("id", "tenant", "name", "identity", *COUNTERS, "checksum"))
SELECT = f"SELECT {SPACE} FROM spaces"
INSERT = f"INSERT INTO spaces ({SPACE}) VALUES ({', '.join('?' * (len(COUNTERS) + 5))})"
UPDATE = f"UPDATE spaces SET {', '.join(f'{name} = ?' for name in (*COUNTERS, 'checksum'))} WHERE id = ?"

UNDER_THEIR_KEY: frozenset[Held] = frozenset({"tombstones", "answers", "kept_values"})
# Up to so many rows a process counts what a space holds before it believes that something is not there.
COUNTED_ROWS = 5_000
MOST_KNOWN = 10_000  # spaces


def space_of(row: Columns) -> Space:
    """What a row (SPACE) tells. How many rows of each table there are is counted by its name, their sum beside it."""
    return Space(*row[:3], *row[4:7], counts=dict(zip(COUNTERS[3:], row[7:-1], strict=True)))


def columns_of(space: Space) -> Columns:
    named = (space.id, space.tenant, space.name)
    columns: Columns = (*named, _identity(*named), *space.counters())
    return (*columns, checksum("spaces", columns))


@lru_cache(maxsize=1000)
def _identity(*named: int | str) -> int:
    return checksum("identity", named)


def tally(space: Space, table: str, added: int | None = None, removed: int | None = None) -> None:
    """A row with checksum `added` came, one with checksum `removed` went; both: it was replaced."""
    counts, total = space.counts, f"{table}_sum"
    if added is not None:
        counts[table] += 1
        counts[total] += added & LOW
    if removed is not None:
        counts[table] -= 1
        counts[total] -= removed & LOW


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


class SpaceTables(SqlRows):
    """Those methods of `ledger.Rows` that find and make spaces, on a connection. A row that is missing is missed."""

    column = "space"
    came = "row"
    counted = TALLIED

    def __init__(self, connection: apsw.Connection, known: Known) -> None:
        self.connection = connection
        self._known = known
        self._held: dict[SpaceId, tuple[Space, Columns]] = {}  # with the counters that they came with

    def ask(self, statement: str, *values: Any) -> list[Columns]:
        return query(self.connection, statement, values)

    def change(self, statement: str, *values: Any) -> None:
        self.connection.execute(statement, values)

    def row(self, space: SpaceId) -> Columns | None:
        """The row (SPACE) of it, verified; None if it never held anything. One that was erased has a hidden name."""
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

    def find(self, space: SpaceId) -> Space:
        held = self._held.get(space)
        if held is not None:
            return held[0]
        columns = self.row(space)
        if columns is None:
            return unused(space)
        row = space_of(columns)
        self._held[space] = (row, columns[4:-1])
        return row

    seen = find

    def open(self, space: SpaceId) -> Space:
        row = self.find(space)
        if not row.is_there:
            row = self._made(space)
            self._held[space] = (row, row.counters())
        elif row.name != space.name:
            self._rename(row, space.name)
        return row

    def hide(self, space: SpaceId) -> None:
        """Take the name out of the file; its counters stay, so that whoever knew the space learns of its end."""
        self._rename(self.find(space), hidden_name(self._known.secret(), space))
        self._known.seen.pop(space, None)

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

    def _rename(self, row: Space, name: str) -> None:
        former, identity = (_identity(row.id, row.tenant, called) for called in (row.name, name))
        row.name = name
        about = meta(self.connection)
        keep_meta(self.connection, about._replace(total=about.total - (former & LOW) + (identity & LOW)))
        self.connection.execute("UPDATE spaces SET name = ?, identity = ? WHERE id = ?", (name, identity, row.id))
        self.save(row)

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


class Meta(NamedTuple):
    """What there is to know of the file itself."""

    secret: bytes
    wipe: int
    spaces: int
    total: int  # of the identities of spaces


def meta(connection: apsw.Connection) -> Meta:
    rows = query(connection, "SELECT one, secret, wipe, spaces, spaces_sum, checksum FROM meta")
    if len(rows) != 1:
        raise DamagedStore("the row about the file is missing; restore a backup")
    return Meta(*verified("meta", rows[0], "meta")[1:-1])


def keep_meta(connection: apsw.Connection, about: Meta) -> None:
    row = sealed("meta", 1, *about)
    connection.execute("UPDATE meta SET one = ?, secret = ?, wipe = ?, spaces = ?, spaces_sum = ?, checksum = ?", row)


def counted(connection: apsw.Connection, row: Space, table: Held) -> Columns:
    """How many rows the space has in the table, and the sum of their checksums."""
    statement = f"SELECT count(*), coalesce(sum(checksum & {LOW}), 0) FROM {table} WHERE space = ?"
    return query(connection, statement, (row.id,))[0]


def count_rows(connection: apsw.Connection, row: Space, table: Held) -> None:
    """See that the space has as many rows in the table as its tally says, and the right ones."""
    if table in UNDER_THEIR_KEY:  # where no second index would contradict a damaged one
        for columns in query(connection, f"SELECT {named(table)} FROM {table} WHERE space = ?", (row.id,)):
            verified(table, columns, "row")
    if counted(connection, row, table) != (row.counts[table], row.counts[f"{table}_sum"]):
        raise DamagedStore(
            f"rows of {table} in the space {row.name!r} are missing or damaged; restore a backup, or see whether "
            "`truekeep check` can repair it"
        )


def count_spaces(connection: apsw.Connection) -> None:
    """See that no space vanished. One statement, so that it sees one state of the file."""
    statement = f"""SELECT m.spaces, m.spaces_sum, count(s.id), coalesce(sum(s.identity & {LOW}), 0)
        FROM meta AS m LEFT JOIN spaces AS s ON true"""
    count, total, found, found_total = query(connection, statement)[0]
    if (count, total) != (found, found_total):
        raise DamagedStore("a space is missing or damaged; restore a backup")

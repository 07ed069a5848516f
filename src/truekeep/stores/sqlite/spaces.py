"""Spaces: their counters, and the tallies by which a row that damage took away is missed."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from truekeep.errors import DamagedStore
from truekeep.model import SpaceId
from truekeep.ports import Table
from truekeep.stores.ledger.cells import Space
from truekeep.stores.tables import hidden_name

from .rows import Columns, checksum, named, query, sealed, verified

if TYPE_CHECKING:
    import apsw

    from .driver import FileDriver

TALLIED: tuple[Table, ...] = ("items", "versions", "tombstones", "answers", "kept_values", "jobs")
LOW = 0xFFFFFFFF  # sums of the lower half of checksums cannot overflow
COUNTERS = ("head", "floor", "value_head", *(name for table in TALLIED for name in (table, f"{table}_sum")))
SPACE = ", ".join(("id", "tenant", "name", "identity", *COUNTERS, "checksum"))
SELECT = f"SELECT {SPACE} FROM spaces"
INSERT = f"INSERT INTO spaces ({SPACE}) VALUES ({', '.join('?' * (len(COUNTERS) + 5))})"
UPDATE = f"UPDATE spaces SET {', '.join(f'{name} = ?' for name in (*COUNTERS, 'checksum'))} WHERE id = ?"

UNDER_THEIR_KEY: frozenset[Table] = frozenset({"tombstones", "answers", "kept_values"})
# Up to so many rows a process counts what a space holds before it believes that something is not there.
COUNTED_ROWS = 5_000


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


class Spaces:
    """Finds and keeps the rows of spaces."""

    def __init__(self, driver: FileDriver) -> None:
        self._driver = driver
        self._secret: bytes | None = None
        self._seen: dict[SpaceId, Columns] = {}  # as last verified, so that an unchanged row is not hashed again
        self._numbers: dict[SpaceId, int] = {}  # only of spaces that were committed, see `number`
        self._counted: set[tuple[int, str]] = set()

    def secret(self) -> bytes:
        """What keys the fingerprints of this store."""
        if self._secret is None:
            self._secret = self._driver.read(None, lambda rows: rows.secret())
        return self._secret

    def forget_secret(self) -> None:
        """It may be another one now."""
        self._secret = None

    def row(self, connection: apsw.Connection, space: SpaceId) -> Columns | None:
        """The row (SPACE) of it, verified; None if it never held anything. One that was erased has a hidden name."""
        named = f"{SELECT} WHERE tenant = ? AND name = ?"
        rows = connection.execute(named, space).fetchall()  # every recall asks this
        if not rows:
            rows = query(connection, named, (space.tenant, hidden_name(self.secret(), space)))
        if not rows:
            self.once("spaces", lambda: count_spaces(connection))  # it never was, or it vanished
            return None
        if self._seen.get(space) != rows[0]:
            self._note(space, verified("spaces", rows[0], space.name))
        return rows[0]

    def seen(self, row: Columns) -> Columns:
        """The row (SPACE) of the space that it names, verified unless it is as it was last."""
        if self._seen.get(space := SpaceId(row[1], row[2])) != row:
            self._note(space, verified("spaces", row, space.name))
        return row

    def _note(self, space: SpaceId, row: Columns) -> None:
        if len(self._seen) > 10_000:
            self._seen.clear()
        self._seen[space] = row

    def number(self, connection: apsw.Connection, space: SpaceId) -> int | None:
        """The number that stands for the space in all tables; it never changes, so the row is not read again.

        Only for reads: a write that is rolled back may have seen a new space whose number another one gets later.
        """
        number = self._numbers.get(space)
        if number is None and (row := self.row(connection, space)) is not None:
            if len(self._numbers) > 10_000:
                self._numbers.clear()
            number = self._numbers[space] = int(row[0])
        return number

    def by_id(self, connection: apsw.Connection, id: int) -> Space:
        rows = query(connection, f"{SELECT} WHERE id = ?", (id,))
        if not rows:
            raise DamagedStore(f"the row of space number {id} is missing; restore a backup")
        return space_of(verified("spaces", rows[0], rows[0][2]))

    def make(self, connection: apsw.Connection, space: SpaceId) -> Space:
        """The row of a space that never held anything. Inside a write."""
        id = query(connection, "SELECT coalesce(max(id), 0) + 1 FROM spaces")[0][0]
        row = Space(id, *space, 0, 0, 0, counts=dict.fromkeys(COUNTERS[3:], 0))
        columns = columns_of(row)
        connection.execute(INSERT, columns)
        _, secret, wipe, count, total, _ = meta(connection)
        keep_meta(connection, secret, wipe, count + 1, total + (columns[3] & LOW))
        return row

    def save(self, connection: apsw.Connection, row: Space) -> None:
        columns = columns_of(row)
        connection.execute(UPDATE, (*columns[4:], row.id))
        self._note(SpaceId(row.tenant, row.name), columns)

    def hide(self, connection: apsw.Connection, row: Space, space: SpaceId) -> None:
        """Take the name out of the file; its counters stay, so that whoever knew the space learns of its end."""
        self.rename(connection, row, hidden_name(self.secret(), space))
        self._seen.pop(space, None)

    def rename(self, connection: apsw.Connection, row: Space, name: str) -> None:
        _, secret, wipe, count, total, _ = meta(connection)
        former, identity = (_identity(row.id, row.tenant, called) for called in (row.name, name))
        row.name = name
        keep_meta(connection, secret, wipe, count, total - (former & LOW) + (identity & LOW))
        connection.execute("UPDATE spaces SET name = ?, identity = ? WHERE id = ?", (name, identity, row.id))
        self.save(connection, row)

    def count(
        self,
        connection: apsw.Connection,
        row: Space,
        table: Table,
        *,
        always: bool = False,
        any_number: bool = False,
    ) -> None:
        """See that the space has as many rows in the table as it should, once a process or `always`.

        Call it in the transaction in which the row was read, and before you believe that something is not there. A
        table with many rows is left to `check` unless `any_number` is asked for.
        """
        if not always:
            is_large = row.counts[table] > COUNTED_ROWS and not any_number
            if is_large or (row.id, table) in self._counted:
                return
        count_rows(connection, row, table)
        self._counted.add((row.id, table))

    def is_counted(self, row: Space, table: str) -> bool:
        """Whether this process has done so before."""
        return (row.id, table) in self._counted

    def once(self, table: str, count: Callable[[], None]) -> None:
        """Count what belongs to no space, once a process, before something is believed not to be there."""
        if (0, table) not in self._counted:
            count()
            self._counted.add((0, table))


def meta(connection: apsw.Connection) -> Columns:
    """The one row about the file: 1, secret, wipe, spaces, spaces_sum, checksum."""
    rows = query(connection, "SELECT one, secret, wipe, spaces, spaces_sum, checksum FROM meta")
    if len(rows) != 1:
        raise DamagedStore("the row about the file is missing; restore a backup")
    return verified("meta", rows[0], "meta")


def keep_meta(connection: apsw.Connection, secret: bytes, wipe: int, spaces: int, spaces_sum: int) -> None:
    row = sealed("meta", 1, secret, wipe, spaces, spaces_sum)
    connection.execute("UPDATE meta SET one = ?, secret = ?, wipe = ?, spaces = ?, spaces_sum = ?, checksum = ?", row)


def counted(connection: apsw.Connection, row: Space, table: Table) -> Columns:
    """How many rows the space has in the table, and the sum of their checksums."""
    statement = f"SELECT count(*), coalesce(sum(checksum & {LOW}), 0) FROM {table} WHERE space = ?"
    return query(connection, statement, (row.id,))[0]


def count_rows(connection: apsw.Connection, row: Space, table: Table) -> None:
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

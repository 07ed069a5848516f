"""Moving: handing over everything as it is, and taking it in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import apsw

from truekeep.errors import Conflict
from truekeep.model import SpaceId
from truekeep.ports import Cells, Counters, Table
from truekeep.stores.ledger.space import Space
from truekeep.stores.records import HIDDEN
from truekeep.stores.tables import COLUMNS, ORDER, TABLES, USAGE, after_emptying, in_use, not_ours, page_of

from .driver import FileRows
from .faults import FAULTS, translated
from .part import Part
from .rows import Columns, query, sealed, verified
from .spaces import SELECT, TALLIED, Spaces, count_rows, count_spaces, keep_meta, meta, tally
from .usage import COLUMNS as USED
from .usage import KEY, key_cells

NOTE = "SELECT space, note, checksum FROM moves WHERE space = ?"
UNSEALED = "accesses"


class FileView:
    """The port `View`, on one state of the file."""

    def __init__(self, connection: apsw.Connection, spaces: Spaces) -> None:
        self._connection = connection
        self._spaces = spaces
        _, self.secret, _, spaces, _, _ = meta(connection)
        self.is_new = not spaces

    def spaces(self) -> list[SpaceId]:
        count_spaces(self._connection)
        rows = query(self._connection, f"{SELECT} ORDER BY tenant, name")
        return [SpaceId(row[1], row[2]) for row in rows if not row[2].startswith(HIDDEN)]

    def counters(self, space: SpaceId) -> Counters:
        row = self._spaces.find(self._connection, space)
        return Counters(0, 0, 0) if row is None else Counters(row.head, row.floor, row.value_head)

    def counts(self, space: SpaceId) -> dict[Table, int]:
        row = self._spaces.find(self._connection, space)
        if row is None:
            return dict.fromkeys(TABLES, 0)
        return {table: _count(self._connection, row, table) for table in TABLES}

    def rows(self, space: SpaceId, table: Table) -> Iterator[Sequence[Cells]]:
        row = self._spaces.find(self._connection, space)
        if row is None:
            return
        if table in TALLIED:
            count_rows(self._connection, row, table)
        order = ORDER[table] or ("row",)
        beyond = f"AND ({', '.join(order)}) > ({', '.join('?' * len(order))})"
        named = ", ".join((*order, "space", *COLUMNS[table], *([] if table == UNSEALED else ["checksum"])))
        last: tuple[object, ...] = ()
        while True:
            found = query(
                self._connection,
                f"SELECT {named} FROM {table} WHERE space = ? {beyond if last else ''} ORDER BY {', '.join(order)} "
                f"LIMIT {page_of(table)}",
                (row.id, *last),
            )
            if not found:
                return
            yield [_cells(table, columns[len(order) :]) for columns in found]
            last = found[-1][: len(order)]

    def access_keys(self) -> list[Cells]:
        rows = query(self._connection, f"{KEY} ORDER BY id")
        return [key_cells(row) for row in rows]

    def usage(self) -> list[Cells]:
        rows = query(self._connection, f"SELECT {USED} FROM usage ORDER BY {', '.join(USAGE[:-1])}")
        return [verified("usage", row, row[1])[:-1] for row in rows]


class Moving(Part):
    """The port `Movable`."""

    @contextmanager
    def viewed(self) -> Iterator[FileView]:
        database = self._database
        connection = database.take_reader() if database.path is None else database.open_another()
        try:
            connection.execute("BEGIN")
            yield FileView(connection, Spaces(database))
        except FAULTS as error:
            raise translated(error, database.location) from error
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if database.path is None:
                database.give_reader(connection)
            else:
                database.drop(connection)

    def adopt_secret(self, secret: bytes) -> bool:
        def work(connection: apsw.Connection) -> bool:
            _, present, wipe, spaces, total, _ = meta(connection)
            if present != secret and not spaces:
                keep_meta(connection, secret, wipe, spaces, total)
            return present == secret or not spaces

        is_ours = self._database.write(work)
        self._spaces.forget_secret()
        return is_ours

    def unfinished(self, space: SpaceId) -> str | None:
        def fetch(connection: apsw.Connection) -> str | None:
            row = self._spaces.find(connection, space)
            return None if row is None else _note(connection, row)

        return self._database.read_together(fetch)

    def take_in(self, space: SpaceId, table: Table, rows: Sequence[Cells], *, based_on: str | None, note: str) -> None:
        def work(connection: apsw.Connection) -> None:
            row = self._spaces.open(connection, space)
            if based_on is None:
                _begin(connection, row, space)
            elif _note(connection, row) != based_on:
                raise not_ours(space)
            _add(connection, row, table, rows)
            connection.execute("INSERT OR REPLACE INTO moves VALUES (?, ?, ?)", sealed("moves", row.id, note))
            self._spaces.save(connection, row)

        self._database.write(work, sum(len(cell) for row in rows for cell in row if isinstance(cell, str | bytes)))

    def finish(self, space: SpaceId, counters: Counters, *, based_on: str) -> None:
        def work(connection: apsw.Connection) -> None:
            row = self._spaces.open(connection, space)
            if _note(connection, row) != based_on:
                raise not_ours(space)
            row.head, row.floor, row.value_head = after_emptying(
                Counters(row.head, row.floor, row.value_head), counters
            )
            connection.execute("DELETE FROM moves WHERE space = ?", (row.id,))
            self._spaces.save(connection, row)

        self._database.write(work)

    def take_in_keys(self, keys: Sequence[Cells]) -> None:
        def work(connection: apsw.Connection) -> None:
            tables = FileRows(connection, self._spaces)
            for *columns, last in keys:
                present = query(connection, f"{KEY} WHERE id = ? OR digest = ?", columns[:2])
                if not present:
                    tables.add_key((*columns, last))
                elif [tuple(row[:-2]) for row in present] != [tuple(columns)]:
                    raise Conflict(f"the target has another access key {columns[0]!r} already")
                if last is not None:
                    statement = "INSERT INTO key_uses VALUES (?, ?) ON CONFLICT DO UPDATE SET last = max(last, ?)"
                    connection.execute(statement, (columns[0], last, last))

        self._database.write(work)

    def take_in_usage(self, usage: Sequence[Cells]) -> None:
        def work(connection: apsw.Connection) -> None:
            tables = FileRows(connection, self._spaces)
            for tenant, subject, counter, period, count in usage:
                key = (str(tenant), str(subject), str(counter), str(period))
                missing = int(count or 0) - tables.used(key)
                if missing > 0:
                    tables.add_usage(key, missing)

        self._database.write(work)


def _cells(table: Table, columns: Columns) -> Cells:
    """What is kept of a row, without the number of the space and the checksum."""
    return columns[1:] if table == UNSEALED else verified(table, columns, columns[1])[1:-1]


def _count(connection: apsw.Connection, row: Space, table: Table) -> int:
    if table in TALLIED:
        return row.counts[table]
    return int(query(connection, f"SELECT count(*) FROM {table} WHERE space = ?", (row.id,))[0][0])


def _note(connection: apsw.Connection, row: Space) -> str | None:
    rows = query(connection, NOTE, (row.id,))
    return verified("moves", rows[0], row.name)[1] if rows else None


def _begin(connection: apsw.Connection, row: Space, space: SpaceId) -> None:
    if any(_count(connection, row, table) for table in TABLES) or _note(connection, row) is not None:
        raise in_use(space)


def _add(connection: apsw.Connection, row: Space, table: Table, rows: Sequence[Cells]) -> None:
    named = ("space", *COLUMNS[table], *([] if table == UNSEALED else ["checksum"]))
    statement = f"INSERT INTO {table} ({', '.join(named)}) VALUES ({', '.join('?' * len(named))})"
    new: list[Columns] = [(row.id, *cells) if table == UNSEALED else sealed(table, row.id, *cells) for cells in rows]
    connection.executemany(statement, new).fetchall()
    if table in TALLIED:
        for columns in new:
            tally(row, table, added=columns[-1])
    if table == "items" and rows:
        row.head = max(row.head, *(columns[2] for columns in new))

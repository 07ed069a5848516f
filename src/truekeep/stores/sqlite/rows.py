"""Rows: how what is kept becomes columns, and how a row that is not what was written is noticed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b
from itertools import repeat
from typing import Any, TypeAlias

import apsw

from truekeep.errors import DamagedStore, StoreError
from truekeep.stores.tables import COLUMNS, Held

Column: TypeAlias = "int | float | str | bytes | None"
Columns: TypeAlias = "tuple[Any, ...]"  # a row as SQLite gives it, checksum last

UNSEALED = "accesses"
AT_ONCE = 1024  # names in one statement


def named(table: Held) -> str:
    """The columns of a table, as they are sealed."""
    return ", ".join(("space", *COLUMNS[table], *([] if table == UNSEALED else ["checksum"])))


ITEM = named("items")


def query(connection: apsw.Connection, statement: str, values: Sequence[Any] = ()) -> list[Columns]:
    """All rows at once: a statement that is left open would hold the log."""
    return connection.execute(statement, values).fetchall()


def checksum(table: str, columns: Sequence[Column]) -> int:
    """Eight bytes over the columns as Python writes them in ASCII: no two rows read alike, in any version of it."""
    written = f"{table}{tuple(columns)!a}".encode()
    return int.from_bytes(blake2b(written, digest_size=8).digest(), "big", signed=True)


def sealed(table: str, *columns: Column) -> Columns:
    """The columns with their checksum behind them."""
    return (*columns, checksum(table, columns))


def verified(table: str, row: Columns, name: object) -> Columns:
    """The row, if it is what was written. `name` is what the message calls it by: an id or a key, never a text."""
    if checksum(table, row[:-1]) != row[-1]:
        raise damaged(table, name)
    return row


def damaged(table: str, name: object) -> DamagedStore:
    return DamagedStore(f"a row of {table} is damaged: {name!r}; restore a backup, or see what `check` tells")


def replaced_one(connection: apsw.Connection, table: str) -> None:
    """See that the last statement replaced a row. One that was read before it changed would be tallied wrongly."""
    if connection.changes() != 1:
        raise StoreError(f"a row of {table} had changed since it was read; nothing was written")


def cells_of(table: str, columns: Columns) -> Columns:
    """What is kept of a row, without the number of the space and the checksum; it is what was written."""
    if table == UNSEALED:
        count_of(columns[2])
        return columns[1:]
    if checksum(table, columns[:-1]) != columns[-1]:
        raise damaged(table, table if table in ("tombstones", "moves") else columns[1])
    return columns[1:-1]


def count_of(kept: object) -> int:
    """An access count; none is kept for what was never recalled."""
    if kept is not None and not isinstance(kept, int):
        raise DamagedStore("the access counts are damaged; restore a backup")
    return kept or 0


def parts(names: Collection[str | bytes]) -> Iterator[Sequence[str | bytes]]:
    """As many as go into one statement; rounded up by the last one, so that there are few statements to prepare."""
    given = list(names)
    if len(given) == 1:
        yield given
        return
    for start in range(0, len(given), AT_ONCE):
        part = given[start : start + AT_ONCE]
        yield [*part, *repeat(part[-1], (1 << (len(part) - 1).bit_length()) - len(part))]

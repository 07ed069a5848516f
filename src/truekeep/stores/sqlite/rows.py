"""Rows: how what is kept becomes columns, and how a row that is not what was written is noticed."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, TypeAlias

import apsw

from truekeep.errors import DamagedStore, StoreError
from truekeep.model import MemoryItem
from truekeep.ports import Put
from truekeep.stores.records import body_of, fingerprint, item_fields, item_from, microseconds, moment, to_json

__all__ = [
    "ITEM",
    "ITEM_MARKS",
    "Column",
    "Columns",
    "checksum",
    "fingerprint",
    "item_columns",
    "item_of",
    "microseconds",
    "moment",
    "query",
    "replaced_one",
    "sealed",
    "to_json",
    "verified",
]

Column: TypeAlias = "int | float | str | bytes | None"
Columns: TypeAlias = "tuple[Any, ...]"  # a row as SQLite gives it, checksum last

ITEM = (
    'space, id, seq, content, body, key, fingerprint, version, created, updated, "when", until, retired, expires, '
    "superseded_by, repeatable, checksum"
)
ITEM_MARKS = ", ".join("?" * 17)


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
        raise DamagedStore(f"a row of {table} is damaged: {name!r}; restore a backup, or see what `check` tells")
    return row


def replaced_one(connection: apsw.Connection, table: str) -> None:
    """See that the last statement replaced a row. One that was read before it changed would be tallied wrongly."""
    if connection.changes() != 1:
        raise StoreError(f"a row of {table} had changed since it was read; nothing was written")


def item_columns(put: Put, *, space: int, seq: int, fingerprint: bytes) -> tuple[Column, ...]:
    """All columns of an item but the checksum."""
    rest = item_fields(put.item, body_of(put.item), fingerprint)
    return (space, put.item.id, seq, *rest, int(put.repeatable))


def item_of(table: str, row: Columns) -> MemoryItem:
    """The item that a row (ITEM) holds; DamagedStore if the row is not what was written."""
    verified(table, row, row[1])
    _, id, seq, content, body, key, _, version, created, updated, when, until, retired, expires, successor, _, _ = row
    return item_from(id, seq, content, body, key, version, created, updated, when, until, retired, expires, successor)

"""Rows: how items become columns and come back, many at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from truekeep.model import MemoryItem
from truekeep.stores.records import body_of, item_fields, item_from

if TYPE_CHECKING:
    from truekeep.stores.ledger.space import Space

    from .session import Columns, Session


TYPES = {
    "id": "text",
    "seq": "bigint",
    "content": "text",
    "body": "json",
    "key": "text",
    "fingerprint": "bytea",
    "version": "bigint",
    "created": "bigint",
    "updated": "bigint",
    '"when"': "bigint",
    "until": "bigint",
    "retired": "bigint",
    "expires": "bigint",
    "superseded_by": "text",
    "repeatable": "boolean",
}
ITEM = ", ".join(TYPES)
ITEM_OF = ", ".join(f"i.{name}" for name in TYPES)
# One statement for any number of rows, as arrays of columns. COPY would be faster still, but the server refuses it to
# whoever stands behind row-level security.
ARRAYS = ", ".join(f"%s::{kind}[]" for kind in TYPES.values())
KEEP = f"""INSERT INTO items (tenant, space_id, {ITEM}) SELECT %s, %s, * FROM unnest({ARRAYS})
    ON CONFLICT (space_id, id) DO UPDATE SET ({ITEM}) = ({", ".join(f"excluded.{name}" for name in TYPES)})"""
FILE = f"INSERT INTO versions (tenant, space_id, {ITEM}, filed) SELECT %s, %s, * FROM unnest({ARRAYS}, %s::bigint[])"


class Kept(NamedTuple):
    """A row of an item, or of a former version: the item, and what only the store knows of it."""

    item: MemoryItem
    fingerprint: bytes
    repeatable: bool


def kept(row: Columns) -> Kept:
    """What a row (ITEM) holds."""
    return Kept(item_of(row), row[5], row[14])


def item_of(row: Columns) -> MemoryItem:
    return item_from(*row[:5], *row[6:14])


def _columns(row: Kept, body: str) -> Columns:
    item = row.item
    return (item.id, item.seq, *item_fields(item, body, row.fingerprint), row.repeatable)


def bytes_of(item: MemoryItem) -> int:
    """What an item or a former version counts for in the size of its space."""
    return len(item.content.encode()) + len(body_of(item).encode())


def keep_items(session: Session, space: Space, rows: Sequence[Kept]) -> int:
    """Put the rows in place of those with the same ids, later; the bytes that they will have."""
    return _write(session, KEEP, space, rows)


def file_versions(session: Session, space: Space, rows: Sequence[Kept]) -> None:
    """File the rows as former versions, and count their bytes."""
    first = space.counts["filed"] + 1
    space.counts["filed"] += len(rows)
    space.counts["bytes"] += _write(session, FILE, space, rows, list(range(first, space.counts["filed"] + 1)))


def _write(session: Session, statement: str, space: Space, rows: Sequence[Kept], *more: Any) -> int:
    if not rows:
        return 0
    bodies = [body_of(row.item) for row in rows]
    columns = [_columns(row, body) for row, body in zip(rows, bodies, strict=True)]
    session.change_later(
        statement, [space.tenant, space.id, *(list(column) for column in zip(*columns, strict=True)), *more]
    )
    return sum(len(row.item.content.encode()) + len(body.encode()) for row, body in zip(rows, bodies, strict=True))

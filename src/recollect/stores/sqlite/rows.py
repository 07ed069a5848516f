"""Rows: how what is kept becomes columns, and how a row that is not what was written is noticed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeAlias

import apsw

from recollect.errors import DamagedStore
from recollect.model import JSON, MemoryItem, Source, SpaceId
from recollect.ports import Put

Column: TypeAlias = "int | float | str | bytes | None"
Columns: TypeAlias = "tuple[Any, ...]"  # a row as SQLite gives it, checksum last

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
ITEM = (
    'space, id, seq, content, body, key, fingerprint, version, created, updated, "when", until, retired, expires, '
    "superseded_by, repeatable, checksum"
)
ITEM_MARKS = ", ".join("?" * 17)
SHORT = 64  # characters of a body: a kind, a tag or two
NOBODY = Source()


def query(connection: apsw.Connection, statement: str, values: Sequence[Any] = ()) -> list[Columns]:
    """All rows at once: a statement that is left open would hold the log."""
    return connection.execute(statement, values).fetchall()


def microseconds(time: datetime) -> int:
    return (time - EPOCH) // MICROSECOND


def moment(microseconds: int) -> datetime:
    seconds, rest = divmod(microseconds, 1_000_000)
    return EPOCH + timedelta(0, seconds, rest)


to_json: Callable[[JSON], str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def fingerprint(secret: bytes, space: SpaceId, statement: str) -> bytes:
    """Recognises a statement without keeping it. Depends on the space, so equal ones cannot be told across spaces."""
    message = "\0".join((space.tenant, space.name, statement))
    return blake2b(message.encode("utf-8", "surrogatepass"), key=secret, digest_size=16).digest()


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


def item_columns(put: Put, *, space: int, seq: int, fingerprint: bytes) -> tuple[Column, ...]:
    """All columns of an item but the checksum."""
    item = put.item
    return (
        space,
        item.id,
        seq,
        item.content,
        _body(item),
        item.key,
        fingerprint,
        item.version,
        microseconds(item.created),
        microseconds(item.updated),
        microseconds(item.when),
        None if item.until is None else microseconds(item.until),
        None if item.retired is None else microseconds(item.retired),
        None if item.expires is None else microseconds(item.expires),
        item.superseded_by,
        int(put.repeatable),
    )


def item_of(table: str, row: Columns) -> MemoryItem:
    """The item that a row (ITEM) holds; DamagedStore if the row is not what was written."""
    verified(table, row, row[1])
    _, id, seq, content, body, key, _, version, created, updated, when, until, retired, expires, successor, _, _ = row
    first = moment(created)
    return MemoryItem(
        id=id,
        content=content,
        key=key,
        created=first,
        updated=first if updated == created else moment(updated),
        when=first if when == created else moment(when),
        until=None if until is None else moment(until),
        retired=None if retired is None else moment(retired),
        expires=None if expires is None else moment(expires),
        superseded_by=successor,
        version=version,
        seq=seq,
        **(_rest_of_short(body) if len(body) <= SHORT and '"metadata"' not in body else _rest(body)),
    )


def _rest(body: str) -> dict[str, Any]:
    """The other fields of an item."""
    rest: dict[str, Any] = json.loads(body)
    for field in ("tags", "redacted"):
        if field in rest:
            rest[field] = tuple(rest[field])
    if "source" in rest:
        rest["source"] = Source(**rest["source"])
    return rest


# Most bodies say little and are alike. Without metadata nothing in them can be changed by whom it is handed to.
_rest_of_short = lru_cache(maxsize=1000)(_rest)


def _body(item: MemoryItem) -> str:
    """What no query asks for, without what is as usual."""
    body: dict[str, JSON] = {"kind": item.kind}
    if item.tags:
        body["tags"] = item.tags
    if item.metadata:
        body["metadata"] = dict(item.metadata)
    source = _source(item)
    if source:
        body["source"] = source
    if item.pinned:
        body["pinned"] = True
    if item.reason is not None:
        body["reason"] = item.reason
    if item.reinforced:
        body["reinforced"] = item.reinforced
    if item.redacted:
        body["redacted"] = item.redacted
    return to_json(body)


def _source(item: MemoryItem) -> Mapping[str, JSON]:
    source = item.source
    found: dict[str, JSON] = {
        name: value
        for name, value in (
            ("name", source.name),
            ("speaker", source.speaker),
            ("role", source.role),
            ("session", source.session),
            ("message", source.message),
        )
        if value is not None
    }
    if source.trust != "user" or source.name is not None or source.role is not None:  # else it is as usual
        found["trust"] = source.trust
    return found

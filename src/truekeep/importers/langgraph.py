"""LangGraph's SqliteStore: items with a text become memories, others become values."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from truekeep.errors import InvalidInput

from . import times
from .fields import Fields, text_of
from .files import columns, database, tables
from .records import Entry, Found, LeftOut, Raw


def read(path: Path, fields: Fields, now: datetime) -> Iterator[Raw]:
    """All items, the oldest first. Checkpoints, which hold the state of conversations, are another program's."""
    with database(path) as connection:
        has = tables(connection)
        if "store" not in has:
            hint = "; it has checkpoints only" if "checkpoints" in has else ""
            raise InvalidInput("path", f"{path} has no store of LangGraph{hint}")
        ends = "expires_at" if "expires_at" in columns(connection, "store") else "NULL AS expires_at"
        connection.row_factory = sqlite3.Row
        query = f"SELECT prefix, key, value, created_at, updated_at, {ends} FROM store ORDER BY created_at, rowid"
        for row in connection.execute(query):
            yield _found(row, fields, now)


def _found(row: sqlite3.Row, fields: Fields, now: datetime) -> Raw:
    place = f"{row['prefix']}/{row['key']}"
    try:
        value = json.loads(row["value"])
        ends = times.end(row["expires_at"]) if row["expires_at"] else None
        written = times.moment(row["updated_at"] or row["created_at"])
    except (ValueError, TypeError, RecursionError):
        return LeftOut(where=place, reason="is not what LangGraph keeps: its value is no JSON, or a time is none")
    if isinstance(value, Mapping):
        known: dict[str, Any] = {"id": place, **({"expires": row["expires_at"]} if ends else {})}
        found = fields.read(place, value, is_lenient=True, **known)
        if not isinstance(found, LeftOut) and isinstance(content := text_of(found.content), str):
            return _placed(found, row, content, written)
    if ends is not None and ends <= now:
        return LeftOut(where=place, reason="has expired", is_bad=False)
    return Entry(where=place, key=place, value=value, ttl=None if ends is None else ends - now)


def _placed(found: Found, row: sqlite3.Row, content: str, written: datetime) -> Found:
    return replace(
        found,
        content=content,
        when=found.when or written,
        tags=(*found.tags, f"namespace:{row['prefix']}"),
        metadata={**found.metadata, "key": row["key"]},
    )

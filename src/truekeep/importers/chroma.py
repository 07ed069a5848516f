"""Chroma folders, such as those of autogen-ext's ChromaDBVectorMemory; read without Chroma."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from truekeep.errors import InvalidInput

from . import times
from .fields import Fields
from .files import columns, database, tables
from .records import Found, LeftOut, Raw

FILE = "chroma.sqlite3"
_DOCUMENT = "chroma:document"
_OWN = "chroma:"  # what Chroma writes for itself
_NEEDED = {"collections", "segments", "embeddings", "embedding_metadata"}
_ROWS = """
    SELECT e.id, c.name, e.embedding_id, e.created_at FROM embeddings e
    JOIN segments s ON s.id = e.segment_id JOIN collections c ON c.id = s.collection ORDER BY e.id"""
_COLUMNS = "key, string_value, int_value, float_value"


class Row(NamedTuple):
    """One embedding, without its vector."""

    collection: str
    id: str
    written: str  # when it was last written: UTC
    document: str | None
    metadata: dict[str, Any]


def read(path: Path, fields: Fields) -> Iterator[Raw]:
    """The documents of all collections, oldest first."""
    for row in rows(path):
        where = f"{row.collection}/{row.id}"
        if row.document is None or not row.document.strip():
            yield LeftOut(where=where, reason="has no document, only a vector", is_bad=False)
            continue
        found = fields.read(where, row.metadata, is_lenient=True, content=row.document, id=where)
        yield found if isinstance(found, LeftOut) else _placed(found, row)


def _placed(found: Found, row: Row) -> Found:
    """With the time of the row, where the metadata tells none, and the collection as a tag that sets it apart."""
    when = found.when or times.moment_or_none(row.written)
    return replace(found, when=when, tags=(*found.tags, f"collection:{row.collection}"))


def rows(path: Path) -> Iterator[Row]:
    """What is in the file, or in the folder around it."""
    with database(path / FILE if path.is_dir() else path) as connection:
        has = tables(connection)
        if not has >= _NEEDED:
            raise InvalidInput("path", f"{path} is no store of Chroma, or of a version that is not known here")
        details = _Details(connection, with_lists="embedding_metadata_array" in has)
        for number, collection, id, written in connection.execute(_ROWS):
            metadata = details.of(number)
            yield Row(collection, id, written, metadata.pop(_DOCUMENT, None), _foreign(metadata))


class _Details:
    """The metadata of embeddings."""

    def __init__(self, connection: sqlite3.Connection, *, with_lists: bool) -> None:
        self._connection = connection
        has_flags = "bool_value" in columns(connection, "embedding_metadata")
        single = f"{_COLUMNS}, bool_value" if has_flags else f"{_COLUMNS}, NULL"
        self._single = f"SELECT {single} FROM embedding_metadata WHERE id = ?"
        self._listed = f"SELECT {_COLUMNS}, bool_value FROM embedding_metadata_array WHERE id = ?"
        self._with_lists = with_lists

    def of(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = {
            key: _value(*values) for key, *values in self._connection.execute(self._single, (number,))
        }
        for key, *values in self._connection.execute(self._listed, (number,)) if self._with_lists else ():
            known = found.setdefault(key, [])
            if isinstance(known, list):
                known.append(_value(*values))
        return found


def _value(text: str | None, whole: int | None, number: float | None, flag: int | None) -> str | int | float | None:
    if flag is not None:
        return bool(flag)
    return next((value for value in (text, whole, number) if value is not None), None)


def _foreign(metadata: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if not str(name).startswith(_OWN)}

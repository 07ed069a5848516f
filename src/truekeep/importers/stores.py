"""Stores of agent frameworks, read without them: Chroma's folders, LangGraph's SqliteStore, Teachability's memos."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from truekeep.errors import InvalidInput

from .fields import Fields, text_of
from .files import columns, database, tables, whole_bytes
from .pickles import Husk, plain
from .records import Entry, Found, LeftOut, Raw, end, moment, moment_or_none

CHROMA_FILE = "chroma.sqlite3"
_DOCUMENT = "chroma:document"
_OWN = "chroma:"  # what Chroma writes for itself
_NEEDED = {"collections", "segments", "embeddings", "embedding_metadata"}
_ROWS = """
    SELECT e.id, c.name, e.embedding_id, e.created_at FROM embeddings e
    JOIN segments s ON s.id = e.segment_id JOIN collections c ON c.id = s.collection ORDER BY e.id"""
_COLUMNS = "key, string_value, int_value, float_value"
_PAIRS = "uid_text_dict.pkl"  # Teachability: id → (what was asked, what was taught)
_MEMOS = "uid_memo_dict.pkl"  # task-centric memory: id → a task, and an insight


class Row(NamedTuple):
    """One embedding, without its vector."""

    collection: str
    id: str
    written: str  # when it was last written: UTC
    document: str | None
    metadata: dict[str, Any]


def read_chroma(path: Path, fields: Fields) -> Iterator[Raw]:
    """The documents of all collections, oldest first."""
    for row in chroma_rows(path):
        where = f"{row.collection}/{row.id}"
        if row.document is None or not row.document.strip():
            yield LeftOut(where=where, reason="has no document, only a vector", is_bad=False)
            continue
        found = fields.read(where, row.metadata, is_lenient=True, content=row.document, id=where)
        if not isinstance(found, LeftOut):  # Chroma knows when it was written, and the collection sets it apart
            when = found.when or moment_or_none(row.written)
            found = replace(found, when=when, tags=(*found.tags, f"collection:{row.collection}"))
        yield found


def chroma_rows(path: Path) -> Iterator[Row]:
    """What is in the file, or in the folder around it."""
    with database(path / CHROMA_FILE if path.is_dir() else path) as connection:
        has = tables(connection)
        if not has >= _NEEDED:
            raise InvalidInput("path", f"{path} is no store of Chroma, or of a version that is not known here")
        flag = "bool_value" if "bool_value" in columns(connection, "embedding_metadata") else "NULL"
        single = f"SELECT {_COLUMNS}, {flag} FROM embedding_metadata WHERE id = ?"
        listed = f"SELECT {_COLUMNS}, bool_value FROM embedding_metadata_array WHERE id = ?"
        for number, collection, id, written in connection.execute(_ROWS):
            metadata: dict[str, Any] = {key: _value(*one) for key, *one in connection.execute(single, (number,))}
            for key, *one in connection.execute(listed, (number,)) if "embedding_metadata_array" in has else ():
                known = metadata.setdefault(key, [])
                if isinstance(known, list):
                    known.append(_value(*one))
            foreign = {name: value for name, value in metadata.items() if not str(name).startswith(_OWN)}
            yield Row(collection, id, written, metadata.get(_DOCUMENT), foreign)


def _value(text: str | None, whole: int | None, number: float | None, flag: int | None) -> str | int | float | None:
    if flag is not None:
        return bool(flag)
    return next((value for value in (text, whole, number) if value is not None), None)


def read_langgraph(path: Path, fields: Fields, now: datetime) -> Iterator[Raw]:
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
            yield _of_langgraph(row, fields, now)


def _of_langgraph(row: sqlite3.Row, fields: Fields, now: datetime) -> Raw:
    place = f"{row['prefix']}/{row['key']}"
    try:
        value = json.loads(row["value"])
        ends = end(row["expires_at"]) if row["expires_at"] else None
        written = moment(row["updated_at"] or row["created_at"])
    except (ValueError, TypeError, RecursionError):
        return LeftOut(where=place, reason="is not what LangGraph keeps: its value is no JSON, or a time is none")
    if isinstance(value, Mapping):
        known: dict[str, Any] = {"id": place, **({"expires": row["expires_at"]} if ends else {})}
        found = fields.read(place, value, is_lenient=True, **known)
        if not isinstance(found, LeftOut) and isinstance(content := text_of(found.content), str):
            return replace(
                found,
                content=content,
                when=found.when or written,
                tags=(*found.tags, f"namespace:{row['prefix']}"),
                metadata={**found.metadata, "key": row["key"]},
            )
    if ends is not None and ends <= now:
        return LeftOut(where=place, reason="has expired", is_bad=False)
    return Entry(where=place, key=place, value=value, ttl=None if ends is None else ends - now)


def read_teachability(path: Path) -> Iterator[Raw]:
    """The memos of a folder, or of the pickle in it."""
    file = path if path.is_file() else next((path / name for name in (_MEMOS, _PAIRS) if (path / name).is_file()), None)
    if file is None:
        raise InvalidInput("path", f"{path} has neither {_PAIRS} nor {_MEMOS}: is it Teachability's path_to_db_dir?")
    memos = plain(whole_bytes(file), str(file))
    if not isinstance(memos, dict):
        raise InvalidInput("path", f"{file} is not what Teachability keeps there")
    written = {} if file.name == _MEMOS else _times(file.parent)
    for id, memo in memos.items():
        yield _memo(str(id), memo, written.get(str(id)))


def _memo(id: str, memo: object, written: str | None) -> Raw:
    pair = (memo.fields.get("task"), memo.fields.get("insight")) if isinstance(memo, Husk) else memo
    if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], str)):
        return LeftOut(where=f"memo {id}", reason="is not a pair of texts")
    asked, taught = pair
    is_both = isinstance(asked, str) and asked.strip() and asked.strip() not in taught
    return Found(
        where=f"memo {id}",
        id=id,
        content=f"{asked}\n{taught}" if is_both else taught,  # the question is what it will be found by
        when=moment_or_none(written),
        metadata={"input": asked, "output": taught} if is_both else {},
    )


def _times(folder: Path) -> dict[str, str]:
    """When each memo was kept, where Chroma knows."""
    if not (folder / CHROMA_FILE).is_file():
        return {}
    return {row.id: row.written for row in chroma_rows(folder) if row.collection == "memos"}

"""Stores of other programs, as those programs write them: the tables that matter, and pickles."""

from __future__ import annotations

import json
import pickle
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

CHROMA = """
    CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE segments (id TEXT PRIMARY KEY, type TEXT, scope TEXT, collection TEXT NOT NULL);
    CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL, embedding_id TEXT NOT NULL,
        seq_id BLOB NOT NULL, created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
    CREATE TABLE embedding_metadata (id INTEGER, key TEXT NOT NULL, string_value TEXT, int_value INTEGER,
        float_value REAL, bool_value INTEGER, PRIMARY KEY (id, key));
    CREATE TABLE embedding_metadata_array (id INTEGER NOT NULL, key TEXT NOT NULL, string_value TEXT, int_value INTEGER,
        float_value REAL, bool_value INTEGER);
    INSERT INTO segments VALUES ('s', 'urn:chroma:segment/metadata/sqlite', 'METADATA', 'c');
"""
LANGGRAPH = """
    CREATE TABLE store (prefix text NOT NULL, key text NOT NULL, value text NOT NULL,
        created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        expires_at TIMESTAMP, ttl_minutes REAL, PRIMARY KEY (prefix, key));
"""
HISTORY = """
    CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
        created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);
"""
_COLUMNS = {str: "string_value", bool: "bool_value", int: "int_value", float: "float_value"}


def chroma(
    folder: Path, documents: Mapping[str, str | None], metadata: Mapping[str, Any] | None = None, *, name: str = "notes"
) -> Path:
    """A Chroma folder; all documents have the same metadata."""
    folder.mkdir(exist_ok=True)
    with made(folder / "chroma.sqlite3", CHROMA) as database:
        database.execute("INSERT INTO collections VALUES ('c', ?)", (name,))
        for number, (id, document) in enumerate(documents.items(), start=1):
            database.execute(
                "INSERT INTO embeddings VALUES (?, 's', ?, ?, '2025-03-01 10:00:00')", (number, id, number)
            )
            told = {**(metadata or {}), **({} if document is None else {"chroma:document": document})}
            for key, value in told.items():
                is_list = isinstance(value, list)
                table = "embedding_metadata_array" if is_list else "embedding_metadata"
                for one in value if is_list else [value]:
                    insert = f"INSERT INTO {table} (id, key, {_COLUMNS[type(one)]}) VALUES (?, ?, ?)"
                    database.execute(insert, (number, key, one))
    return folder


def langgraph(path: Path, *rows: tuple[str, str, Any, str | None]) -> Path:
    """A SqliteStore: prefix, key, value, end."""
    with made(path, LANGGRAPH) as database:
        for prefix, key, value, ends in rows:
            told = value if isinstance(value, bytes) else json.dumps(value).encode()
            row = (prefix, key, told, "2025-03-01 10:00:00", "2025-03-02 10:00:00", ends)
            database.execute("INSERT INTO store VALUES (?, ?, ?, ?, ?, ?, NULL)", row)
    return path


def qdrant(folder: Path, *points: bytes) -> Path:
    """The folder of a local Qdrant with one collection."""
    file = folder / "collection" / "mem0" / "storage.sqlite"
    file.parent.mkdir(parents=True)
    with made(file, "CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)") as database:
        database.executemany("INSERT INTO points VALUES (?, ?)", enumerate(points))
    return folder


def point(id: str, payload: Mapping[str, Any]) -> bytes:
    """A point as qdrant-client pickles it."""
    state = {"__dict__": {"id": id, "vector": [0.5, 0.25], "payload": dict(payload)}, "__pydantic_extra__": None}
    return b"\x80\x04" + _instance("qdrant_client.http.models.models", "PointStruct", state) + b"."


def memo(task: str | None, insight: str) -> bytes:
    """The memos of autogen-ext's task-centric memory: a dict with one of them."""
    module = "autogen_ext.experimental.task_centric_memory._memory_bank"
    return b"\x80\x04}" + _text("1") + _instance(module, "Memo", {"task": task, "insight": insight}) + b"s."


def _instance(module: str, name: str, state: Mapping[str, Any]) -> bytes:
    """What makes an instance of a class that is not here, in the words of pickle: STACK_GLOBAL, NEWOBJ, BUILD."""
    return _text(module) + _text(name) + b"\x93)\x81" + pickle.dumps(state, protocol=2)[2:-1] + b"b"


def _text(text: str) -> bytes:
    return b"\x8c" + bytes([len(text)]) + text.encode()


@contextmanager
def made(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(schema)
        yield database

"""Every text that a store keeps, to search for what it should not hold."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import apsw

from truekeep.memory import Memory


def memories(memory: Memory) -> Iterator[str]:
    """The texts of all items, of their former versions and of all values; of superseded items too."""
    for line in memory.export():
        yield from _inside(json.loads(line))


def everything(memory: Memory) -> Iterator[str]:
    """Whatever is text in any column of the store's file: memories, jobs, answers, derived data."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        memory.backup(copy)
        database = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            yield from _texts(database)
        finally:
            database.close()


def _texts(database: apsw.Connection) -> Iterator[str]:
    tables = [str(name) for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for table in tables:
        quoted = table.replace('"', '""')
        for row in database.execute(f'SELECT * FROM "{quoted}"'):
            for value in row:
                text = value.decode(errors="replace") if isinstance(value, bytes) else value
                if isinstance(text, str):
                    yield text
                    yield from _parsed(text)


def _parsed(text: str) -> Iterator[str]:
    """What JSON in a column says: in the column itself a line break or a quote is written otherwise."""
    if text.startswith(("{", "[", '"')):
        try:
            yield from _inside(json.loads(text))
        except ValueError:
            return


def _inside(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for name, inner in value.items():
                yield str(name)
                yield from _inside(inner)
        case list():
            for inner in value:
                yield from _inside(inner)

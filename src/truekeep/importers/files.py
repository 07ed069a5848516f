"""The files of other programs, opened for reading only."""

from __future__ import annotations

import io
import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from truekeep.errors import InvalidInput

STDIN = "-"
_BOM = b"\xef\xbb\xbf"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file; `-` is stdin. A mark of the byte order at the beginning is passed over."""
    if str(path) == STDIN:
        yield _without_mark(sys.stdin.buffer)
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise InvalidInput("path", f"{path} cannot be read: {error.strerror}") from error
    with file:
        yield _without_mark(file)


@contextmanager
def opened_text(path: Path) -> Iterator[TextIO]:
    """The same as text, whose ends of lines are as they are."""
    with opened(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
        except UnicodeDecodeError as error:
            raise InvalidInput("path", f"{path} is not UTF-8; save it as UTF-8 first") from error
        finally:
            text.detach()  # it is not ours to close


def whole_text(path: Path) -> str:
    with opened_text(path) as file:
        return file.read()


def whole_bytes(path: Path) -> bytes:
    with opened(path) as file:
        return file.read()


def json_of(text: str) -> Any:
    """JSON as Python writes it: NaN, which JSON has not, is a value that is missing."""
    return json.loads(text, parse_constant=lambda constant: None)


@contextmanager
def database(path: Path) -> Iterator[sqlite3.Connection]:
    """A SQLite file of somebody else. Nothing in it is changed, and nothing in its schema may run."""
    if not path.is_file():
        raise InvalidInput("path", f"there is no file {path}")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged file may even speak of itself in no UTF-8
        raise InvalidInput("path", f"{path} cannot be read as the SQLite file that it should be: {error}") from error


def tables(connection: sqlite3.Connection) -> frozenset[str]:
    return frozenset(name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    return frozenset(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))


def is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


def _without_mark(file: BinaryIO) -> BinaryIO:
    buffered = io.BufferedReader(file) if isinstance(file, io.RawIOBase) else file
    if isinstance(buffered, io.BufferedReader) and buffered.peek(len(_BOM)).startswith(_BOM):
        buffered.read(len(_BOM))
    return buffered

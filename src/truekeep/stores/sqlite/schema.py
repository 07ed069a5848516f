"""The schema of a file: which version it has, whether it is ours at all, and how it gets to the present one."""

from __future__ import annotations

import os
import secrets
from functools import cache
from typing import TYPE_CHECKING

import apsw

from truekeep.errors import ConfigurationError, DamagedStore
from truekeep.stores.versions import Version, refuse_newer, scripts

from .rows import query, sealed

if TYPE_CHECKING:
    from pathlib import Path

APPLICATION_ID = 0x5265636F  # names the schema, whatever the product is called
MAGIC = b"SQLite format 3\0"
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
# Migrations that programs from before them need not know: they add tables or indexes that nobody else has to keep.
BESIDE: frozenset[int] = frozenset()


def migrations() -> tuple[str, ...]:
    return scripts(__package__)


def inspect_file(path: Path, vfs: str | None) -> None:
    """Refuse a file that is not ours before SQLite touches it: merely opening one may leave files beside it.

    It is read through SQLite's own file layer, because closing a plain file handle would drop every POSIX lock that
    this process holds on the same file.
    """
    if path.is_dir():
        raise ConfigurationError(f"{path} is a folder; name a file in it")
    if not path.exists() or path.stat().st_size == 0:
        return  # new
    header, size = _header(path, vfs)
    if header[:16] != MAGIC and _rolls_back_to_nothing(path):
        return  # its creation was interrupted before the first page was there: SQLite rolls that back
    application, version = int.from_bytes(header[68:72], "big"), int.from_bytes(header[60:64], "big")
    if header[:16] != MAGIC:
        if application == APPLICATION_ID:
            raise DamagedStore(f"{path} is damaged: its first bytes are not those of a database; restore a backup")
        raise ConfigurationError(f"{path} is not a Truekeep store; choose another path")
    empty = application == version == 0 and size == page_size_of(header)
    has_log = any(path.with_name(path.name + ending).exists() for ending in ("-wal", "-journal"))
    if application != APPLICATION_ID and (has_log or not empty):
        raise ConfigurationError(f"{path} is a database of another application; choose another path")
    refuse_newer(version, len(migrations()), str(path))


def _header(path: Path, vfs: str | None) -> tuple[bytes, int]:
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY
    file = apsw.VFSFile(vfs or "", os.fspath(path.absolute()), [flags, 0])
    try:
        size = file.xFileSize()
        return bytes(file.xRead(min(size, 100), 0)).ljust(100, b"\0"), size
    finally:
        file.xClose()


def _rolls_back_to_nothing(path: Path) -> bool:
    """Whether a journal lies beside the file that knows it as empty. Another's journal must not be rolled back."""
    journal = path.with_name(path.name + "-journal")
    if not journal.is_file():
        return False
    with journal.open("rb") as file:
        start = file.read(20)
    return start[:8] == JOURNAL_MAGIC and start[16:] == bytes(4)  # pages that there were before


def page_size_of(header: bytes) -> int:
    """How many bytes a page has, by the first 18 bytes of the file; 1 stands for 65536."""
    size = int.from_bytes(header[16:18], "big")
    return 65536 if size == 1 else size


def seen(connection: apsw.Connection, location: str, before: int | None = None) -> int:
    """The version that the file says it has, unless it is not for us; looked at again where it is not that `before`."""
    number = int(query(connection, "PRAGMA user_version")[0][0])
    if number != before:
        refuse_newer(number, len(migrations()), location)
    return number


def migrate(connection: apsw.Connection, location: str) -> int:
    """Bring the file to the present schema, as a whole or not at all, see that it really has it, and tell its version.

    A new file is filled before it is switched to WAL: a journalled creation leaves either nothing or a file whose
    header names its owner.
    """
    if Version.read(seen(connection, location)).schema < len(migrations()):
        connection.execute("BEGIN EXCLUSIVE")
        try:
            _run_missing(connection, location)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    _compare(connection, location)
    return seen(connection, location)


def _run_missing(connection: apsw.Connection, location: str) -> None:
    version = Version.read(seen(connection, location)).schema  # another process may have been faster
    if version == 0 and query(connection, "SELECT 1 FROM sqlite_schema LIMIT 1"):
        raise DamagedStore(f"{location} is damaged: it holds tables but no schema version; restore a backup")
    for number, script in enumerate(migrations()[version:], version + 1):
        connection.execute(script)
        if number == 1:
            row = sealed("meta", 1, secrets.token_bytes(32), 0, 0, 0)
            connection.execute("INSERT INTO meta VALUES (?, ?, ?, ?, ?, ?)", row)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        if number == 2:
            connection.execute("INSERT INTO key_tally VALUES (?, ?, ?, ?)", sealed("key_tally", 1, 0, 0))
        connection.execute(f"PRAGMA user_version = {Version.after(number, BESIDE).number}")


@cache
def _expected() -> frozenset[tuple[str, ...]]:
    fresh = apsw.Connection(":memory:")
    for script in migrations():
        fresh.execute(script)
    try:
        return frozenset(_objects(fresh))
    finally:
        fresh.close()


def _objects(connection: apsw.Connection) -> list[tuple[str, ...]]:
    return query(connection, "SELECT type, name, tbl_name, sql FROM sqlite_schema")


def _compare(connection: apsw.Connection, location: str) -> None:
    """A flipped byte in a table's definition can leave valid SQL that means something else."""
    if not _expected() <= set(_objects(connection)):
        raise DamagedStore(f"{location} is damaged: its schema is not the one that was written; restore a backup")

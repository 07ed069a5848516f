"""Wiping: after an erasure, the bytes of the text leave the files too.

`secure_delete` overwrites what is deleted, but three places are left. The log still holds former pages: it is copied
into the file and cut to nothing. When SQLite rebalances a tree it rewrites pages without clearing the gap between the
cell pointers and the cells, so that a *copy* of a row may lie in the gap of a page where the row no longer is (found
by searching the bytes: one in several hundred erased rows). And other connections may hold such pages in their cache
and write them back. So the gaps are overwritten with zeros in the file itself, under the write lock and with an empty
log, and a commit follows which makes every other connection read its pages again. SQLite never reads a gap.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import apsw

from .faults import FAULTS, translated
from .schema import page_size_of
from .spaces import keep_meta, meta

if TYPE_CHECKING:
    from pathlib import Path

    from .connections import Database

TRIES = 5
PATIENCE = 0.2  # seconds that one try waits for readers
CHUNK = 1 << 20
CELLS_FROM = {2: 12, 5: 12, 10: 8, 13: 8}  # by type of a tree's page: where its cell pointers begin
# Pages of other types begin with a page number, whose first byte is that of no tree below this many pages.
MOST_PAGES = 0x02000000


def wipe(database: Database) -> bool:
    """Whether nothing is left; if not, because a reader holds the log, a later erasure or `tidy` tries again."""
    if database.path is None:
        return True
    connection = database.open_another()
    try:
        database.wait_less(connection, PATIENCE)
        for attempt in range(TRIES):
            if attempt:
                time.sleep(0.01 * attempt)
            if _wipe_once(connection, database.path, database.vfs):
                return True
        return False
    except FAULTS as error:
        raise translated(error, database.location) from error
    finally:
        database.drop(connection)


def is_due(connection: apsw.Connection) -> bool:
    return bool(meta(connection)[2])


def _wipe_once(connection: apsw.Connection, path: Path, vfs: str | None) -> bool:
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    if busy:
        return False
    try:
        connection.execute("BEGIN IMMEDIATE")
    except apsw.BusyError:
        return False
    try:
        if _size(path.with_name(path.name + "-wal")):  # somebody wrote in between
            return False
        clean = _clear_gaps(path, vfs)
        _, secret, _, spaces, total, _ = meta(connection)
        keep_meta(connection, secret, 0, spaces, total)
        connection.execute("COMMIT")
        return clean
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _clear_gaps(path: Path, vfs: str | None) -> bool:
    """Through SQLite's own file layer: closing a plain handle would drop the locks that this process holds."""
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE
    file = apsw.VFSFile(vfs or "", os.fspath(path.absolute()), [flags, 0])
    try:
        size = file.xFileSize()
        page_size = page_size_of(file.xRead(100, 0))
        if size // page_size >= MOST_PAGES:
            return False
        for start in range(0, size, CHUNK):
            chunk = file.xRead(min(CHUNK, size - start), start)
            for offset in range(0, len(chunk), page_size):
                header = 100 if start + offset == 0 else 0
                first, last = _dirty_gap(chunk[offset : offset + page_size], header)
                if first < last:
                    file.xWrite(bytes(last - first), start + offset + first)
        file.xSync(apsw.SQLITE_SYNC_NORMAL)
        return True
    finally:
        file.xClose()


def _dirty_gap(page: bytes, header: int) -> tuple[int, int]:
    """From where to where unused bytes of a tree's page are not zero; (0, 0) if they are, or if it looks damaged."""
    pointers = CELLS_FROM.get(page[header])
    if pointers is None:
        return 0, 0
    cells = int.from_bytes(page[header + 3 : header + 5], "big")
    first = header + pointers + 2 * cells
    last = int.from_bytes(page[header + 5 : header + 7], "big") or 65536
    if not first <= last <= len(page) or page.count(0, first, last) == last - first:
        return 0, 0
    cell_starts = memoryview(page)[header + pointers : first]
    sound = all(last <= int.from_bytes(cell_starts[at : at + 2], "big") < len(page) for at in range(0, 2 * cells, 2))
    return (first, last) if sound else (0, 0)

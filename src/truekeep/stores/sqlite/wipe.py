"""Wiping: after an erasure, the bytes of the text leave the files too.

`secure_delete` overwrites what is deleted, but three places are left. The log still holds former pages: it is copied
into the file and cut to nothing. When SQLite rebalances a tree it rewrites pages without clearing the gap between the
cell pointers and the cells, so that a *copy* of a row may lie in the gap of a page where the row no longer is (found
by searching the bytes: one in several hundred erased rows). And other connections may hold such pages in their cache
and write them back. So the gaps are overwritten with zeros in the file itself, under the write lock and with an empty
log, and a commit follows which makes every other connection read its pages again. SQLite never reads a gap.

That looks at every page. So a large file is wiped in portions, between which others write: what they write into a page
that was cleared already holds nothing that was erased before.
"""

from __future__ import annotations

import os
import secrets
import time
from typing import TYPE_CHECKING, NamedTuple

import apsw

from truekeep.errors import StoreError

from .rows import keep_meta, meta
from .schema import page_size_of

if TYPE_CHECKING:
    from pathlib import Path

    from .driver import FileDriver, FileRows

TRIES = 5
PATIENCE = 0.2  # seconds that one try waits for readers
CHUNK = 1 << 20
PORTION = 16 << 20  # bytes that are looked at while nobody else writes
AT_ONCE = 8 << 20  # a file up to this size is wiped by whoever erases, in a few milliseconds
DUE = 1  # in `meta.wipe`, where 0 stands for clean and any other number for whoever is wiping
CELLS_FROM = {2: 12, 5: 12, 10: 8, 13: 8}  # by type of a tree's page: where its cell pointers begin
# Pages of other types begin with a page number, whose first byte is that of no tree below this many pages.
MOST_PAGES = 0x02000000


def wipe(database: FileDriver) -> bool:
    """Whether nothing is left; if not, because a reader holds the log, it is still due."""
    if database.path is None or not database.path.exists() or not database.read(None, is_due):
        return True
    own = secrets.randbits(62) | 2  # another who wipes puts down its own number, and is then the one to clear it
    with database.own() as connection:
        database.wait_less(connection, PATIENCE)
        start: int | None = 0
        is_clean = False
        while start is not None:
            portion = _patiently(connection, database, start, own)
            if portion is None:
                return False
            start, is_clean = portion
        return is_clean


def wipe_if_small(database: FileDriver) -> bool:
    """Whether nothing is left, because it took no time to see to that; a larger file is left to `wipe`."""
    if database.path is not None and _size(database.path) > AT_ONCE:
        return False
    return wipe(database)


def is_due(rows: FileRows) -> bool:
    return bool(meta(rows.connection).wipe)


def wipe_is_due(connection: apsw.Connection) -> None:
    """Inside the write that erases."""
    about = meta(connection)
    if about.wipe != DUE:
        keep_meta(connection, about._replace(wipe=DUE))


class _Portion(NamedTuple):
    next: int | None  # where the next one begins; None after the last
    is_clean: bool  # whether the file is


def _patiently(connection: apsw.Connection, database: FileDriver, start: int, own: int) -> _Portion | None:
    for attempt in range(TRIES):
        if attempt:
            time.sleep(0.01 * attempt)
        portion = _wipe_portion(connection, database, start, own)
        if portion is not None:
            return portion
    return None


def _wipe_portion(connection: apsw.Connection, database: FileDriver, start: int, own: int) -> _Portion | None:
    """None while somebody holds the log."""
    assert database.path is not None
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    if busy:
        return None
    try:
        connection.execute("BEGIN IMMEDIATE")
    except apsw.BusyError:
        return None
    try:
        if _size(database.path.with_name(database.path.name + "-wal")):  # somebody wrote in between
            return None
        about = meta(connection)
        following = _clear_gaps(database.path, database.vfs, start)
        # Whatever was erased since the first portion is due again.
        present = own if start == 0 else about.wipe
        is_clean = following is None and present == own
        keep_meta(connection, about._replace(wipe=0 if is_clean else present))
        connection.execute("COMMIT")
        return _Portion(following, is_clean)
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _clear_gaps(path: Path, vfs: str | None, start: int) -> int | None:
    """Clear those of a portion; where the next one begins, None after the last.

    Through SQLite's own file layer: closing a plain handle would drop the locks that this process holds.
    """
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE
    file = apsw.VFSFile(vfs or "", os.fspath(path.absolute()), [flags, 0])
    try:
        size = file.xFileSize()
        page_size = page_size_of(file.xRead(100, 0))
        if size // page_size >= MOST_PAGES:
            raise StoreError("the file is too large for its erased bytes to be cleared; migrate to PostgreSQL")
        end = min(size, start + PORTION)
        for at in range(start, end, CHUNK):
            chunk = file.xRead(min(CHUNK, size - at), at)
            for offset in range(0, len(chunk), page_size):
                header = 100 if at + offset == 0 else 0
                first, last = _dirty_gap(chunk[offset : offset + page_size], header)
                if first < last:
                    file.xWrite(bytes(last - first), at + offset + first)
        file.xSync(apsw.SQLITE_SYNC_NORMAL)
        return end if end < size else None
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

"""The store: everything in one SQLite file, or in memory; and a backup that becomes one."""

from __future__ import annotations

import os
import shutil
from datetime import timedelta
from pathlib import Path

from truekeep.errors import DamagedStore, InvalidInput
from truekeep.stores.files import new_backup
from truekeep.stores.ledger import Ledger

from .check import problems, recounted
from .connections import Durability
from .driver import FileDriver, FileRows
from .faults import FAULTS, full, translated
from .reserve import LEAST_FREE, keep_reserve
from .rows import query
from .schema import inspect_file
from .wipe import wipe


class SqliteStore(Ledger):
    """Implements `truekeep.ports.Store` on one file that many threads and processes share.

    Args:
        path: the file, made if it is not there; None or ":memory:" keeps everything in memory, for one process.
        busy_timeout: how long a write waits for other processes before it fails.
        durable: "full" survives a power cut; "normal" only a crash of the process (for tests that show the difference).
        vfs: name of an SQLite file layer other than the usual (for tests).

    Raises:
        ConfigurationError: the file belongs to another application or to a newer Truekeep.
        DamagedStore: the file is not what was written.
        StoreError: the file cannot be opened.
    """

    _driver: FileDriver

    def __init__(
        self,
        path: str | Path | None,
        *,
        busy_timeout: timedelta = timedelta(seconds=60),
        durable: Durability = "full",
        vfs: str | None = None,
    ) -> None:
        file = None if path is None or str(path) == ":memory:" else Path(path).absolute()
        super().__init__(FileDriver(file, busy_timeout=busy_timeout, durable=durable, vfs=vfs))

    @property
    def is_read_only(self) -> bool:
        return self._driver.is_read_only

    def size(self) -> int:
        path = self._driver.path
        if path is None:
            pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            return self._driver.read(None, lambda rows: rows.number(pages))
        files = (path, path.with_name(path.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def try_write(self) -> None:
        path = self._driver.path
        if path is not None and shutil.disk_usage(path.parent).free < LEAST_FREE:
            raise full(self.location)  # a trifle may still find room in the log, what somebody has to say does not
        super().try_write()

    def keep_reserve(self, size: int) -> None:
        if self._driver.path is not None:
            keep_reserve(self._driver.path, size)

    def backup(self, target: Path) -> None:
        """VACUUM INTO reads one state of the file; whoever writes meanwhile is not held up."""
        with new_backup(Path(target)) as unfinished, self._driver.own() as connection:
            try:
                query(connection, "VACUUM INTO ?", (os.fspath(unfinished),))
            except FAULTS as error:
                raise translated(error, str(target)) from error

    def check(self) -> list[str]:
        return self._driver.read(None, lambda rows: list(problems(rows)), together=True)

    def recount(self, *, dry_run: bool = False) -> list[str]:
        def work(rows: FileRows) -> list[str]:
            return recounted(rows, dry_run=dry_run)

        return self._driver.read(None, work, together=True) if dry_run else self._driver.change(None, work)

    def wipe(self) -> bool:
        return wipe(self._driver)


def load_backup(target: Path, source: Path) -> None:
    """Copy a backup to where no store is, once all of it was read; one that an older Truekeep wrote is migrated.

    Raises:
        InvalidInput: there is something where the store shall be, or the source is not there.
        DamagedStore: the backup is not what was written.
        ConfigurationError: the source is no backup of a file, or a newer Truekeep wrote it.
    """
    if not source.is_file():
        raise InvalidInput("source", f"there is no backup {source}")
    for file in (target, *(target.with_name(target.name + end) for end in ("-wal", "-shm"))):
        if file.exists():  # SQLite would take a log that was left behind for one of the new file
            raise InvalidInput("target", f"{file} exists, and nothing is overwritten; move it away first")
    inspect_file(source, None)  # here, where its name is still the one that was given
    with new_backup(target) as unfinished:
        shutil.copyfile(source, unfinished)
        store = SqliteStore(unfinished)
        try:
            problems = store.check()
        finally:
            store.close()
        if problems:
            raise DamagedStore(f"{source} is damaged, and was not restored: {problems[0]}")

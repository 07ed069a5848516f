"""Upkeep: backup, check, tidy, size."""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from truekeep.stores.files import new_backup
from truekeep.stores.ledger.upkeep import Upkeep

from .checking import problems
from .connections import Database
from .driver import FileDriver
from .faults import FAULTS, translated
from .recounting import recounted
from .rows import query
from .wiping import wipe


class FileUpkeep(Upkeep):
    """What the port `Store` adds to its parts."""

    def __init__(self, database: Database) -> None:
        driver = FileDriver(database)
        super().__init__(driver)
        self._database = database
        self._spaces = driver.spaces

    @property
    def location(self) -> str:
        return self._database.location

    def size(self) -> int:
        path = self._database.path
        if path is None:
            pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            return int(self._database.read(lambda connection: query(connection, pages)[0][0]))
        files = (path, path.with_name(path.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def backup(self, target: Path) -> None:
        """VACUUM INTO reads one state of the file; whoever writes meanwhile is not held up."""
        with new_backup(Path(target)) as unfinished, self._database.own() as connection:
            try:
                query(connection, "VACUUM INTO ?", (os.fspath(unfinished),))
            except FAULTS as error:
                raise translated(error, str(target)) from error

    def check(self) -> list[str]:
        return self._database.read_together(lambda connection: list(problems(connection, self._spaces)))

    def recount(self, *, dry_run: bool = False) -> list[str]:
        def work(connection: apsw.Connection) -> list[str]:
            return recounted(connection, self._spaces, dry_run=dry_run)

        return self._database.read_together(work) if dry_run else self._database.write(work)

    def wipe(self) -> bool:
        return wipe(self._database)

    def close(self) -> None:
        self._database.close()

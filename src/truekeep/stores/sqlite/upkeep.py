"""Upkeep: backup, check, tidy, size."""

from __future__ import annotations

import os
import secrets
from datetime import datetime
from pathlib import Path

import apsw

from truekeep.errors import InvalidInput, StoreError
from truekeep.stores.files import make_private, sync
from truekeep.stores.ledger.upkeep import Upkeep

from .checking import problems
from .faults import FAULTS, translated
from .recounting import recounted
from .rows import query
from .snapshots import SnapshotRows
from .wiping import wipe


class FileUpkeep(SnapshotRows, Upkeep):
    """What the port `Store` adds to its parts."""

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
        target = Path(target)
        if target.exists():
            raise InvalidInput("target", f"{target} exists; a backup never overwrites")
        unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        try:
            make_private(unfinished)
            self._copy(unfinished)
            sync(unfinished)
            unfinished.rename(target)
            sync(target.parent)
        except OSError as error:
            raise StoreError(f"cannot write the backup {target}: {error.strerror}") from error
        finally:
            unfinished.unlink(missing_ok=True)

    def _copy(self, target: Path) -> None:
        """VACUUM INTO reads one state of the file; whoever writes meanwhile is not held up."""
        database = self._database
        connection = database.take_reader() if database.path is None else database.open_another()
        try:
            query(connection, "VACUUM INTO ?", (os.fspath(target),))
        except FAULTS as error:
            raise translated(error, str(target)) from error
        finally:
            if database.path is None:
                database.give_reader(connection)
            else:
                database.drop(connection)

    def check(self) -> list[str]:
        return self._database.read_together(lambda connection: list(problems(connection, self._spaces)))

    def recount(self, *, dry_run: bool = False) -> list[str]:
        def work(connection: apsw.Connection) -> list[str]:
            return recounted(connection, self._spaces, dry_run=dry_run)

        return self._database.read_together(work) if dry_run else self._database.write(work)

    def tidy(self, *, now: datetime) -> None:
        self.remove_leftovers()
        super().tidy(now=now)

    def wipe(self) -> bool:
        return wipe(self._database)

    def close(self) -> None:
        self._database.close()

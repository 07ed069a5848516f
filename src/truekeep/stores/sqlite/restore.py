"""A backup becomes a store: as a whole, and only if it is sound."""

from __future__ import annotations

import shutil
from pathlib import Path

from truekeep.errors import DamagedStore, InvalidInput
from truekeep.stores.files import new_backup

from .schema import inspect_file
from .store import SqliteStore


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

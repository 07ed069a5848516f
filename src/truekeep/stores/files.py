"""Files that are for one user alone, and that survive a power cut."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from truekeep.errors import InvalidInput, StoreError


def identity(path: Path) -> tuple[int, int] | None:
    """Which file it is that has this name now; None when none has."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def make_private(path: Path) -> None:
    """Make the file, empty, if it is not there, and the folders to it: for nobody but the user who runs this.

    SQLite gives the mode of a file to its log, too.
    """
    for folder in reversed(path.parents):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


@contextmanager
def new_backup(target: Path) -> Iterator[Path]:
    """An empty file to write; once that is done it is the target, durably, as a whole or not at all."""
    if target.exists():
        raise InvalidInput("target", f"{target} exists; a backup never overwrites")
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        make_private(unfinished)
        yield unfinished
        sync(unfinished)
        unfinished.rename(target)
        sync(target.parent)
    except OSError as error:
        raise StoreError(f"cannot write the backup {target}: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Make a new file, or the folder's knowledge of it, durable."""
    if path.is_dir() and os.name != "posix":
        return  # other systems cannot open a folder, and need not
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""A reserve on the disk: a file that only takes room, to be given up when something has to be erased on a full disk.

SQLite writes every page that an erasure touches into its log before it frees anything, so that on a full disk nobody
could forget. Writing what is new never takes the reserve.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

LEAST_FREE = 4 << 20  # bytes of the disk; with fewer it is as good as full


def keep_reserve(store: Path, size: int) -> None:
    """Have so many bytes in reserve, as soon as there is plenty of room; whoever comes second finds them there."""
    file = _file(store)
    if size == 0 or file.exists() or shutil.disk_usage(store.parent).free < size + LEAST_FREE:
        return
    with suppress(OSError):  # made by another process, or the room has gone to somebody else
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            _allocate(descriptor, size)
        except OSError:
            file.unlink(missing_ok=True)
        finally:
            os.close(descriptor)


def spend_reserve(store: Path) -> bool:
    """Give the room free; whether there was any."""
    try:
        _file(store).unlink()
    except OSError:
        return False
    return True


def _file(store: Path) -> Path:
    return store.with_name(f"{store.name}-reserve")


def _allocate(descriptor: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
        return
    for _ in range(size >> 20):
        os.write(descriptor, bytes(1 << 20))

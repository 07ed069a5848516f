"""Files that survive a power cut."""

from __future__ import annotations

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Make a new file, or the folder's knowledge of it, durable."""
    if path.is_dir() and os.name != "posix":
        return  # other systems cannot open a folder, and need not
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

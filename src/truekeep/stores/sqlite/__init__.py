"""The SQLite store: one file, shared by threads and processes."""

from __future__ import annotations

from .store import SqliteStore, load_backup

__all__ = ["SqliteStore", "load_backup"]

"""The PostgreSQL store: one database, shared by many servers."""

from __future__ import annotations

from .backup import load_backup
from .store import PostgresStore

__all__ = ["PostgresStore", "load_backup"]

"""The least that a durable store can do: rows of the size of ours, and group commit, and nothing else."""

from __future__ import annotations

import threading
from pathlib import Path

import apsw

_REST = b"\x00" * (768 + 350)  # a vector of float16, and about what an item's other columns and indexes take


class BareStore:
    """Writers that come while another one syncs share the next sync."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "cache_size = -8000"):
            self._connection.execute(f"PRAGMA {pragma}").fetchall()
        self._connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, content TEXT, rest BLOB)")
        self._lock = threading.Lock()
        self._commit = threading.Lock()
        self._waiting: list[tuple[str, threading.Event]] = []

    def add(self, text: str) -> None:
        """Durable when it returns."""
        done = threading.Event()
        with self._lock:
            self._waiting.append((text, done))
        with self._commit:
            if done.is_set():
                return
            with self._lock:
                group, self._waiting = self._waiting, []
            self._insert(group)

    def _insert(self, group: list[tuple[str, threading.Event]]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        for text, _ in group:
            self._connection.execute("INSERT INTO rows (content, rest) VALUES (?, ?)", (text, _REST))
        self._connection.execute("COMMIT")
        for _, done in group:
            done.set()

    def close(self) -> None:
        self._connection.close()

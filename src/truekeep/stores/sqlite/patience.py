"""Patience: how a connection waits for other processes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import apsw


def patient(seconds: float) -> Callable[[int], bool]:
    """A busy handler. Short, uneven sleeps let many writing processes take turns; SQLite's own grow to 100 ms."""
    started = 0.0

    def wait(tries: int) -> bool:
        nonlocal started
        now = time.monotonic()
        if tries == 0:
            started = now
        if now - started >= seconds:
            return False
        time.sleep(random.uniform(0.0002, min(0.008, 0.0005 * (tries + 1))))
        return True

    return wait


def use_wal(connection: apsw.Connection, seconds: float) -> None:
    """Switching a new file over is refused at once, without waiting, while another process does the same."""
    wait, tries = patient(seconds), 0
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            return
        except apsw.BusyError:
            if not wait(tries):
                raise
            tries += 1

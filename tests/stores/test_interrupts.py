"""Whoever is interrupted by Ctrl-C, at whatever moment, stops nobody: not others, not itself, not another process."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from truekeep.stores.postgres import PostgresStore
from truekeep.stores.sqlite import SqliteStore
from truekeep.stores.sqlite.driver import FileRows
from truekeep.testing.samples import SPACE, keep, put

from .interrupting import goes_on, interrupted_everywhere

IN_A_FILE = ("stores/commit.py", "sqlite/connections.py", "sqlite/driver.py")
ON_A_SERVER = ("stores/commit.py", "postgres/driver.py")


@pytest.mark.parametrize("place", ["file", ":memory:"])
def test_a_write_that_is_interrupted_anywhere_stops_nobody(tmp_path: Path, place: str) -> None:
    path = tmp_path / "store.db"
    store = SqliteStore(place if place == ":memory:" else path)
    keep(store, put("warm"))
    interrupted = []

    for where in interrupted_everywhere(lambda: keep(store, put("a", "interrupted")), IN_A_FILE):
        interrupted.append(where)
        assert goes_on(lambda: keep(store, put("b", "another thread"))), where
        keep(store, put("c", "the same thread"))
        if place == "file":
            other = SqliteStore(path)
            keep(other, put("d", "another store"))
            other.close()

    assert len(interrupted) > 40
    assert store.check() == []
    store.close()


def test_who_waits_behind_an_interrupted_leader_leads_in_its_place(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    keep(store, put("warm"))
    waiting: list[threading.Thread] = []

    def lead(rows: FileRows) -> None:
        waiting.append(threading.Thread(target=lambda: keep(store, put("b", "another thread")), daemon=True))
        waiting[-1].start()
        while not store._driver._commits._queue:
            time.sleep(0.0005)

    for where in interrupted_everywhere(lambda: store._driver.write(SPACE, lead), ("stores/commit.py",)):
        for thread in waiting:
            thread.join(20)
            assert not thread.is_alive(), where

    waiting[-1].join(20)  # behind the one that was not interrupted
    assert len(waiting) > 10
    store.close()


def test_a_read_that_is_interrupted_anywhere_leaves_no_connection_behind(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    keep(store, put("a"))
    interrupted = 0

    for where in interrupted_everywhere(lambda: store.history(SPACE, "k"), IN_A_FILE):
        interrupted += 1
        assert goes_on(lambda: store.history(SPACE, "k")), where
        assert store.history(SPACE, "k") == []

    driver = store._driver
    assert interrupted > 15
    assert len(driver._open_ones) == len(driver._readers) + len(driver._writers)
    store.close()


def test_an_interrupted_write_on_postgresql_stops_nobody(postgres_url: str) -> None:
    store = PostgresStore(postgres_url)
    keep(store, put("warm"))
    interrupted = 0

    for where in interrupted_everywhere(lambda: keep(store, put("a", "interrupted")), ON_A_SERVER):
        interrupted += 1
        assert goes_on(lambda: keep(store, put("b", "another thread"))), where
        keep(store, put("c", "the same thread"))

    assert interrupted > 30
    assert len(store._driver._commits) == 0
    assert store.check() == []
    store.close()

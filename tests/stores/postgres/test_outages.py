"""The server is killed in the middle of writes and started again: what was acknowledged is there, and once."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import psycopg
import pytest

from tests.postgres_server import Server, Unavailable, new_database, running
from truekeep.errors import ConfigurationError, StoreError
from truekeep.model import JSON, Value
from truekeep.ports import Answer, Change, Moved, Store
from truekeep.stores.postgres import PostgresStore
from truekeep.stores.postgres.faults import is_away
from truekeep.testing.samples import EMBEDDER, NOW, SPACE, keep, put

from .cutting_proxy import When, cutting

CYCLES = 100 if os.environ.get("TEST_TRUEKEEP_CHAOS") == "1" else 10
WRITERS = 4
PATIENCE = timedelta(seconds=5)  # whoever waits no longer shows that the store is back within that time


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    try:
        with running() as server:
            yield server
    except Unavailable as error:
        pytest.skip(f"NOT TESTED ON POSTGRESQL: {error}")


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    with new_database(server.url()) as url:
        yield url


class Writer:
    """Adds items and counts in a value, and keeps the books of what it was told."""

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.name = name
        self.kept: list[str] = []
        self.counted = 0
        self.doubtful = 0  # edits of which nobody knows
        self.refusals: list[StoreError] = []
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self.stop.is_set():
            self._add(f"{self.name}.{len(self.kept)}")
            self._count()

    def _add(self, id: str) -> None:
        """Until it is there: an idempotency key tells a repetition from something new."""
        change = Change(puts=[put(id)], answers={id: Answer("h", id, "added", ())}, embedder=EMBEDDER)
        while True:
            try:
                self.store.apply(SPACE, change, based_on=0)
                break
            except StoreError as error:
                self.refusals.append(error)
            except Moved:  # an earlier try was kept after all
                break
        self.kept.append(id)

    def _count(self) -> None:
        try:
            self.store.edit_value(SPACE, self.name, _one_more, now=NOW, ttl=None)
            self.counted += 1
        except StoreError as error:
            self.refusals.append(error)
            self.doubtful += "may or may not" in str(error)


def _one_more(value: Value | None) -> JSON:
    return 1 if value is None else int(str(value.value)) + 1


@contextmanager
def writing(store: Store) -> Iterator[list[Writer]]:
    writers = [Writer(store, f"w{number}") for number in range(WRITERS)]
    for writer in writers:
        writer.thread.start()
    try:
        yield writers
    finally:
        for writer in writers:
            writer.stop.set()
        for writer in writers:
            writer.thread.join(60)


def await_progress(writers: list[Writer]) -> None:
    before = [writer.counted for writer in writers]
    while any(writer.counted <= count for writer, count in zip(writers, before, strict=True)):
        assert all(writer.thread.is_alive() for writer in writers)
        time.sleep(0.005)


@pytest.mark.chaos
def test_nothing_acknowledged_is_lost_or_doubled_when_the_server_is_killed(server: Server, url: str) -> None:
    with closing(PostgresStore(url, patience=PATIENCE)) as store:
        with writing(store) as writers:
            for cycle in range(CYCLES):
                await_progress(writers)
                server.kill()
                time.sleep(0.02 * (cycle % 4))
                server.start()

                assert store.head(SPACE).seq > 0  # back at once
            await_progress(writers)

        items = [row.id for row in store.changes(SPACE, after=0, limit=1_000_000).rows]
        values = {writer.name: store.value(SPACE, writer.name, now=NOW) for writer in writers}
        assert sorted(items) == sorted(id for writer in writers for id in writer.kept)
        for writer in writers:
            value = values[writer.name]
            assert value is not None
            assert writer.counted <= int(str(value.value)) <= writer.counted + writer.doubtful
            assert all(error.retryable for error in writer.refusals)
        assert store.check() == []


def test_one_killed_connection_is_nobodys_failure(server: Server, url: str) -> None:
    """The server ends all connections of a database, again and again: every call is repeated where that is safe."""
    with (
        closing(PostgresStore(url, patience=PATIENCE)) as store,
        psycopg.connect(server.url(), autocommit=True) as other,
    ):
        keep(store, put("first"))
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        with writing(store) as writers:
            for _ in range(20):
                await_progress(writers)
                other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))

        for writer in writers:
            value = store.value(SPACE, writer.name, now=NOW)
            assert value is not None
            assert value.value == writer.counted
            assert writer.refusals == []
        assert store.check() == []


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (psycopg.OperationalError("cannot exit pipeline mode while busy"), True),  # seen on a crowded machine
        (psycopg.OperationalError("consuming input failed: server closed the connection unexpectedly"), True),
        (psycopg.errors.AdminShutdown(), True),
        (psycopg.errors.PipelineAborted(), False),
        (psycopg.errors.DiskFull(), False),
        (psycopg.errors.UniqueViolation(), False),
    ],
)
def test_a_connection_that_broke_is_told_from_a_refusal(error: psycopg.Error, lost: bool) -> None:
    assert is_away(error) is lost


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_commit_whose_answer_is_lost_happens_once(url: str, when: When) -> None:
    given = psycopg.conninfo.conninfo_to_dict(url)
    folder, port = Path(str(given["host"])), given["port"]
    if not folder.is_dir():
        pytest.skip("the server has no socket of its own")
    with cutting(folder / f".s.PGSQL.{port}") as proxy:
        through = psycopg.conninfo.make_conninfo(url, host="127.0.0.1", port=proxy.port, sslmode="disable")
        with closing(PostgresStore(through, patience=PATIENCE)) as store:
            keep(store, put("first"))
            proxy.cuts += [when] * 2

            kept = keep(store, put("second"))
            counted = store.edit_value(SPACE, "n", _one_more, now=NOW, ttl=None)
            store.count_usage("local", {("key:a", "operations", "2026-01"): 1})

            assert proxy.cuts == []
            assert kept.head.seq == store.head(SPACE).seq == 2
            assert counted is not None
            assert counted.value == 1
            assert store.value(SPACE, "n", now=NOW) == counted
            assert [usage.count for usage in store.usage("local")] == [1]
            assert store.check() == []


def read_on(store: Store) -> NoReturn:
    """Until the other processes of a killed server have noticed, too."""
    while True:
        store.get(SPACE, ["a"])


def test_a_server_that_stays_away_is_told_in_clear_words(server: Server, url: str) -> None:
    with closing(PostgresStore(url, patience=timedelta(seconds=0.5))) as store:
        keep(store, put("a"))
        server.kill()

        try:
            with pytest.raises(StoreError, match="cannot be reached") as read:
                read_on(store)
            with pytest.raises(StoreError, match="nothing was written") as written:
                keep(store, put("b"))
            with pytest.raises(StoreError, match="cannot be reached"):
                PostgresStore(url)
            assert store.is_away
        finally:
            server.start()

        assert read.value.retryable
        assert written.value.retryable
        assert [item.id for item in store.get(SPACE, ["a", "b"])] == ["a"]
        assert not store.is_away


def test_what_is_wrong_with_an_address_is_told_without_its_password(server: Server, url: str) -> None:
    given = psycopg.conninfo.conninfo_to_dict(url)
    nowhere = f"postgresql://someone:sesame@/nowhere?host={given['host']}&port={given['port']}"

    with pytest.raises(ConfigurationError, match="cannot open") as refusal:
        PostgresStore(nowhere)

    assert "sesame" not in str(refusal.value)
    with pytest.raises(ConfigurationError, match="address"):
        PostgresStore("postgresql://host/db?no_such_parameter=1")

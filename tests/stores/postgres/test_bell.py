"""Who listens hears of changes. Nothing depends on it."""

from __future__ import annotations

import queue
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count

import psycopg
import pytest

from tests.postgres_server import new_database
from truekeep.stores.postgres import PostgresStore
from truekeep.stores.postgres.bell import channel_of
from truekeep.testing.samples import SPACE, keep, put

from .pooler import PROGRAM, pooling

PATIENCE = 30.0  # seconds
OTHER = SPACE._replace(name="other")


@contextmanager
def listening(store: PostgresStore) -> Iterator[queue.Queue[str]]:
    heard: queue.Queue[str] = queue.Queue()
    with closing(store.listen(heard.put)) as ear:
        until(lambda: ear.hears)
        yield heard


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def listener(postgres_url: str) -> Iterator[PostgresStore]:
    with closing(PostgresStore(postgres_url)) as store:
        yield store


@pytest.fixture
def writer(postgres_url: str) -> Iterator[PostgresStore]:
    with closing(PostgresStore(postgres_url)) as store:
        yield store


def test_a_change_by_somebody_else_is_told(listener: PostgresStore, writer: PostgresStore) -> None:
    with listening(listener) as heard:
        keep(writer, put("a"))

        mark = heard.get(timeout=PATIENCE)

    assert mark == listener.mark(SPACE) != listener.mark(OTHER)
    assert SPACE.name not in mark


def test_it_is_told_as_often_as_it_happens(listener: PostgresStore, writer: PostgresStore) -> None:
    with listening(listener) as heard:
        for number in range(20):
            keep(writer, put(f"a{number}"), space=(SPACE, OTHER)[number % 2])

        marks = [heard.get(timeout=PATIENCE) for _ in range(20)]

    assert marks == [listener.mark(space) for _ in range(10) for space in (SPACE, OTHER)]


def test_a_refused_write_and_a_look_are_not_told(listener: PostgresStore, writer: PostgresStore) -> None:
    keep(writer, put("a"))
    with listening(listener) as heard:
        writer.get(SPACE, ["a"])
        writer.erase(SPACE, ["missing"], now=put("a").item.created)
        keep(writer, put("b"), space=OTHER)

        assert heard.get(timeout=PATIENCE) == listener.mark(OTHER)


def test_nobody_is_told_while_nobody_listens(writer: PostgresStore, postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as spy:
        spy.execute(f"LISTEN {channel_of('truekeep')}")
        for number in range(5):
            keep(writer, put(f"a{number}"))
        until(lambda: writer.head(SPACE).seq == 5)

        assert list(spy.notifies(timeout=0.3)) == []


def test_a_listener_whose_connection_is_cut_listens_again(
    listener: PostgresStore, writer: PostgresStore, postgres_url: str
) -> None:
    with listening(listener) as heard:
        with psycopg.connect(postgres_url, autocommit=True) as other:
            other.execute(
                """SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
                AND query LIKE '%pg_advisory_lock_shared%' AND pid <> pg_backend_pid()"""
            )
        numbers = count()
        deadline = time.monotonic() + PATIENCE
        while heard.empty():
            assert time.monotonic() < deadline
            keep(writer, put(f"n{next(numbers)}"))
            time.sleep(0.1)

        assert heard.get() == listener.mark(SPACE)


def test_nobody_listens_through_a_pooler(postgres_server: str) -> None:
    """What was told would reach whoever is lent the connection next."""
    if PROGRAM is None:
        print("\nNOT TESTED BEHIND A POOLER: there is no pgbouncer here", file=sys.__stderr__)
        pytest.skip("NOT TESTED BEHIND A POOLER: there is no pgbouncer here")
    heard: queue.Queue[str] = queue.Queue()
    with (
        new_database(postgres_server) as direct,
        pooling(direct) as url,
        closing(PostgresStore(url)) as store,
        closing(store.listen(heard.put)) as ear,
    ):
        until(lambda: not ear._thread.is_alive())
        keep(store, put("a"))

        assert (ear.hears, heard.empty()) == (False, True)

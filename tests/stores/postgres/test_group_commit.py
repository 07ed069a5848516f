"""Writers of one space share transactions, and nobody pays for what another one does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import psycopg
import pytest

from tests.stores.charges_contract import charge, write
from truekeep.errors import InvalidInput, QuotaExceeded, StoreError
from truekeep.model import JSON, SpaceId, Value
from truekeep.ports import Change, Moved
from truekeep.stores.postgres import PostgresStore
from truekeep.stores.postgres.driver import DatabaseRows
from truekeep.testing.samples import NOW, SPACE, keep, put


@pytest.fixture
def store(postgres_url: str) -> Any:
    with closing(PostgresStore(postgres_url)) as store:
        yield store


def number_of(store: PostgresStore) -> str | None:
    """The transaction that a write was made in."""

    def work(rows: DatabaseRows) -> str | None:
        rows.find(SPACE, make=True)
        rows.session.query("SELECT pg_sleep(0.002)")
        return rows.session.xid

    return store._driver.write(SPACE, work)


def meanwhile(store: PostgresStore, works: list[Callable[[], Any]]) -> list[Any]:
    """Run all in one group: the first one holds the line until the others have queued up."""
    entered, proceed = threading.Event(), threading.Event()

    def hold(rows: DatabaseRows) -> None:
        rows.find(SPACE, make=True)
        entered.set()
        proceed.wait(20)

    with ThreadPoolExecutor(len(works) + 1) as pool:
        first = pool.submit(store._driver.write, SPACE, hold)
        entered.wait(20)
        others = [pool.submit(work) for work in works]
        commits = store._driver._commits[SPACE]
        while len(commits._queue) < len(works):
            assert not any(other.done() for other in others)
        proceed.set()
        first.result(20)
        return [other.exception(20) or other.result() for other in others]


def test_writers_who_come_while_another_one_writes_share_a_transaction(store: PostgresStore) -> None:
    numbers = meanwhile(store, [lambda: number_of(store)] * 8)

    assert len(set(numbers)) == 1


def test_writers_of_different_spaces_do_not_wait_for_each_other(store: PostgresStore) -> None:
    other = SpaceId("local", "other")

    def work(rows: DatabaseRows) -> int:
        rows.find(SPACE, make=True)
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: keep(store, put("b"), space=other).head.seq).result(20)

    assert store._driver.write(SPACE, work) == 1


def test_whoever_is_refused_undoes_nothing_of_the_others(store: PostgresStore) -> None:
    keep(store, put("taken", "Tea"))

    def refuse(_: Value | None) -> JSON:
        raise InvalidInput("value", "no")

    def too_late(rows: DatabaseRows) -> None:
        row = rows.find(SPACE, make=True)
        row.head += 100
        rows.session.change("DELETE FROM items WHERE space_id = %s", (row.id,))
        raise ZeroDivisionError

    def broken(rows: DatabaseRows) -> None:
        rows.find(SPACE, make=True)
        rows.session.query("SELECT 1 / 0")

    outcomes = meanwhile(
        store,
        [
            lambda: keep(store, put("a")),
            lambda: store.apply(SPACE, Change(puts=[put("b", "Tea")]), based_on=0),
            lambda: store.edit_value(SPACE, "k", refuse, now=NOW, ttl=None),
            lambda: store._driver.write(SPACE, too_late),
            lambda: write(store, put("c"), charge=charge(memories=0)),
            lambda: store._driver.write(SPACE, broken),
            lambda: keep(store, put("d")),
        ],
    )

    kinds = [type(outcome) for outcome in outcomes]
    assert kinds[1:6] == [Moved, InvalidInput, ZeroDivisionError, QuotaExceeded, StoreError]
    assert isinstance(outcomes[5].__cause__, psycopg.errors.DivisionByZero)
    assert [item.id for item in store.get(SPACE, ["taken", "a", "b", "c", "d"])] == ["taken", "a", "d"]
    assert store.head(SPACE).seq == 3
    assert store.check() == []


def test_a_refused_write_that_would_have_made_a_space_leaves_the_others_theirs(store: PostgresStore) -> None:
    def too_late(rows: DatabaseRows) -> None:
        rows.find(SPACE, make=True)
        raise ZeroDivisionError

    def first(rows: DatabaseRows) -> None:
        raise ZeroDivisionError

    outcomes = meanwhile(
        store,
        [
            lambda: store._driver.write(SPACE, first),
            lambda: store._driver.write(SPACE, too_late),
            lambda: keep(store, put("a")).head.seq,
        ],
    )

    assert [type(outcome) for outcome in outcomes] == [ZeroDivisionError, ZeroDivisionError, int]
    assert store.head(SPACE).seq == 1
    assert store.check() == []


def test_a_write_within_a_write_is_refused(store: PostgresStore) -> None:
    def edit(_: Value | None) -> JSON:
        keep(store, put("inner"))
        return 1

    with pytest.raises(StoreError, match="within another write"):
        store.edit_value(SPACE, "k", edit, now=NOW, ttl=None)

    keep(store, put("a"))
    assert store.value(SPACE, "k", now=NOW) is None


def test_nobody_waits_in_line_afterwards(store: PostgresStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: keep(store, put(f"i{number}")), range(40)))

    assert len(store._driver._commits) == 0
    assert store.head(SPACE).seq == 40
    assert sorted(row.seq for row in store.changes(SPACE, after=0).rows) == list(range(1, 41))

"""The store keeps its contract behind a pooler that hands out connections by the transaction."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.postgres_server import empty, new_database
from tests.stores.served_contract import ServedStoreContract
from truekeep.ports import Store
from truekeep.stores.postgres import PostgresStore
from truekeep.testing.samples import NOW, SPACE, keep, put

from .pooler import PROGRAM, pooling

THREADS = 12  # three times as many as the pooler has connections


@pytest.fixture(scope="module")
def pooled(postgres_server: str) -> Iterator[str]:
    if PROGRAM is None:
        print("\nNOT TESTED BEHIND A POOLER: there is no pgbouncer here", file=sys.__stderr__)
        pytest.skip("NOT TESTED BEHIND A POOLER: there is no pgbouncer here")
    with new_database(postgres_server) as direct, pooling(direct) as url:
        yield url


@pytest.fixture
def pooled_store(pooled: str) -> Iterator[Store]:
    store = PostgresStore(pooled)
    yield store
    store.close()
    empty(pooled)


class TestBehindAPooler(ServedStoreContract):
    @pytest.fixture
    def store(self, pooled_store: Store) -> Store:
        return pooled_store


def test_nothing_of_one_tenant_is_left_for_the_next_on_the_same_connection(pooled_store: Store, pooled: str) -> None:
    ours, theirs = SPACE._replace(tenant="ours"), SPACE._replace(tenant="theirs")
    keep(pooled_store, put("a", "tea"), space=ours)
    keep(pooled_store, put("b", "coffee"), space=theirs)

    def look(number: int) -> set[str]:
        space = ours if number % 2 else theirs
        return {row.id for row in pooled_store.changes(space, after=0).rows}

    with ThreadPoolExecutor(THREADS) as pool, closing(PostgresStore(pooled)) as other:
        seen = list(pool.map(look, range(200)))
        values = list(pool.map(lambda n: other.edit_value(ours, f"k{n}", lambda _: n, now=NOW, ttl=None), range(40)))

    assert seen == [{"a"} if number % 2 else {"b"} for number in range(200)]
    assert sorted(value.version for value in values if value is not None) == list(range(1, 41))

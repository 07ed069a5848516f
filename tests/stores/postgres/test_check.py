"""What does not fit together is told; what the server refuses is told in our words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from psycopg import sql

from tests.stores.charges_contract import set_value
from truekeep.errors import StoreError
from truekeep.stores.postgres import PostgresStore
from truekeep.stores.postgres.driver import DatabaseRows
from truekeep.stores.postgres.schema import roles_of
from truekeep.testing.samples import SPACE, keep, put


@contextmanager
def changing(url: str) -> Iterator[psycopg.Connection]:
    """A transaction of somebody who gets at the tables."""
    with psycopg.connect(url) as connection:
        connection.execute("SET LOCAL search_path TO truekeep")
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(roles_of(connection.info.dbname).keeper)))
        yield connection


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DELETE FROM items WHERE id = 'a'", "rows of items are missing in 1 spaces, or too many"),
        ("DELETE FROM kept_values", "rows of kept_values are missing in 1 spaces, or too many"),
        ("UPDATE spaces SET bytes = bytes + 1", "the sizes of 1 spaces are not those of what they hold"),
        ("UPDATE spaces SET head = 1", "1 spaces have items that are newer than their last change"),
        ("UPDATE items SET tenant = 'other' WHERE id = 'a'", "1 rows of items belong to no space"),
        ("UPDATE items SET body = '{\"what\": 1}' WHERE id = 'b'", "a row of items is damaged: 'b'"),
    ],
)
def test_a_check_tells_what_does_not_fit_together(postgres_url: str, statement: str, told: str) -> None:
    with closing(PostgresStore(postgres_url)) as store:
        keep(store, put("a"), put("b"))
        set_value(store, 1)
        assert store.check() == []

        with changing(postgres_url) as somebody:
            somebody.execute(statement)

        assert told in store.check()


def test_a_space_that_somebody_holds_for_too_long_is_told(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truekeep.stores.postgres.connections.LOCKED", 0.1)
    with closing(PostgresStore(postgres_url)) as store:
        keep(store, put("a"))

        with changing(postgres_url) as somebody:
            somebody.execute("SELECT 1 FROM spaces FOR UPDATE")
            with pytest.raises(StoreError, match="in use by another process") as refusal:
                keep(store, put("b"))
        keep(store, put("c"))

        assert refusal.value.retryable
        assert [item.id for item in store.get(SPACE, ["a", "b", "c"])] == ["a", "c"]


def test_whoever_freezes_in_a_write_lets_go_of_the_space(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truekeep.stores.postgres.connections.LOCKED", 2.0)
    with closing(PostgresStore(postgres_url)) as frozen, closing(PostgresStore(postgres_url)) as other:
        keep(frozen, put("a"))
        runs: list[int] = []

        def freeze(rows: DatabaseRows) -> int:
            runs.append(rows.find(SPACE, make=True).head)
            if len(runs) == 1:
                keep(other, put("b"))  # waits until the server has lost its patience with us
            return rows.find(SPACE, make=True).next_seq()

        assert frozen._driver.write(SPACE, freeze) == 3
        assert runs == [1, 2]


def test_writers_who_wait_for_each_other_in_a_circle_run_again(postgres_url: str) -> None:
    """The server ends one of them, and nobody notices."""
    with closing(PostgresStore(postgres_url)) as store:
        runs = 0

        def collide(rows: DatabaseRows) -> int:
            nonlocal runs
            runs += 1
            row = rows.find(SPACE, make=True)
            if runs < 3:
                rows.session.change("DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$")
            return row.id

        with pytest.raises(StoreError):
            store._driver.write(SPACE, lambda rows: rows.session.query("SELECT nothing"))
        kept = store._driver.write(SPACE, collide)

        assert kept > 0
        assert runs == 3

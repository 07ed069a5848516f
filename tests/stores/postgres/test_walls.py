"""The second wall: whatever a statement forgets to ask for, it sees the rows of one tenant only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta

import psycopg
import pytest
from psycopg import errors, sql

from tests.postgres_server import TABLES
from tests.stores.audit_contract import entry
from tests.stores.keys_contract import digest, key
from truekeep.model import SpaceId
from truekeep.ports import Answer, Snapshot
from truekeep.stores.postgres import PostgresStore
from truekeep.stores.postgres.schema import roles_of
from truekeep.testing.samples import NOW, SPACE, job, keep, put

OURS, THEIRS = SpaceId("ours", "bot"), SpaceId("theirs", "bot")


@pytest.fixture
def filled(postgres_url: str) -> str:
    """The address of a store where two tenants have a row in every table."""
    with closing(PostgresStore(postgres_url)) as store:
        for space in (OURS, THEIRS):
            answers = {"once": Answer("h", "a", "added", ())}
            keep(store, put("a", vectors=b"v"), put("gone"), space=space, answers=answers)
            keep(store, put("a", "again", version=2, vectors=b"v", keep_previous=True), space=space)
            store.erase(space, ["gone"], now=NOW)
            store.count_accesses({space: {"a": 1}}, now=NOW)
            store.add_checkpoint(space, "then", now=NOW)
            store.edit_value(space, "k", lambda _: 1, now=NOW, ttl=None)
            store.add_job(job("j", space))
            store.save_snapshot(space, "index", Snapshot(store.head(space).seq, {"words": b"w"}))
            store.add_access_key(key(space.tenant, tenant=space.tenant), digest(space.tenant))
            store.count_usage(space.tenant, {("key:a", "operations", "2026-01"): 1})
            store.note_audit({space.tenant: [entry("remember", "a")]})
            store.take_in(SpaceId(space.tenant, "copied"), "items", (), based_on=None, note="begun")
    return postgres_url


@contextmanager
def acting(url: str, role: str | None, tenant: str | None) -> Iterator[psycopg.Connection]:
    """A transaction as it might look if somebody wrote a wrong statement."""
    with psycopg.connect(url) as connection:
        connection.execute("SET LOCAL search_path TO truekeep")
        if tenant is not None:
            connection.execute("SELECT set_config('truekeep.tenant', %s, true)", (tenant,))
        if role is not None:
            name = getattr(roles_of(connection.info.dbname), role)
            connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(name)))
        yield connection
        connection.rollback()


def tenants_seen(connection: psycopg.Connection, table: str) -> set[str]:
    rows = connection.execute(sql.SQL("SELECT tenant FROM {}").format(sql.Identifier(table))).fetchall()
    return {tenant for (tenant,) in rows}


@pytest.mark.parametrize(
    ("role", "tenant", "seen"),
    [
        ("tenant", None, set()),
        ("tenant", "", set()),
        ("tenant", "ours", {"ours"}),
        ("tenant", "nobody", set()),
        ("keeper", None, {"ours", "theirs"}),
        (None, None, set()),  # not even whoever owns the tables sees a row
        (None, "theirs", {"theirs"}),
    ],
)
def test_rows_are_seen_by_whoever_says_whose_they_are(
    filled: str, role: str | None, tenant: str | None, seen: set[str]
) -> None:
    with acting(filled, role, tenant) as connection:
        assert {table: tenants_seen(connection, table) for table in TABLES} == dict.fromkeys(TABLES, seen)


def test_nothing_is_written_for_another_tenant(filled: str) -> None:
    foreign = [
        "INSERT INTO spaces (tenant, name) VALUES ('theirs', 'new')",
        "INSERT INTO markers VALUES ('theirs', 1, 'x', 1, 1)",
        "UPDATE usage SET tenant = 'theirs'",
    ]

    for statement in foreign:
        with acting(filled, "tenant", "ours") as connection, pytest.raises(errors.InsufficientPrivilege):
            connection.execute(statement)
    with acting(filled, "tenant", "ours") as connection:
        assert connection.execute("DELETE FROM items WHERE tenant = 'theirs'").rowcount == 0


def test_nobody_gets_around_a_table_through_its_partitions(filled: str) -> None:
    for role in ("tenant", "keeper"):
        with acting(filled, role, "ours") as connection, pytest.raises(errors.InsufficientPrivilege):
            connection.execute("SELECT 1 FROM items_0")
    with acting(filled, None, "ours") as connection:
        assert all(tenants_seen(connection, f"items_{number}") == set() for number in range(16))


def test_the_secret_is_not_for_tenants(filled: str) -> None:
    with acting(filled, "tenant", "ours") as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute("SELECT secret FROM meta")


def test_the_view_for_other_tools_shows_one_tenant(filled: str) -> None:
    with acting(filled, "tenant", "ours") as connection:
        rows = connection.execute(
            "SELECT tenant, space, id, kind, content, tags, trust, pinned FROM memories"
        ).fetchall()

    assert rows == [("ours", "bot", "a", "fact", "again", [], "user", False)]


def test_no_state_stays_on_a_connection(postgres_url: str) -> None:
    """So that a pooler may give every transaction another connection."""
    with closing(PostgresStore(postgres_url, connections=1)) as store:
        keep(store, put("a"))
        store.changes(SPACE, after=0)
        store.erase_expired(NOW + timedelta(days=1))
        with store._driver._lent(0) as connection:
            left = connection.execute(
                """SELECT current_setting('role'), current_setting('truekeep.tenant'), current_setting('search_path'),
                current_setting('lock_timeout'), (SELECT count(*) FROM pg_prepared_statements),
                (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')"""
            ).fetchone()

    assert left == ("none", "", '"$user", public', "0", 0, 0)

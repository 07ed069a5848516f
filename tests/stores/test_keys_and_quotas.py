"""Keys, usage and sizes in the file: old files, damage, and many writers under one quota."""

from __future__ import annotations

import pickle
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from tests.stores.charges_contract import bytes_of, charge, set_value, write, writes
from tests.stores.keys_contract import digest, key
from truekeep.errors import ConfigurationError, DamagedStore, QuotaExceeded
from truekeep.stores.ledger import applying, values
from truekeep.stores.sqlite import SqliteStore, schema
from truekeep.testing.samples import NOW, SPACE, keep, put

LIMIT = 50
WRITER = """
import sys
from truekeep.errors import QuotaExceeded
from truekeep.stores.sqlite import SqliteStore
from tests.stores.charges_contract import charge, write
from truekeep.testing.samples import put

path, name, limit = sys.argv[1:]
store, written = SqliteStore(path), 0
try:
    while True:
        write(store, put(f"{name}.{written}"), charge=charge(writes_per_day=int(limit)))
        written += 1
except QuotaExceeded:
    print(written)
store.close()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def first_version(path: Path, monkeypatch: pytest.MonkeyPatch, fill: Callable[[SqliteStore], None]) -> None:
    """Write a file as the first version of the schema has it."""
    with monkeypatch.context() as patch:
        first = schema.migrations()[:1]
        patch.setattr(schema, "migrations", lambda: first)
        for module, name in ((applying, "file_items"), (values, "file_value")):  # that knew no checkpoints
            patch.setattr(module, name, lambda *_: None)
        schema._expected.cache_clear()
        store = SqliteStore(path)
        fill(store)
        store.close()
    schema._expected.cache_clear()


def changed(path: Path, statement: str) -> SqliteStore:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(statement)
    return SqliteStore(path)


def test_a_file_of_the_first_version_is_migrated_with_the_sizes_of_what_it_holds(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(store: SqliteStore) -> None:
        keep(store, put("a", "tea"), put("b", "é" * 1000))
        keep(store, put("a", "tea and milk", version=2, keep_previous=True))
        set_value(store, "x" * 98)

    first_version(path, monkeypatch, fill)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)

    store = SqliteStore(path)

    assert [one.content for one in store.get(SPACE, ["a"])] == ["tea and milk"]
    assert 2100 + 15 < bytes_of(store) < 2300
    assert (store.has_access_keys(), store.usage(SPACE.tenant), store.check()) == (False, [], [])
    store.add_access_key(key("k"), digest("k"))
    write(store, put("c"), charge=charge())
    assert store.check() == []
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.migrations()),)


def test_a_file_of_a_later_version_is_refused(path: Path) -> None:
    SqliteStore(path).close()

    with pytest.raises(ConfigurationError, match="newer"):
        changed(path, "PRAGMA user_version = 99")


def test_the_file_holds_no_secret(path: Path) -> None:
    store = SqliteStore(path)
    store.add_access_key(key("k"), digest("tk_very_secret"))
    store.rotate_access_key(None, "k", digest("tk_another_secret"))
    store.close()

    content = path.read_bytes()

    assert digest("tk_another_secret") in content
    assert b"_secret" not in content


@pytest.mark.parametrize("lost", ["id = 'a'", "true"])
def test_a_lost_key_is_missed(path: Path, lost: str) -> None:
    store = SqliteStore(path)
    for id in ("a", "b"):
        store.add_access_key(key(id), digest(id))
    store.close()

    store = changed(path, f"DELETE FROM access_keys WHERE {lost}")

    assert store.has_access_keys()  # nobody is let in because the keys are gone
    with pytest.raises(DamagedStore):
        store.access_key(digest("a"))
    with pytest.raises(DamagedStore):
        store.access_keys(None)
    assert store.check() == ["access keys are missing or damaged; restore a backup"]
    store.close()


@pytest.mark.parametrize("change", ["name = 'other'", "identity = identity + 1"])
def test_a_space_of_another_name_is_noticed_wherever_it_is_told(path: Path, change: str) -> None:
    with closing(SqliteStore(path)) as store:
        keep(store, put("a"))

    with closing(changed(path, f"UPDATE spaces SET {change}")) as store:
        for tell in (store.traces, store.heads, store.overview):
            with pytest.raises(DamagedStore):
                tell("local")


@pytest.mark.parametrize("change", ["tenant = 'other'", "digest = x'00'", "body = replace(body, 'false', 'true')"])
def test_an_altered_key_is_refused(path: Path, change: str) -> None:
    store = SqliteStore(path)
    store.add_access_key(key("a"), digest("a"))
    store.close()

    store = changed(path, f"UPDATE access_keys SET {change}")

    with pytest.raises(DamagedStore):
        store.access_keys(None)
    assert store.check() == ["a row of access_keys is damaged"]
    store.close()


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE usage SET count = 0", "a row of usage is damaged"),
        ("UPDATE sizes SET bytes = bytes + 1", "the sizes of 1 spaces are not those of what they hold"),
        ("DELETE FROM sizes", "the sizes of 1 spaces are not those of what they hold"),
        ("DELETE FROM key_tally", "the row that counts the access keys is missing; restore a backup"),
    ],
)
def test_a_check_tells_of_damage_to_what_was_counted(path: Path, statement: str, told: str) -> None:
    store = SqliteStore(path)
    write(store, put("a"), charge=charge())
    store.close()

    store = changed(path, statement)

    assert store.check() == [told]
    store.close()


def test_writers_of_several_threads_and_processes_write_exactly_what_the_quota_allows(path: Path) -> None:
    store = SqliteStore(path)

    def write_all(name: str) -> int:
        written = 0
        while True:
            try:
                write(store, put(f"{name}.{written}"), charge=charge(writes_per_day=LIMIT))
            except QuotaExceeded:
                return written
            written += 1

    processes = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name, str(LIMIT)], stdout=subprocess.PIPE, text=True)
        for name in ("p", "q")
    ]
    with ThreadPoolExecutor(8) as pool:
        ours = sum(pool.map(write_all, "abcdefgh"))
    theirs = [int(process.communicate(timeout=120)[0]) for process in processes]

    assert [process.returncode for process in processes] == [0, 0]
    assert ours + sum(theirs) == LIMIT
    assert len(store.changes(SPACE, after=0).rows) == LIMIT
    assert store.usage(SPACE.tenant) == [writes(LIMIT)]
    assert store.check() == []
    store.close()


def test_leases_taken_at_the_same_time_grant_exactly_the_limit(path: Path) -> None:
    one, another = SqliteStore(path), SqliteStore(path)

    def lease_all(store: SqliteStore) -> int:
        total = 0
        while granted := store.lease_usage("acme", "key:a", "recalls", "2026-01", want=7, limit=200):
            total += granted
        return total

    with ThreadPoolExecutor(6) as pool:
        granted = sum(pool.map(lease_all, [one, another] * 3))

    assert granted == 200
    assert [usage.count for usage in one.usage("acme")] == [200]
    one.close()
    another.close()


def test_a_refusal_travels_between_processes() -> None:
    refusal = pickle.loads(pickle.dumps(QuotaExceeded("memories: full", timedelta(hours=1))))

    assert isinstance(refusal, QuotaExceeded)
    assert (str(refusal), refusal.retry_after) == ("memories: full", timedelta(hours=1))


def test_a_full_tenant_does_not_hold_up_its_neighbours(path: Path) -> None:
    """A refusal after something was written makes a whole group of writers run again; this one comes before."""
    store = SqliteStore(path)
    keep(store, put("a"), put("b"))
    before = store._driver.write(SPACE, lambda rows: rows.connection.total_changes())

    for limited in (charge(memories=2), charge(bytes_per_space=1), charge(writes_per_day=0)):
        with pytest.raises(QuotaExceeded):
            write(store, put("c"), charge=limited)

    assert store._driver.write(SPACE, lambda rows: rows.connection.total_changes()) == before
    assert [one.id for one in store.get(SPACE, ["a", "b", "c"])] == ["a", "b"]
    assert store.value(SPACE, "k", now=NOW) is None
    store.close()

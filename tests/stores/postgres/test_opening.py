"""Opening: by many at once, by whoever may, and only what fits."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

import psycopg
import pytest
from psycopg import sql

from tests.cli.shell import Shell
from tests.postgres_server import GIVEN, new_database, running
from tests.stores.audit_contract import entry
from tests.stores.keys_contract import digest, key
from truekeep import Memory
from truekeep.assembly import restore_backup
from truekeep.errors import ConfigurationError, InvalidInput
from truekeep.model import AuditFilters, SpaceId
from truekeep.ports import Saying
from truekeep.stores.postgres import PostgresStore, load_backup
from truekeep.stores.postgres.schema import migrations, roles_of
from truekeep.stores.versions import Version
from truekeep.testing.fakes import FakeEmbedder
from truekeep.testing.samples import NOW, SPACE, job, keep, put

WRITTEN = Path(__file__).parent.parent / "written"  # by older programs
OPENER = """
import sys
from truekeep.stores.postgres import PostgresStore
from truekeep.testing.samples import keep, put

url, name = sys.argv[1:]
store = PostgresStore(url)
keep(store, put(name))
store.close()
"""


@pytest.fixture
def fresh(postgres_server: str) -> Iterator[str]:
    """The address of a database without anything in it."""
    with new_database(postgres_server) as url:
        yield url


def owner_of(url: str) -> psycopg.Connection:
    return psycopg.connect(url, autocommit=True)


def test_many_processes_open_a_new_database_at_once(fresh: str) -> None:
    names = [f"p{number}" for number in range(4)]

    processes = [subprocess.Popen([sys.executable, "-c", OPENER, fresh, name]) for name in names]

    assert [process.wait(120) for process in processes] == [0] * len(names)
    with closing(PostgresStore(fresh)) as store:
        assert {row.id for row in store.changes(SPACE, after=0).rows} == set(names)
        assert store.check() == []


def test_a_newer_schema_is_refused(fresh: str) -> None:
    PostgresStore(fresh).close()
    with owner_of(fresh) as connection:
        connection.execute("UPDATE truekeep.meta SET version = 99")

    with pytest.raises(ConfigurationError, match="newer"):
        PostgresStore(fresh)


def test_a_program_that_runs_while_another_migrates_the_store_reads_on_and_writes_no_more(
    fresh: str, tmp_path: Path
) -> None:
    known = len(migrations())
    with closing(PostgresStore(fresh)) as store, owner_of(fresh) as connection:
        keep(store, put("a"))
        connection.execute("UPDATE truekeep.meta SET version = %s", (Version(known + 1, known).number,))
        keep(store, put("b"))
        with closing(PostgresStore(fresh)) as another:
            keep(another, put("c"))
        with pytest.raises(ConfigurationError, match=f"schema {known + 1}"):
            store.backup(tmp_path / "backup.zip")  # of tables that it does not know

        connection.execute("UPDATE truekeep.meta SET version = %s", (Version(known + 2, known + 2).number,))

        with pytest.raises(ConfigurationError, match=f"schema {known + 2}, .* this one knows {known}"):
            keep(store, put("d"))
        assert {one.id for one in store.get(SPACE, ["a", "b", "c", "d"])} == {"a", "b", "c"}


def test_whoever_may_make_no_roles_is_told_what_an_administrator_must_do(postgres_server: str, fresh: str) -> None:
    name = psycopg.conninfo.conninfo_to_dict(fresh)["dbname"]
    with psycopg.connect(postgres_server, autocommit=True) as admin:
        admin.execute(sql.SQL("ALTER ROLE {} NOCREATEROLE").format(sql.Identifier(str(name))))
        with pytest.raises(ConfigurationError, match="CREATE ROLE") as refusal:
            PostgresStore(fresh)
        advice = str(refusal.value).partition("an administrator may: ")[2]
        admin.execute(advice)

    with closing(PostgresStore(fresh)) as store:
        keep(store, put("a"))
        assert store.check() == []


def test_somebody_else_may_use_a_store_that_an_administrator_made(postgres_server: str, fresh: str) -> None:
    PostgresStore(fresh).close()
    given = psycopg.conninfo.conninfo_to_dict(fresh)
    user = f"{given['dbname']}_user"
    with psycopg.connect(postgres_server, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(user)))
        for role in roles_of(str(given["dbname"])):
            admin.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(role), sql.Identifier(user)))
        try:
            with closing(PostgresStore(psycopg.conninfo.make_conninfo(fresh, user=user))) as store:
                keep(store, put("a"))

                assert [item.id for item in store.get(SPACE, ["a"])] == ["a"]
        finally:
            admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(user)))


def test_a_database_with_a_long_name_has_roles_of_its_own() -> None:
    names = {role for end in "ab" for role in roles_of("ü" * 40 + end)}

    assert len(names) == 4
    assert max(len(name.encode()) for name in names) <= 63


def test_two_schemas_of_a_database_are_two_stores(fresh: str) -> None:
    with closing(PostgresStore(fresh)) as one, closing(PostgresStore(fresh, schema="Another one")) as other:
        keep(one, put("a"))

        assert other.get(SPACE, ["a"]) == []
        assert other.spaces(SPACE.tenant) == []


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_a_memory_lives_at_an_address(postgres_url: str, scheme: str) -> None:
    at = postgres_url.replace("postgresql", scheme, 1)

    with Memory("bot", at=at, embedder=FakeEmbedder(), background=False) as memory:
        memory.remember("Ana likes tea")
        path = memory.stats().path
    with Memory("bot", at=postgres_url, embedder=FakeEmbedder(), background=False) as memory:
        found = memory.recall("tea")

    assert [match.content for match in found] == ["Ana likes tea"]
    password = psycopg.conninfo.conninfo_to_dict(postgres_url)["password"]
    assert path.startswith("postgresql://")
    assert f":{password}@" not in path


def test_a_missing_driver_is_told(tmp_path: Path) -> None:
    (tmp_path / "psycopg.py").write_text("raise ModuleNotFoundError('no', name='psycopg')")
    program = "from truekeep import Memory; Memory('bot', at='postgresql://localhost/db')"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)

    assert done.returncode == 1
    assert "ConfigurationError: no driver for 'postgresql'; pip install '.[postgres]'" in done.stderr


def test_a_backup_is_loaded_into_an_empty_database_as_it_was(postgres_url: str, fresh: str, tmp_path: Path) -> None:
    with closing(PostgresStore(postgres_url)) as store:
        keep(store, put("a", "tab\t, line\n and \\N", vectors=b"\0\xff", key="k"), put("gone", "Tea"))
        keep(store, put("a", "new", version=2, keep_previous=True))
        store.erase(SPACE, ["gone"], now=NOW)
        store.edit_value(SPACE, "v", lambda _: {"z": 1, "a": 1e300}, now=NOW, ttl=None)
        store.add_job(job("j"))
        store.add_access_key(key("k"), digest("k"))
        store.note_audit({SPACE.tenant: [entry("remember", "a")]})
        store.backup(tmp_path / "backup")
        expected = (store.changes(SPACE, after=0, embedder="fake-4"), store.history(SPACE, "a"))

    with pytest.raises(InvalidInput, match="empty database"):
        restore_backup(tmp_path / "backup", tmp_path / "file.db")
    restore_backup(tmp_path / "backup", fresh)
    with closing(PostgresStore(fresh)) as loaded:
        assert (loaded.changes(SPACE, after=0, embedder="fake-4"), loaded.history(SPACE, "a")) == expected
        assert loaded.look(SPACE, sayings=[Saying("tea")]).tombstoned == {"tea"}
        value = loaded.value(SPACE, "v", now=NOW)
        assert value is not None
        assert value.value == {"z": 1, "a": 1e300}
        assert loaded.access_key(digest("k")) == key("k")
        loaded.note_audit({SPACE.tenant: [entry("recall", "a")]})
        assert [one.verb for one in loaded.audit(SPACE.tenant, AuditFilters(item="a")).entries] == [
            "recall",
            "remember",
        ]
        assert loaded.check() == []
        keep(loaded, put("b"))
        keep(loaded, put("b"), space=SPACE._replace(name="another"))
        numbers = loaded._driver.read(None, lambda rows: rows.ask("SELECT id FROM spaces ORDER BY name = 'another'"))
        assert numbers == sorted(numbers)  # they count on

    with pytest.raises(InvalidInput, match="empty"):
        restore_backup(tmp_path / "backup", fresh)
    (tmp_path / "other").write_text("something else")
    with pytest.raises(InvalidInput, match="no backup"):
        load_backup(fresh, tmp_path / "other")


def test_the_command_line_tells_what_a_restored_database_holds(postgres_url: str, fresh: str, tmp_path: Path) -> None:
    with closing(PostgresStore(postgres_url)) as store:
        keep(store, put("a"), put("b"))
        keep(store, put("c"), space=SpaceId("acme", "support"))
        store.backup(tmp_path / "backup")

    said = Shell(tmp_path / "home").ok("restore", str(tmp_path / "backup"), "--to", fresh, "--json")

    assert (said.json["spaces"], said.json["items"]) == (2, 3)


def test_a_backup_that_an_older_release_wrote_is_loaded_and_migrated(fresh: str, tmp_path: Path) -> None:
    with ZipFile(WRITTEN / "before_the_audit.zip") as archive:
        backup = Path(archive.extract("backup.zip", tmp_path))

    restore_backup(backup, fresh)

    support = SpaceId("acme", "support")
    with closing(PostgresStore(fresh)) as store:
        contents = {row.item.content for row in store.changes(support, after=0).rows if row.item is not None}
        assert contents > {"Ana prefers TypeScript over JavaScript", "The release train leaves on Fridays"}
        assert [key.name for key in store.access_keys("acme")] == ["support"]
        assert store.check() == []


def test_a_backup_that_an_older_release_wrote_is_not_loaded_into_newer_tables(fresh: str, tmp_path: Path) -> None:
    with ZipFile(WRITTEN / "before_the_audit.zip") as archive:
        backup = Path(archive.extract("backup.zip", tmp_path))
    PostgresStore(fresh).close()

    with pytest.raises(InvalidInput, match="has schema 6: load it into a database without tables"):
        load_backup(fresh, backup)

    with closing(PostgresStore(fresh)) as store:  # as it was
        assert store.check() == []


@pytest.mark.chaos
@pytest.mark.skipif(GIVEN is not None or os.environ.get("TEST_TRUEKEEP_CHAOS") != "1", reason="one version is enough")
def test_an_older_server_does_too() -> None:
    with running(version=16) as server, new_database(server.url()) as url, closing(PostgresStore(url)) as store:
        keep(store, put("a"))

        assert [item.id for item in store.get(SPACE, ["a"])] == ["a"]
        assert store.check() == []

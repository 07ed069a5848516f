"""A file is copied into a database, a database into a file, and one database into another."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.cli.killing import killed_and_resumed
from tests.cli.shell import Shell
from tests.postgres_server import empty, new_database
from tests.stores.migrating_contract import MigratingContract
from truekeep.stores.postgres import PostgresStore


@pytest.fixture(scope="module")
def another_database(postgres_server: str) -> Iterator[str]:
    with new_database(postgres_server) as url:
        yield url


@pytest.fixture
def other_url(another_database: str) -> Iterator[str]:
    """Empty, and with a secret of its own: it may have taken over that of the other one before."""
    PostgresStore(another_database).close()
    with psycopg.connect(another_database) as connection:
        connection.execute("UPDATE truekeep.meta SET secret = %s", (secrets.token_bytes(32),))
    yield another_database
    empty(another_database)


class TestFromFileToDatabase(MigratingContract):
    @pytest.fixture
    def source_at(self, tmp_path: Path) -> str:
        return str(tmp_path / "source.db")

    @pytest.fixture
    def target_at(self, postgres_url: str) -> str:
        return postgres_url


class TestFromDatabaseToFile(MigratingContract):
    @pytest.fixture
    def source_at(self, postgres_url: str) -> str:
        return postgres_url

    @pytest.fixture
    def target_at(self, tmp_path: Path) -> str:
        return str(tmp_path / "target.db")


class TestFromDatabaseToDatabase(MigratingContract):
    @pytest.fixture
    def source_at(self, postgres_url: str) -> str:
        return postgres_url

    @pytest.fixture
    def target_at(self, other_url: str) -> str:
        return other_url


@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_a_copy_into_a_database_that_was_killed_goes_on_and_doubles_nothing(postgres_url: str, tmp_path: Path) -> None:
    killed_and_resumed(Shell(tmp_path / "home"), tmp_path / "notes.db", postgres_url)

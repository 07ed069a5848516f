"""What a store writes is for nobody but the user who runs it, whatever the umask says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from truekeep.stores.postgres import PostgresStore
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.samples import keep, put

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")


@pytest.fixture(autouse=True)
def open_handed() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {path.name: f"{path.stat().st_mode & 0o777:o}" for path in folder.iterdir()}


def test_files_and_new_folders_are_private(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    store = SqliteStore(home / "store.db")
    keep(store, put("a"))
    store.backup(tmp_path / "copies" / "copy.db")

    assert modes(home) == {"store.db": "600", "store.db-wal": "600", "store.db-shm": "600"}
    assert modes(tmp_path) == {"new": "700", "copies": "700"}
    assert modes(tmp_path / "new") == {"home": "700"}
    assert modes(tmp_path / "copies") == {"copy.db": "600"}
    store.close()


def test_a_file_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "store.db").close()
    (tmp_path / "store.db").chmod(0o640)

    SqliteStore(tmp_path / "store.db").close()

    assert modes(tmp_path) == {"store.db": "640"}


def test_a_copy_of_a_database_is_private(tmp_path: Path, postgres_url: str) -> None:
    store = PostgresStore(postgres_url)
    store.backup(tmp_path / "copies" / "copy")
    store.close()

    assert modes(tmp_path) == {"copies": "700"}
    assert modes(tmp_path / "copies") == {"copy": "600"}

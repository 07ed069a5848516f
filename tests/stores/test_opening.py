"""What is opened, what is refused and left alone, and what a failing disk does."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from truekeep.errors import ConfigurationError, DamagedStore, StoreError
from truekeep.model import Source
from truekeep.ports import Saying
from truekeep.stores.sqlite import SqliteStore, schema
from truekeep.stores.versions import Version
from truekeep.testing.samples import NOW, SPACE, keep, put

KNOWN = len(schema.migrations())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def files_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def refused(path: Path, error: type[Exception]) -> str:
    """Open the file, see that it is refused and that the folder is byte for byte what it was."""
    before = files_of(path.parent)
    with pytest.raises(error) as caught:
        SqliteStore(path)
    assert files_of(path.parent) == before
    return str(caught.value)


def make(path: Path) -> None:
    store = SqliteStore(path)
    keep(store, put("a"))
    store.close()


def test_a_file_outlives_the_store_that_made_it(path: Path) -> None:
    make(path)

    store = SqliteStore(path)

    assert [one.id for one in store.get(SPACE, ["a"])] == ["a"]
    store.close()
    assert set(files_of(path.parent)) == {"store.db"}


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()

    make(path)

    assert path.stat().st_size > 0


def test_a_file_of_a_newer_version_is_refused_and_left_untouched(path: Path) -> None:
    make(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    for file in path.parent.glob("store.db-*"):
        file.unlink()

    assert "newer" in refused(path, ConfigurationError)


def set_version(path: Path, version: Version) -> None:
    with closing(apsw.Connection(str(path))) as connection:  # the same SQLite as the store, which may be open
        connection.execute(f"PRAGMA user_version = {version.number}")


def test_a_program_that_the_newer_schema_still_takes_reads_and_writes(path: Path) -> None:
    make(path)
    set_version(path, Version(99, KNOWN))

    store = SqliteStore(path)
    keep(store, put("b"))

    assert {one.id for one in store.get(SPACE, ["a", "b"])} == {"a", "b"}
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert Version.read(connection.execute("PRAGMA user_version").fetchone()[0]) == (99, KNOWN)


def test_a_program_that_is_older_than_the_newer_schema_takes_is_refused_and_told_so(path: Path) -> None:
    make(path)
    set_version(path, Version(99, KNOWN + 1))
    for file in path.parent.glob("store.db-*"):
        file.unlink()

    assert f"schema 99, for programs that know {KNOWN + 1} or later; this one knows {KNOWN}" in refused(
        path, ConfigurationError
    )


def test_a_program_that_runs_while_another_migrates_the_file_reads_on_and_writes_no_more(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        keep(store, put("a"))
        set_version(path, Version(KNOWN + 1, KNOWN))
        keep(store, put("b"))

        set_version(path, Version(KNOWN + 2, KNOWN + 2))

        with pytest.raises(ConfigurationError, match=f"schema {KNOWN + 2}"):
            keep(store, put("c"))
        with pytest.raises(ConfigurationError, match=f"schema {KNOWN + 2}"):
            store.try_write()
        assert {one.id for one in store.get(SPACE, ["a", "b", "c"])} == {"a", "b"}


def test_a_database_of_another_application_is_refused_and_left_untouched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE theirs (x)")

    assert "another application" in refused(path, ConfigurationError)


@pytest.mark.parametrize("mode", ["persist", "delete", "truncate"])
def test_the_journal_of_another_application_is_not_rolled_back(path: Path, mode: str) -> None:
    theirs = path.with_name("theirs.db")
    with closing(sqlite3.connect(theirs, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("CREATE TABLE theirs (x)")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO theirs VALUES (?)", [("x" * 1000,)] * 100)  # spills into the file
        for ending in ("", "-journal"):
            path.with_name(f"store.db{ending}").write_bytes(path.with_name(f"theirs.db{ending}").read_bytes())
        connection.execute("ROLLBACK")
    for file in path.parent.glob("theirs.db*"):
        file.unlink()

    assert "another application" in refused(path, ConfigurationError)


def test_an_empty_database_with_the_journal_of_another_application_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = PERSIST")
        connection.execute("CREATE TABLE theirs (x)")
        connection.execute("DROP TABLE theirs")
        connection.execute("VACUUM")

    assert "another application" in refused(path, ConfigurationError)


def test_a_file_that_is_no_database_is_refused_with_a_journal_beside_it(path: Path) -> None:
    path.write_bytes(b"not a database " * 1000)
    path.with_name("store.db-journal").write_bytes(bytes(512))

    assert "not a Truekeep store" in refused(path, ConfigurationError)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_folder_that_cannot_be_written_gives_an_error_that_says_what_to_do(path: Path) -> None:
    with tempfile.TemporaryDirectory() as name:  # nobody else may enter the folders of pytest
        folder, reading = Path(name), os.pipe()
        make(folder / "store.db")
        (folder / "store.db").chmod(0o444)
        folder.chmod(0o555)
        child = os.fork()
        if not child:
            if os.geteuid() == 0:
                os.setuid(65534)  # the superuser may write anywhere
            try:
                SqliteStore(folder / "store.db").close()
                os.write(reading[1], b"it opened")
            except BaseException as error:
                os.write(reading[1], f"{type(error).__name__}: {error}".encode())
            os._exit(0)
        os.waitpid(child, 0)
        told = os.read(reading[0], 10_000).decode()
        folder.chmod(0o755)

    assert told.startswith("StoreError")
    assert "copy the file" in told
    for end in reading:
        os.close(end)


@pytest.mark.parametrize("content", [b"x", b"not a database " * 1000, bytes(8192)])
def test_a_file_that_is_no_database_is_refused_and_left_untouched(path: Path, content: bytes) -> None:
    path.write_bytes(content)

    assert "not a Truekeep store" in refused(path, ConfigurationError)


def test_a_store_with_a_damaged_beginning_is_refused_and_left_untouched(path: Path) -> None:
    make(path)
    path.write_bytes(b"?" + path.read_bytes()[1:])

    assert "damaged" in refused(path, DamagedStore)


def test_a_store_cut_short_is_noticed(path: Path) -> None:
    make(path)
    path.write_bytes(path.read_bytes()[: 4096 * 4])

    with pytest.raises(DamagedStore):
        SqliteStore(path).changes(SPACE, after=0)


def test_an_altered_schema_is_noticed(path: Path) -> None:
    make(path)
    path.write_bytes(path.read_bytes().replace(b"CREATE INDEX items_by_key", b"CREATE INDEX items_by_kez"))

    with pytest.raises(DamagedStore):
        SqliteStore(path)


def test_an_older_file_is_migrated_as_a_whole_or_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(path)
    first = schema.migrations()

    def with_second(second: str) -> None:
        monkeypatch.setattr(schema, "migrations", lambda: (*first, second))
        schema._expected.cache_clear()

    try:
        with_second("CREATE TABLE added (x) STRICT; CREATE TABLE broken (")
        with pytest.raises(StoreError):
            SqliteStore(path)
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (len(first),)
            assert connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'added'").fetchone() is None
        with_second("CREATE TABLE added (x INTEGER) STRICT;")
        store = SqliteStore(path)
        assert [one.id for one in store.get(SPACE, ["a"])] == ["a"]
        assert store.check() == []
        store.close()
        monkeypatch.undo()
        schema._expected.cache_clear()
        assert "newer" in refused(path, ConfigurationError)
    finally:
        monkeypatch.undo()
        schema._expected.cache_clear()


def test_the_view_is_readable_with_any_sqlite_tool(path: Path) -> None:
    store = SqliteStore(path)
    made = put(
        "a",
        "Ana prefers tea",
        kind="preference",
        tags=("drinks",),
        source=Source(speaker="Ana", session="s1"),
        key="ana/drink",
        created=datetime(1969, 12, 31, 23, 59, 58, 5, tzinfo=UTC),
    )
    keep(store, made)
    store.close()

    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        row = dict(connection.execute("SELECT * FROM memories").fetchone())

    assert (row["tenant"], row["space"], row["kind"], row["content"]) == (
        "local",
        "bot",
        "preference",
        "Ana prefers tea",
    )
    assert (row["tags"], row["speaker"], row["session"], row["key"]) == ('["drinks"]', "Ana", "s1", "ana/drink")
    assert datetime.fromisoformat(row["created"]) == made.item.created
    assert row["when"] == "2026-01-01T12:00:00.000000Z"
    assert row["until"] is None


def test_a_backup_opens_as_a_store_of_its_own(path: Path) -> None:
    store = SqliteStore(path)
    keep(store, put("a", "Tea"), put("b"))
    store.erase(SPACE, ["a"], now=NOW)
    store.backup(path.with_name("backup.db"))
    keep(store, put("later"))
    store.close()

    copy = SqliteStore(path.with_name("backup.db"))

    assert [one.id for one in copy.get(SPACE, ["a", "b", "later"])] == ["b"]
    assert copy.look(SPACE, sayings=[Saying("tea")]).tombstoned == {"tea"}
    assert copy.check() == []
    copy.close()


@pytest.mark.parametrize("other", ["none", "another"])
def test_a_file_that_was_removed_or_replaced_takes_no_more_writes(path: Path, other: str) -> None:
    store = SqliteStore(path)
    keep(store, put("a"))

    for file in path.parent.iterdir():
        file.unlink()
    if other == "another":
        make(path)

    with pytest.raises(StoreError, match=r"store\.db was removed or replaced while it was open; nothing was written"):
        keep(store, put("b"))
    store.close()
    assert path.exists() is (other == "another")  # nor is an empty one made in its place


def test_a_closed_store_says_so(path: Path) -> None:
    store = SqliteStore(path)
    store.close()

    with pytest.raises(StoreError, match="closed"):
        store.head(SPACE)
    with pytest.raises(StoreError, match="closed"):
        keep(store, put("a"))


class Failing(apsw.VFS):
    """A disk that is full, or that lets nobody write, from a moment on."""

    def __init__(self) -> None:
        super().__init__("failing", "")
        self.error: type[apsw.Error] | None = None

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return FailingFile(self, name, flags)


class FailingFile(apsw.VFSFile):
    def __init__(self, layer: Failing, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._layer = layer

    def xWrite(self, data: Any, offset: int) -> None:
        if self._layer.error is not None:
            raise self._layer.error("on purpose")
        super().xWrite(data, offset)


@pytest.fixture
def disk() -> Iterator[Failing]:
    layer = Failing()
    yield layer
    layer.unregister()


@pytest.mark.parametrize(
    ("error", "message"), [(apsw.FullError, "disk is full"), (apsw.ReadOnlyError, "make it writable")]
)
def test_a_disk_that_refuses_gives_a_clear_error_and_loses_nothing(
    path: Path, disk: Failing, error: type[apsw.Error], message: str
) -> None:
    store = SqliteStore(path, vfs="failing")
    keep(store, put("before"))

    disk.error = error
    with pytest.raises(StoreError, match=message):
        keep(store, put("during", "x" * 50_000))
    with pytest.raises(StoreError, match=message):
        store.try_write()
    read_meanwhile = [one.id for one in store.get(SPACE, ["before", "during"])]
    disk.error = None
    keep(store, put("after"))

    assert read_meanwhile == ["before"]
    assert [one.id for one in store.get(SPACE, ["before", "during", "after"])] == ["before", "after"]
    assert store.check() == []
    store.close()


def test_a_place_that_cannot_be_opened_gives_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(ConfigurationError, match="is a folder"):
        SqliteStore(tmp_path)
    with pytest.raises(StoreError, match="cannot open"):
        SqliteStore(tmp_path / "file" / "store.db")

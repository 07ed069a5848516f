"""Where a memory lives, and which parts it is built of."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import apsw
import pytest

from truekeep import ConfigurationError, Memory, StoreError
from truekeep.assembly import file_of
from truekeep.testing.fakes import FakeEmbedder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUEKEEP_HOME", str(tmp_path / "home"))
    return tmp_path


def path_of(at: str | Path | None) -> str:
    with Memory("bot", at=at, embedder=FakeEmbedder(), background=False) as memory:
        memory.remember("Ana likes tea")
        return memory.stats().path


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (None, "home/truekeep.db"),
        ("notes.db", "notes.db"),
        (Path("deep/er/notes.db"), "deep/er/notes.db"),
        ("a b%20c.db", "a b%20c.db"),
        ("sqlite:///notes.db", "notes.db"),
        ("sqlite:///./x/../notes.db", "notes.db"),
    ],
)
def test_a_place_is_a_path_or_a_url(folder: Path, at: str | Path | None, expected: str) -> None:
    assert path_of(at) == str(folder / expected)
    assert (folder / expected).is_file()


def test_an_absolute_path_in_a_url_has_four_slashes(folder: Path) -> None:
    assert path_of(f"sqlite:///{folder}/notes.db") == str(folder / "notes.db")


@pytest.mark.parametrize("at", [":memory:", "sqlite://", "sqlite:///:memory:"])
def test_a_memory_may_leave_no_file(folder: Path, at: str) -> None:
    path_of(at)

    assert list(folder.iterdir()) == []


def test_several_spellings_of_one_place_share_it(folder: Path) -> None:
    with (
        Memory("bot", at="notes.db", embedder=FakeEmbedder(), background=False) as one,
        Memory("bot", at=f"sqlite:///{folder}/x/../notes.db", embedder=FakeEmbedder(), background=False) as other,
    ):
        one.remember("Ana likes tea")

        assert [match.content for match in other.recall("tea")] == ["Ana likes tea"]


@pytest.mark.parametrize("removed", ["notes.db", "notes.db*"])
def test_a_place_whose_file_was_removed_begins_anew_and_what_was_open_there_says_so(folder: Path, removed: str) -> None:
    with Memory("bot", at="notes.db", embedder=FakeEmbedder(), background=False) as before:
        before.remember("Ana likes tea")

        for file in folder.glob(removed):
            file.unlink()

        with Memory("bot", at="notes.db", embedder=FakeEmbedder(), background=False) as anew:
            assert list(anew.recall("tea")) == []
            anew.remember("Bob likes coffee")
        with pytest.raises(StoreError, match="removed or replaced"):
            before.remember("Cleo likes milk")
    with Memory("bot", at="notes.db", embedder=FakeEmbedder(), background=False) as later:
        assert [item.content for item in later.items()] == ["Bob likes coffee"]
        assert later.check() == []


def test_a_file_that_may_only_be_read_is_read_without_a_word(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path_of("notes.db")
    connect = apsw.Connection

    def only_reading(name: str, vfs: str | None = None) -> apsw.Connection:  # as SQLite opens what it may not write
        return connect(name) if name == ":memory:" else connect(name, flags=apsw.SQLITE_OPEN_READONLY, vfs=vfs)

    monkeypatch.setattr(apsw, "Connection", only_reading)

    with Memory("bot", at="notes.db", embedder=FakeEmbedder()) as memory:
        assert [match.content for match in memory.recall("tea")] == ["Ana likes tea"]
        memory.flush()
        with pytest.raises(StoreError, match="is read-only and nothing was written"):
            memory.remember("Bob likes coffee")
        assert memory.stats().failures == 0

    assert caplog.messages == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"at": "mystery://host/db"}, "mystery"),
        ({"at": "https://memory.example"}, "https"),
        ({"at": ":memory:", "key": "tk_x"}, "key="),
        ({"at": ":memory:", "embedder": "mystery"}, "mystery"),
        ({"at": ":memory:", "extractor": "mystery"}, "mystery"),
    ],
)
def test_what_cannot_be_built_says_what_to_change(folder: Path, arguments: dict[str, str], named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        Memory("bot", **{"embedder": FakeEmbedder(), **arguments})  # type: ignore[arg-type]  # a table of strings

    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("at", "meant"),
    [
        ("localhost:8731", "http://localhost:8731"),
        ("127.0.0.1:8420", "http://127.0.0.1:8420"),
        ("[::1]:8420/", "http://[::1]:8420/"),
        ("memory.example.org:443", "https://memory.example.org:443"),
    ],
)
def test_an_address_without_its_scheme_makes_no_file(folder: Path, at: str, meant: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(f"did you mean '{meant}'?")):
        path_of(at)
    with pytest.raises(ConfigurationError, match=re.escape(meant)):
        file_of(at)

    assert list(folder.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no file has a colon in its name there")
@pytest.mark.parametrize("at", ["./localhost:8731", "sqlite:///localhost:8731", Path("localhost:8731")])
def test_a_file_may_still_be_called_like_an_address(folder: Path, at: str | Path) -> None:
    assert path_of(at) == str(folder / "localhost:8731")


def test_a_part_that_is_missing_leaves_no_store_open(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="mystery"):
        Memory("bot", at="notes.db", embedder=FakeEmbedder(), extractor="mystery")

    assert not (folder / "notes.db").exists()

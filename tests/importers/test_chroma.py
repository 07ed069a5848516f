"""Chroma folders."""

from __future__ import annotations

import hashlib
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truekeep import InvalidInput

from . import stores
from .looking import all_of, contents, left_out, statements


def test_documents_come_with_time_collection_and_metadata(tmp_path: Path) -> None:
    metadata = {"category": "units", "n": 3, "weight": 0.5, "sure": True, "list": ["a", "b"], "chroma:x": "own"}
    folder = stores.chroma(tmp_path / "store", {"7": "Ana uses Celsius"}, metadata, name="prefs")

    (found,) = statements("chroma", folder)

    assert (found["content"], found["when"]) == ("Ana uses Celsius", datetime(2025, 3, 1, 10, tzinfo=UTC))
    assert (found["source"].name, found["source"].message) == ("import:store", "prefs/7")
    assert found["tags"] == ("collection:prefs",)
    assert found["metadata"] == {"category": "units", "n": 3, "weight": 0.5, "sure": True, "list": ["a", "b"]}


def test_metadata_with_known_names_is_told_in_our_words(tmp_path: Path) -> None:
    metadata = {"user_id": "ana", "thread_id": "t1", "timestamp": 1740819600, "role": "user", "id": "own"}
    folder = stores.chroma(tmp_path / "store", {"7": "Ana uses Celsius"}, metadata)

    (found,) = statements("chroma", folder)

    assert (found["source"].speaker, found["source"].session, found["source"].trust) == ("ana", "t1", "user")
    assert found["when"] == datetime(2025, 3, 1, 9, tzinfo=UTC)
    assert found["metadata"] == {"id": "own"}


def test_metadata_that_only_has_the_name_of_a_time_stays_metadata(tmp_path: Path) -> None:
    folder = stores.chroma(tmp_path / "store", {"7": "Ana uses Celsius"}, {"date": "last summer"})

    (found,) = statements("chroma", folder)

    assert found["metadata"] == {"when": "last summer"}
    assert found["when"] == datetime(2025, 3, 1, 10, tzinfo=UTC)


def test_a_mere_vector_is_left_out_without_alarm(tmp_path: Path) -> None:
    folder = stores.chroma(tmp_path / "store", {"7": None, "8": "Ana uses Celsius"})

    assert left_out("chroma", folder) == [("notes/7", "has no document, only a vector", False)]
    assert len(all_of("chroma", folder)) == 2


def test_the_file_itself_can_be_named_and_is_not_changed(tmp_path: Path) -> None:
    file = stores.chroma(tmp_path / "store", {"7": "Ana uses Celsius"}) / "chroma.sqlite3"
    before = hashlib.sha256(file.read_bytes()).digest()

    assert contents("chroma", file) == ["Ana uses Celsius"]
    assert hashlib.sha256(file.read_bytes()).digest() == before
    assert [path.name for path in file.parent.iterdir()] == ["chroma.sqlite3"]


def test_a_store_of_an_older_chroma_without_flags_and_lists_is_read(tmp_path: Path) -> None:
    folder = stores.chroma(tmp_path / "store", {"7": "Ana uses Celsius"}, {"n": 3})
    database = sqlite3.connect(folder / "chroma.sqlite3")
    database.executescript("DROP TABLE embedding_metadata_array; ALTER TABLE embedding_metadata DROP COLUMN bool_value")
    database.close()

    assert statements("chroma", folder)[0]["metadata"] == {"n": 3}


@pytest.mark.parametrize("damage", ["missing", "text", "other", "cut"])
def test_what_is_no_store_of_chroma_is_refused(tmp_path: Path, damage: str) -> None:
    folder = stores.chroma(tmp_path / "store", {str(number): "Ana uses Celsius" * 50 for number in range(50)})
    file = folder / "chroma.sqlite3"
    match damage:
        case "missing":
            file.unlink()
        case "text":
            file.write_text("no database")
        case "other":
            file.unlink()
            sqlite3.connect(file).close()
        case "cut":
            file.write_bytes(file.read_bytes()[:8192])

    with pytest.raises(InvalidInput, match="path"):
        all_of("chroma", folder)

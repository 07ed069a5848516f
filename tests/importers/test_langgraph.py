"""LangGraph's SqliteStore."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from truekeep import InvalidInput

from . import stores
from .looking import NOW, all_of, entries, left_out, statements


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def test_an_item_with_a_text_is_a_memory(file: Path) -> None:
    value = {"text": "Ana likes tea", "kind": "preference", "cups": 2}
    stores.langgraph(file, ("users.ana", "m1", value, None))

    (found,) = statements("langgraph", file)

    assert (found["content"], found["kind"]) == ("Ana likes tea", "preference")
    assert found["tags"] == ("namespace:users.ana",)
    assert found["metadata"] == {"cups": 2, "key": "m1"}
    assert (found["when"], found["source"].message) == (datetime(2025, 3, 2, 10, tzinfo=UTC), "users.ana/m1")


@pytest.mark.parametrize(
    "value",
    [
        {"content": "Ana likes tea"},
        {"memory": "Ana likes tea"},
        {"kind": "Memory", "content": {"content": "Ana likes tea"}},  # LangMem
        {"text": "Ana likes tea", "date": "last summer"},
    ],
)
def test_texts_have_many_names(file: Path, value: Any) -> None:
    stores.langgraph(file, ("users.ana", "m1", value, None))

    assert statements("langgraph", file)[0]["content"] == "Ana likes tea"


def test_another_name_can_be_given(file: Path) -> None:
    stores.langgraph(file, ("users.ana", "m1", {"what": "Ana likes tea"}, None))

    assert statements("langgraph", file, map={"content": "what"})[0]["content"] == "Ana likes tea"


@pytest.mark.parametrize("value", [{"tone": "concise", "languages": ["en"]}, {"content": {"a": [1]}}, {"text": ""}, {}])
def test_an_item_without_a_text_is_a_value(file: Path, value: Any) -> None:
    stores.langgraph(file, ("users.ana", "profile", value, None))

    (found,) = entries("langgraph", file)

    assert (found.key, found.value, found.ttl) == ("users.ana/profile", value, None)


def test_ends_are_kept_and_what_has_expired_is_left_out(file: Path) -> None:
    living, gone = "2026-01-01 01:00:00", "2025-12-31 23:00:00"
    stores.langgraph(
        file,
        ("a", "1", {"text": "tea"}, living),
        ("a", "2", {"n": 1}, living),
        ("a", "3", {"text": "tea"}, gone),
        ("a", "4", {"n": 1}, gone),
    )

    memory, value, *_ = all_of("langgraph", file)

    assert memory.arguments["ttl"] == value.ttl == datetime(2026, 1, 1, 1, tzinfo=UTC) - NOW == timedelta(hours=1)  # type: ignore[union-attr]
    assert left_out("langgraph", file) == [("a/3", "has expired", False), ("a/4", "has expired", False)]


@pytest.mark.parametrize("value", [b"{", b"\xff", b"", b"[" * 100_000])
def test_a_value_that_is_no_json_is_bad(file: Path, value: bytes) -> None:
    stores.langgraph(file, ("a", "1", value, None), ("a", "2", {"text": "tea"}, None))

    assert [(where, is_bad) for where, _, is_bad in left_out("langgraph", file)] == [("a/1", True)]


def test_a_key_that_is_too_long_for_a_value_is_bad(file: Path) -> None:
    stores.langgraph(file, ("a", "k" * 300, {"n": 1}, None))

    ((_, reason, is_bad),) = left_out("langgraph", file)

    assert reason == "key: has 302 characters; at most 256 are accepted"
    assert is_bad


def test_a_store_from_before_there_were_ends_is_read(file: Path) -> None:
    columns = "(prefix text, key text, value text, created_at TIMESTAMP, updated_at TIMESTAMP)"
    with stores.made(file, f"CREATE TABLE store {columns}") as database:
        row = ("a", "1", '{"text": "tea"}', "2025-03-01 10:00:00", None)
        database.execute("INSERT INTO store VALUES (?, ?, ?, ?, ?)", row)

    assert statements("langgraph", file)[0]["when"] == datetime(2025, 3, 1, 10, tzinfo=UTC)


def test_checkpoints_alone_are_refused_with_the_reason(file: Path) -> None:
    with stores.made(file, "CREATE TABLE checkpoints (x)"):
        pass

    with pytest.raises(InvalidInput, match="checkpoints only"):
        all_of("langgraph", file)

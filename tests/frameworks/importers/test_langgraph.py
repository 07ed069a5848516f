"""Stores that LangGraph itself wrote."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.sqlite import SqliteStore

from truekeep import InvalidInput, Memory
from truekeep.importers import BroughtIn, bring_in, read


def test_a_store_comes_in_whole_and_once_while_it_is_open(memory: Memory, tmp_path: Path) -> None:
    with SqliteStore.from_conn_string(str(tmp_path / "store.db")) as theirs:
        theirs.setup()
        theirs.put(("users", "ana"), "m1", {"text": "Ana likes tea", "kind": "preference"})
        theirs.put(("users", "ana"), "profile", {"tone": "concise"})
        theirs.put(("users", "ana"), "m2", {"kind": "Memory", "content": {"content": "Ana sings"}}, ttl=60)
        theirs.put(("users", "ben"), "gone", {"text": "Ben hates mondays"})
        theirs.delete(("users", "ben"), "gone")

        done = bring_in(memory, read("langgraph", tmp_path / "store.db"))
        again = bring_in(memory, read("langgraph", tmp_path / "store.db"))

    items = {item.content: item for item in memory.items()}
    tea, sings = items["Ana likes tea"], items["Ana sings"]
    assert done == BroughtIn(added=2, values=1)
    assert again == BroughtIn(unchanged=2, reinforced=1)  # what expires has no key
    assert memory.get("users.ana/profile") == {"tone": "concise"}
    assert (tea.kind, tea.tags, tea.metadata) == ("preference", ("namespace:users.ana",), {"key": "m1"})
    assert abs(tea.when - datetime.now(UTC)) < timedelta(minutes=5)
    assert sings.expires is not None


def test_checkpoints_alone_are_refused(tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")) as theirs:
        theirs.setup()

    with pytest.raises(InvalidInput, match="checkpoints only"):
        list(read("langgraph", tmp_path / "checkpoints.db"))

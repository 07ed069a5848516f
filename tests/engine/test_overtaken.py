"""What is said at the same moment by two is judged as if one had come after the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from truekeep import Memory
from truekeep.ports import Applied
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.fakes import FakeEmbedder

OLD = "My surname is Okada."
NEW = "My surname is now Okada-Lund."


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory("bot", at=tmp_path / "m.db", embedder=FakeEmbedder(64), background=False)


def before_the_write(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], object]) -> None:
    """Let something happen between the look of the next `remember` and its write."""
    apply = SqliteStore.apply

    def overtaken(self: SqliteStore, *given: Any, **more: Any) -> Applied:
        monkeypatch.setattr(SqliteStore, "apply", apply)
        meanwhile()
        return apply(self, *given, **more)

    monkeypatch.setattr(SqliteStore, "apply", overtaken)


def test_a_change_supersedes_what_was_said_meanwhile(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember("The harbour is deep.")
    before_the_write(monkeypatch, lambda: memory.remember(OLD, speaker="Kai"))

    new = memory.remember(NEW, speaker="Kai")

    assert (new.outcome, [old.content for old in new.superseded]) == ("superseded", [OLD])
    assert {item.content for item in memory.items()} == {"The harbour is deep.", NEW}


def test_a_doubt_about_what_was_said_meanwhile_is_raised(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    before_the_write(monkeypatch, lambda: memory.remember(OLD, speaker="Kai", pinned=True))

    new = memory.remember(NEW, speaker="Kai")

    [suspicion] = memory.review().suspicions
    assert (suspicion.older.content, suspicion.newer.id) == (OLD, new.id)
    assert [old.content for old in new.suspected] == [OLD]


def test_a_batch_is_judged_again_too(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    before_the_write(monkeypatch, lambda: memory.remember(OLD, speaker="Kai"))

    kept = memory.remember_many([{"content": text, "speaker": "Kai"} for text in ("The harbour is deep.", NEW)])

    assert [one.outcome for one in kept] == ["added", "superseded"]
    assert {item.content for item in memory.items()} == {"The harbour is deep.", NEW}


def test_what_has_nothing_to_do_with_it_stays(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    before_the_write(monkeypatch, lambda: memory.remember("The harbour is deep."))

    new = memory.remember(NEW, speaker="Kai")

    assert (new.outcome, new.superseded, new.suspected) == ("added", (), ())
    assert memory.stats().current == 2

"""What a write costs: each thing is looked at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from truekeep import Memory
from truekeep.engine import belief
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.fakes import FakeEmbedder

OLD = "My surname is Okada."
NEW = "My surname is now Okada-Lund."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory("bot", at=tmp_path / "m.db", embedder=FakeEmbedder(64), background=False) as memory:
        yield memory


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often items are read and pairs are judged from now on; both are done as ever."""
    calls: Counter[str] = Counter()

    def count(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def call(*given: Any, **named: Any) -> Any:
            calls[name] += 1
            return real(*given, **named)

        monkeypatch.setattr(owner, name, call)

    count(SqliteStore, "get")
    count(SqliteStore, "look")
    count(belief, "verdicts")
    return calls


def test_a_change_of_a_belief_is_read_and_judged_once(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember(OLD, speaker="Kai")
    calls = counted(monkeypatch)

    new = memory.remember(NEW, speaker="Kai")

    assert [old.content for old in new.superseded] == [OLD]
    assert calls == {"get": 1, "verdicts": 1}


def test_what_changes_nothing_is_kept_without_a_look(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember(OLD, speaker="Kai")
    calls = counted(monkeypatch)

    memory.remember("The harbour is deep.")

    assert calls["look"] == 0
    assert calls["verdicts"] <= 1

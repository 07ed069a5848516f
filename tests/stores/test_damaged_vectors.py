"""Vectors can be made again: damaged ones are noticed by whoever reads them, and stand in nobody else's way."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from truekeep import Memory
from truekeep.errors import DamagedStore
from truekeep.ports import Change, NewVectors
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.fakes import FakeEmbedder
from truekeep.testing.samples import EMBEDDER, SPACE, keep, put


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def damage_vectors(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("UPDATE vectors SET data = zeroblob(length(data))")
        assert connection.changes() == 1


def test_damaged_vectors_are_noticed_by_whom_they_are_for_alone(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        keep(store, put("a", "one", vectors=b"old"))
    damage_vectors(path)

    with closing(SqliteStore(path)) as store:
        made = Change(vectors=[NewVectors(id="a", content="one", vectors=b"new")], embedder="another")
        assert store.changes(SPACE, after=0, embedder="another").rows[0].vectors is None
        assert store.apply(SPACE, made, based_on=0).vectors == 1
        assert store.changes(SPACE, after=0, embedder="another").rows[0].vectors == b"new"
        with pytest.raises(DamagedStore):
            store.changes(SPACE, after=0, embedder=EMBEDDER)


def test_vectors_that_are_there_are_not_read_to_see_that_they_are(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        keep(store, put("a", "one", vectors=b"old"))
    damage_vectors(path)

    with closing(SqliteStore(path)) as store:
        again = Change(vectors=[NewVectors(id="a", content="one", vectors=b"new")], embedder=EMBEDDER)
        assert store.apply(SPACE, again, based_on=0).vectors == 0


def test_a_memory_is_recalled_whatever_became_of_the_vectors_of_a_former_embedder(path: Path) -> None:
    with Memory("bot", at=path, embedder=FakeEmbedder(8), background=False, judge="rules") as memory:
        memory.remember("Ana drinks green tea")
    damage_vectors(path)

    with Memory("bot", at=path, embedder=FakeEmbedder(16), background=False, judge="rules") as memory:
        assert [match.content for match in memory.recall("green tea")] == ["Ana drinks green tea"]

"""Access counts on their way to the store."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from typing import Any, cast

import pytest

from truekeep.engine.parts import Accesses
from truekeep.errors import StoreError
from truekeep.model import SpaceId
from truekeep.ports import Items
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.samples import NOW, SPACE, keep, put


class Watched:
    """Items that do something just before counts are written."""

    def __init__(self, store: SqliteStore, before: Any) -> None:
        self._store = store
        self._before = before

    def accesses(self, space: SpaceId, ids: list[str]) -> dict[str, int]:
        return self._store.accesses(space, ids)

    def count_accesses(self, space: SpaceId, counts: Mapping[str, int], *, now: datetime) -> None:
        self._before()
        self._store.count_accesses(space, counts, now=now)


def test_counts_are_known_while_they_are_written_and_counted_once_afterwards() -> None:
    accesses, seen = Accesses(), []
    with closing(SqliteStore(None)) as store:
        keep(store, put("a"))
        items = cast(Items, Watched(store, lambda: seen.append(accesses.known(store, SPACE, ["a"]))))
        accesses.add(SPACE, ["a", "a"])

        accesses.flush(items, NOW)

        assert seen == [{"a": 2}]
        assert accesses.known(store, SPACE, ["a"]) == {"a": 2}


def test_counts_that_come_in_while_others_are_written_are_added() -> None:
    accesses = Accesses()
    with closing(SqliteStore(None)) as store:
        keep(store, put("a"))
        accesses.add(SPACE, ["a"])

        accesses.flush(cast(Items, Watched(store, lambda: accesses.add(SPACE, ["a"]))), NOW)

        assert accesses.known(store, SPACE, ["a"]) == {"a": 2}
        accesses.flush(store, NOW)
        assert store.accesses(SPACE, ["a"]) == {"a": 2}


def test_counts_that_could_not_be_written_wait_for_the_next_time() -> None:
    def fail() -> None:
        raise StoreError("the disk is full")

    accesses = Accesses()
    with closing(SqliteStore(None)) as store:
        keep(store, put("a"))
        accesses.add(SPACE, ["a"])

        with pytest.raises(StoreError):
            accesses.flush(cast(Items, Watched(store, fail)), NOW)

        assert accesses.known(store, SPACE, ["a"]) == {"a": 1}
        accesses.flush(store, NOW)
        assert store.accesses(SPACE, ["a"]) == {"a": 1}

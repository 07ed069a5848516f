"""Access counts on their way to the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import datetime
from typing import cast

import pytest

from truekeep.engine.parts import Accesses
from truekeep.errors import DamagedStore, StoreError
from truekeep.model import SpaceId
from truekeep.ports import Items
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.samples import NOW, SPACE, keep, put


class Watched:
    """Items that do something just before counts are written, and know of which spaces."""

    def __init__(self, store: SqliteStore, before: Callable[[Mapping[SpaceId, object]], object]) -> None:
        self._store = store
        self._before = before
        self.written: list[list[str]] = []

    def accesses(self, space: SpaceId, ids: list[str]) -> dict[str, int]:
        return self._store.accesses(space, ids)

    def count_accesses(self, counts: Mapping[SpaceId, Mapping[str, int]], *, now: datetime) -> None:
        self.written.append([space.name for space in counts])
        self._before(counts)
        self._store.count_accesses(counts, now=now)


def test_counts_are_known_while_they_are_written_and_counted_once_afterwards() -> None:
    accesses, seen = Accesses(), []
    with closing(SqliteStore(None)) as store:
        keep(store, put("a"))
        items = cast(Items, Watched(store, lambda _: seen.append(accesses.known(store, SPACE, ["a"]))))
        accesses.add(SPACE, ["a", "a"])

        accesses.flush(items, NOW)

        assert seen == [{"a": 2}]
        assert accesses.known(store, SPACE, ["a"]) == {"a": 2}


def test_counts_that_come_in_while_others_are_written_are_added() -> None:
    accesses = Accesses()
    with closing(SqliteStore(None)) as store:
        keep(store, put("a"))
        accesses.add(SPACE, ["a"])

        accesses.flush(cast(Items, Watched(store, lambda _: accesses.add(SPACE, ["a"]))), NOW)

        assert accesses.known(store, SPACE, ["a"]) == {"a": 2}
        accesses.flush(store, NOW)
        assert store.accesses(SPACE, ["a"]) == {"a": 2}


def test_counts_that_could_not_be_written_wait_for_the_next_time() -> None:
    def fail(counts: object) -> None:
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


SPACES = [SpaceId("local", f"s{number}") for number in range(5)]


def test_the_counts_of_many_spaces_are_written_at_once() -> None:
    accesses = Accesses()
    with closing(SqliteStore(None)) as store:
        for space in SPACES:
            keep(store, put("a"), space=space)
            accesses.add(space, ["a"])
        items = Watched(store, lambda _: None)

        accesses.flush(cast(Items, items), NOW)
        accesses.flush(cast(Items, items), NOW)

        assert items.written == [["s0", "s1", "s2", "s3", "s4"]]
        assert [store.accesses(space, ["a"]) for space in SPACES] == [{"a": 1}] * 5


def test_a_space_that_cannot_be_counted_holds_up_no_other() -> None:
    def fail(counts: Mapping[SpaceId, object]) -> None:
        if SPACES[1] in counts:
            raise DamagedStore("s1 is damaged")

    accesses = Accesses()
    with closing(SqliteStore(None)) as store:
        for space in SPACES:
            keep(store, put("a"), space=space)
        items = Watched(store, fail)

        for _ in range(2):
            for space in SPACES:
                accesses.add(space, ["a"])
            with pytest.raises(DamagedStore, match="s1"):
                accesses.flush(cast(Items, items), NOW)

        assert [store.accesses(space, ["a"]) for space in SPACES] == [{"a": 2}, {}, {"a": 2}, {"a": 2}, {"a": 2}]
        assert items.written[-2:] == [["s0", "s2", "s3", "s4"], ["s1"]]  # it is tried alone from then on
        accesses.flush(store, NOW)
        assert store.accesses(SPACES[1], ["a"]) == {"a": 2}


def test_a_store_that_is_out_of_reach_is_not_asked_for_each_space() -> None:
    def fail(counts: object) -> None:
        raise StoreError("out of reach", retryable=True)

    accesses = Accesses()
    with closing(SqliteStore(None)) as store:
        items = Watched(store, fail)
        for space in SPACES:
            accesses.add(space, ["a"])

        with pytest.raises(StoreError, match="reach"):
            accesses.flush(cast(Items, items), NOW)

        assert len(items.written) == 1

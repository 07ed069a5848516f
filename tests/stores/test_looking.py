"""A write costs the same however often the same was said, or the same claim changed, before."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from types import FrameType
from typing import Any

import pytest

from truekeep import Memory
from truekeep.engine.decide import RECORD
from truekeep.engine.runtime.local import Local
from truekeep.model import Source, SpaceId
from truekeep.ports import Saying, Store
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.fakes import FakeEmbedder, FixedClock
from truekeep.testing.samples import NOW, SPACE, keep, put


class Steps:
    """Counts the steps of SQLite's machine: work that depends on no clock."""

    def __init__(self, store: Store) -> None:
        self.count = 0
        assert isinstance(store, SqliteStore)
        connection = store._driver.take_reader()  # in memory it is the only one
        connection.set_progress_handler(self._step, 1)
        store._driver.give_reader(connection)

    def _step(self) -> bool:
        self.count += 1
        return False


def store_with(lines: int) -> SqliteStore:
    """Each a claim that superseded the one before, a current statement that was said under another key, a record."""
    store = SqliteStore(":memory:")
    for number in range(lines):
        when = NOW + timedelta(hours=number)
        until, successor = (when + timedelta(hours=1), f"c{number + 1}") if number < lines - 1 else (None, None)
        keep(
            store,
            put(f"c{number}", f"claim {number}", key="k", when=when, until=until, superseded_by=successor),
            put(f"s{number}", "Thanks", key=f"key {number}"),
            put(f"r{number}", "Hello", repeatable=True),
        )
    return store


def steps_of_a_decision(lines: int, ago: int) -> int:
    store = store_with(lines)
    steps = Steps(store)

    sight = store.look(
        SPACE, claims=[("k", NOW + timedelta(hours=lines - ago))], sayings=[Saying("thanks"), Saying("hello")]
    )
    keep(store, put("new", "Thanks", key="k"), put("record", "Hello", repeatable=True))

    assert len(sight.by_key["k"]) < 5
    assert len(sight.by_saying[Saying("thanks")]) == 16
    store.close()
    return steps.count


@pytest.mark.parametrize("ago", [0, 10])
def test_a_decision_takes_no_more_steps_after_a_long_history(ago: int) -> None:
    assert steps_of_a_decision(1000, ago) < 1.5 * steps_of_a_decision(50, ago)


def steps_of_saying_it_again(speakers: int, by: str | None) -> int:
    store = SqliteStore(":memory:")
    keep(store, *(put(f"s{number}", "Thanks", source=Source(speaker=f"u{number}")) for number in range(speakers)))
    steps = Steps(store)

    assert store.look(SPACE, sayings=[Saying("thanks", speaker=by)]).by_saying

    store.close()
    return steps.count


@pytest.mark.parametrize("by", ["u7", None])
def test_it_does_not_matter_how_many_others_say_the_same(by: str | None) -> None:
    assert steps_of_saying_it_again(1000, by) < 1.5 * steps_of_saying_it_again(50, by)


@pytest.mark.parametrize("ask", [SqliteStore.heads, SqliteStore.traces])
def test_of_thousands_of_spaces_little_is_done_for_each(ask: Callable[[SqliteStore, str], object]) -> None:
    with closing(SqliteStore(":memory:")) as store:
        for number in range(200):
            keep(store, put("a"), space=SpaceId("local", f"s{number}"))
        ask(store, "local")  # a row that is as it was is not verified again

        calls = calls_of_stores(lambda: ask(store, "local"))

    assert calls < 300  # one for each space, and those around them


def calls_of_stores(work: Callable[[], object]) -> int:
    """How many functions of the stores were called."""
    count, former = 0, sys.getprofile()

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event == "call" and frame.f_globals["__name__"].startswith("truekeep.stores")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(former)
    return count


@pytest.mark.parametrize("again", [{"kind": RECORD}, {"key": "k"}, {}])
def test_remembering_the_same_takes_no_more_steps_each_time(again: dict[str, Any]) -> None:
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(4), clock=FixedClock(), background=False) as memory:
        assert isinstance(memory._engine, Local)
        steps = Steps(memory._engine._parts.store)
        counts = []
        for number in range(300):
            before = steps.count
            memory.remember(f"claim {number}" if "key" in again else "ok", **again)
            counts.append(steps.count - before)

    assert max(counts[250:]) < 1.5 * max(counts[20:50])


@pytest.mark.parametrize("in_batches", [True, False])
def test_a_claim_said_again_is_known_however_many_say_the_same(in_batches: bool) -> None:
    drafts: list[dict[str, Any]] = [{"content": "It is open", "key": f"door {number}"} for number in range(40)]
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(4), background=False) as memory:
        memory.remember_many(drafts)

        again = memory.remember_many(drafts) if in_batches else [memory.remember(**draft) for draft in drafts]

        assert {one.outcome for one in again} == {"reinforced"}
        assert memory.stats().items == 40

"""What somebody decides who looked at what waits for it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from truekeep import Memory
from truekeep.engine.runtime.local import Local
from truekeep.engine.verbs.erasure import Erasures
from truekeep.model import Keep, Person, SpaceId
from truekeep.testing.fakes import FakeEmbedder, FixedClock

SAID, ENDS, BETWEEN, BEGINS = (datetime(2026, 3, day, tzinfo=UTC) for day in (2, 5, 8, 10))
OLD = "My surname is Okada."


@pytest.mark.parametrize("keep", ["newer", "both"])
def test_what_ends_before_its_successor_begins_ends_there(keep: Keep) -> None:
    with Memory("review", at=":memory:", embedder=FakeEmbedder(), clock=FixedClock(SAID), background=False) as memory:
        memory.remember(OLD, speaker="Kai", key="kai/surname")
        memory.remember("There is none.", speaker="Kai", key="kai/surname", when=ENDS)
        memory.remember("My surname is now Okada-Lund.", speaker="Kai", when=BEGINS)
        [doubt] = memory.review().suspicions

        settled = memory.resolve(doubt, keep=keep)

        assert (settled.older.content, settled.older.until) == (OLD, ENDS)
        assert OLD not in [item.content for item in memory.items(as_of=BETWEEN, include_superseded=True)]


def test_a_mention_of_somebody_who_was_erased_is_recalled_until_it_is_forgotten_and_may_be_kept() -> None:
    clock = FixedClock(SAID)
    with Memory("review", at=":memory:", embedder=FakeEmbedder(), clock=clock, background=False) as memory:
        engine = memory._engine
        assert isinstance(engine, Local)
        memory.remember("I like tea", speaker="ana")
        first, second = (memory.remember(text, speaker="ben").item for text in ("Ana left", "Ask Ana"))

        Erasures(engine._parts.store, engine.space.tenant, clock).erase(Person(speakers=("ana",), names=("ana",)))

        assert memory.review().mentions == (second, first)
        assert memory.recall("who left?")[0].content == "Ana left"
        assert memory.release(first.id) == first
        assert memory.review().mentions == (second,)
        memory.forget(second.id)
        assert memory.review().mentions == ()


def test_nothing_waits_in_a_space_that_was_erased() -> None:
    clock = FixedClock(SAID)
    with Memory("review", at=":memory:", embedder=FakeEmbedder(), clock=clock, background=False) as memory:
        engine = memory._engine
        assert isinstance(engine, Local)
        store, own = engine._parts.store, SpaceId.own(engine.space.tenant)
        memory.remember("Ana left", speaker="ben")
        Erasures(store, own.tenant, clock).erase(Person(speakers=("ana",), names=("ana",)))
        before = store.keys(own, now=SAID)

        memory.forget(everything=True)

        assert "person:mentions:review" in before
        assert "person:mentions:review" not in store.keys(own, now=SAID)

"""What somebody decides who looked at what waits for it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from truekeep import Memory
from truekeep.model import Keep
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

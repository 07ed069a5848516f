"""What users may rely on when they follow the changes of all spaces."""

from __future__ import annotations

from datetime import timedelta

import pytest

from truekeep.errors import InvalidInput, NotFound
from truekeep.memory import Memory
from truekeep.model import Feed

from .opening import OpenMemory


def told(feed: Feed) -> list[tuple[str, str]]:
    """Each event in short: its space, and what it tells."""
    return [(one.space, one.item.content if one.item else one.type) for one in feed.events]


def caught_up(memory: Memory, reader: str, *, limit: int = 100) -> list[tuple[str, str]]:
    """All that there is to tell, acknowledged as it comes."""
    seen: list[tuple[str, str]] = []
    more = True
    while more:
        feed = memory.feed(reader, limit=limit)
        memory.acknowledge(reader, feed.positions)
        seen, more = seen + told(feed), feed.more
    return seen


class Following:
    """Needs the fixture `open_memory`."""

    def test_a_reader_is_told_again_until_it_acknowledges(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana likes tea")
        memory.flush()

        first = memory.feed("crm")
        again = memory.feed("crm")
        memory.acknowledge("crm", first.positions)

        assert told(first) == told(again) == [("bot", "Ana likes tea")]
        assert (memory.feed("crm").events, memory.feed("crm").more) == ((), False)
        assert told(memory.feed("another")) == told(first)

    def test_portions_miss_nothing(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember_many([f"note {n}" for n in range(10)])
        memory.flush()

        assert sorted(caught_up(memory, "crm", limit=3)) == [("bot", f"note {n}") for n in range(10)]

    def test_an_erased_item_and_an_erased_space_are_told_once(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        kept = memory.remember("Ana likes tea")
        memory.remember("Ben likes coffee")
        memory.flush()
        memory.acknowledge("crm")

        memory.forget(kept.id)
        after_one = caught_up(memory, "crm")
        memory.forget(everything=True)
        after_all = caught_up(memory, "crm")

        assert after_one[-1] == ("bot", "erased")
        assert after_all == [("bot", "reset")]
        assert memory.feed("crm").events == ()
        memory.remember("Cleo likes cocoa")
        memory.flush()
        assert ("bot", "Cleo likes cocoa") in caught_up(memory, "crm")

    def test_readers_are_listed_with_how_far_they_are_and_dropped(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana likes tea")
        memory.flush()
        memory.acknowledge("crm")
        memory.acknowledge("search", {})
        memory.remember("Ben likes coffee")
        memory.flush()

        assert [(one.name, one.spaces, one.behind) for one in memory.readers()] == [("crm", 1, 1), ("search", 0, 1)]
        memory.drop_reader("crm")
        assert [one.name for one in memory.readers()] == ["search"]
        with pytest.raises(NotFound, match="'crm'"):
            memory.drop_reader("crm")

    def test_waiting_ends_with_nothing_after_its_time(self, open_memory: OpenMemory) -> None:
        assert open_memory().feed("crm", wait=timedelta(milliseconds=50)).events == ()

    @pytest.mark.parametrize("positions", [{"bot": -1}, {"bot": "1"}, {"": 1}, {"bot": True}, [1]])
    def test_positions_that_no_feed_told_are_refused(self, open_memory: OpenMemory, positions: object) -> None:
        with pytest.raises(InvalidInput):
            open_memory().acknowledge("crm", positions)  # type: ignore[arg-type]

    @pytest.mark.parametrize("reader", ["", "a\nb", "n" * 300])
    def test_a_reader_has_a_name(self, open_memory: OpenMemory, reader: str) -> None:
        with pytest.raises(InvalidInput):
            open_memory().feed(reader)


class FollowingSeveral:
    """What more than one handle is needed for. Needs the fixture `open_memory`."""

    def test_every_space_is_told_of_and_a_busy_one_keeps_nobody_waiting(self, open_memory: OpenMemory) -> None:
        busy, quiet = open_memory("busy"), open_memory("quiet")
        busy.remember_many([f"note {n}" for n in range(30)])
        quiet.remember("Ana likes tea")
        busy.flush()

        first = busy.feed("crm", limit=4)

        assert len(first.events) == 3  # two from the one, all of the other
        assert ("quiet", "Ana likes tea") in told(first)
        assert first.more
        assert len(caught_up(busy, "crm", limit=4)) == 31

    def test_a_space_that_comes_later_is_told_from_its_beginning(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana likes tea")
        memory.flush()
        memory.acknowledge("crm")

        open_memory("new").remember("Ben likes coffee")
        memory.flush()

        assert caught_up(memory, "crm") == [("new", "Ben likes coffee")]

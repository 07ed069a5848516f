"""What users may rely on when they list what is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest

from truekeep.errors import InvalidInput
from truekeep.testing.fakes import FixedClock

from .opening import OpenMemory, contents

DAY = timedelta(days=1)


class Listing:
    """Needs the fixture `open_memory`."""

    def test_items_come_in_pages_newest_first(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        for n in range(7):
            memory.remember(f"note {n}")
            clock.advance(DAY)

        pages = [memory.items(limit=3, offset=offset) for offset in (0, 3, 6, 9)]

        assert [contents(page) for page in pages] == [
            ["note 6", "note 5", "note 4"],
            ["note 3", "note 2", "note 1"],
            ["note 0"],
            [],
        ]

    def test_a_batch_is_listed_in_its_order_the_last_first(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember_many([f"note {n}" for n in range(20)])

        assert contents(memory.items(limit=20)) == [f"note {n}" for n in reversed(range(20))]

    def test_no_item_is_left_out_of_pages_because_it_changes_meanwhile(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        kept = memory.remember_many([f"note {n}" for n in range(30)])

        page = memory.page(limit=10)
        shown = [item.id for item in page.items]
        memory.correct(kept[3].id, tags=["seen"])
        memory.remember("note 4")
        memory.flush()
        while page.cursor is not None:
            page = memory.page(limit=10, cursor=page.cursor)
            shown += [item.id for item in page.items]

        assert shown == [one.id for one in reversed(kept)]

    @pytest.mark.parametrize("cursor", ["AAAAAAAAAAAAAAAAAAAAAA", "what?"])
    def test_a_cursor_that_no_page_gave_is_refused(self, open_memory: OpenMemory, cursor: str) -> None:
        memory = open_memory()
        memory.remember("Ana likes tea")

        with pytest.raises(InvalidInput, match="cursor"):
            memory.page(cursor=cursor)

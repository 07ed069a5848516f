"""What users may rely on when statements compete: claim keys, validity, corrections, history."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise, permutations

import pytest

from truekeep.errors import NotFound
from truekeep.memory import Memory
from truekeep.testing.fakes import FixedClock

from .opening import NOON, OpenMemory, contents

DAY = timedelta(days=1)


def _homes(memory: Memory, at: datetime) -> list[str]:
    return contents(memory.recall("where does Ana live?", as_of=at))


class Claims:
    """Needs the fixture `open_memory`."""

    def test_a_new_statement_under_a_key_supersedes_the_old_one(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        old = memory.remember("Ana lives in Rome", key="ana/home")
        clock.advance(DAY)

        new = memory.remember("Ana lives in Oslo", key="ana/home")

        assert new.outcome == "superseded"
        [retired] = new.superseded
        assert (retired.id, retired.superseded_by, retired.until, retired.retired) == (
            old.id,
            new.id,
            clock.now,
            clock.now,
        )
        assert retired.content == "Ana lives in Rome"
        assert contents(memory.recall("where does Ana live?")) == ["Ana lives in Oslo"]

    def test_superseded_items_stay_in_the_history_with_their_reason(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        kept = [memory.remember(f"Ana lives in {city}", key="ana/home") for city in ("Rome", "Oslo", "Lima")]

        histories = [memory.history(one.id) for one in kept]

        assert contents(histories[0]) == ["Ana lives in Rome", "Ana lives in Oslo", "Ana lives in Lima"]
        assert histories[0] == histories[1] == histories[2]
        assert [item.superseded_by for item in histories[0]] == [kept[1].id, kept[2].id, None]
        assert all(item.reason and "ana/home" in item.reason for item in histories[0][:2])

    def test_superseded_items_are_shown_on_request_and_name_their_successor(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana lives in Rome", key="ana/home")
        new = memory.remember("Ana lives in Oslo", key="ana/home")

        found = memory.recall("where does Ana live?", include_superseded=True)

        by_content = {match.content: match for match in found}
        assert by_content["Ana lives in Rome"].outdated_by == new.id
        assert by_content["Ana lives in Oslo"].outdated_by is None

    def test_nothing_is_retired_by_another_key_or_by_none(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana lives in Rome", key="ana/home")

        others = [
            memory.remember("Ana lives in Oslo"),
            memory.remember("Ben lives in Oslo", key="ben/home"),
            memory.remember("Ana works in Lima", key="ana/work"),
        ]

        assert [one.outcome for one in others] == ["added"] * 3
        assert memory.stats().current == 4

    def test_the_same_statement_under_its_key_reinforces(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        first = memory.remember("Ana lives in Rome", key="ana/home")

        again = memory.remember("Ana lives in Rome", key="ana/home")

        assert (again.outcome, again.id) == ("reinforced", first.id)

    def test_what_was_true_before_may_become_true_again(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        first = memory.remember("Ana lives in Rome", key="ana/home")
        memory.remember("Ana lives in Oslo", key="ana/home")

        back = memory.remember("Ana lives in Rome", key="ana/home")

        assert back.outcome == "superseded"
        assert back.id != first.id
        assert contents(memory.history(first.id)) == ["Ana lives in Rome", "Ana lives in Oslo", "Ana lives in Rome"]

    def test_a_late_arrival_takes_its_place_in_the_line(self, open_memory: OpenMemory) -> None:
        memory = open_memory(clock=FixedClock(NOON + 10 * DAY))
        memory.remember("Ana lives in Rome", key="ana/home", when=NOON)
        memory.remember("Ana lives in Lima", key="ana/home", when=NOON + 6 * DAY)

        late = memory.remember("Ana lives in Oslo", key="ana/home", when=NOON + 3 * DAY)

        assert late.outcome == "added"
        assert not late.item.is_current
        assert contents(memory.recall("where does Ana live?")) == ["Ana lives in Lima"]
        assert [_homes(memory, NOON + days * DAY) for days in (1, 4, 7)] == [
            ["Ana lives in Rome"],
            ["Ana lives in Oslo"],
            ["Ana lives in Lima"],
        ]

    @pytest.mark.parametrize("order", list(permutations(range(3))))
    def test_intervals_do_not_depend_on_the_order_of_arrival(
        self, open_memory: OpenMemory, order: tuple[int, ...]
    ) -> None:
        memory = open_memory(clock=FixedClock(NOON + 10 * DAY))
        cities = ("Rome", "Oslo", "Lima")

        for place in order:
            memory.remember(f"Ana lives in {cities[place]}", key="ana/home", when=NOON + place * DAY)
        line = sorted(memory.items(include_superseded=True), key=lambda item: item.when)

        assert contents(line) == [f"Ana lives in {city}" for city in cities]
        assert all(item.until == later.when and item.superseded_by == later.id for item, later in pairwise(line))
        assert line[-1].is_current

    def test_a_statement_known_to_be_true_earlier_leaves_no_overlap(self, open_memory: OpenMemory) -> None:
        memory = open_memory(clock=FixedClock(NOON + 10 * DAY))
        memory.remember("Ana lives in Rome", key="ana/home", when=NOON)
        memory.remember("Ana lives in Oslo", key="ana/home", when=NOON + 5 * DAY)

        memory.remember("Ana lives in Oslo", key="ana/home", when=NOON + 3 * DAY)

        assert [_homes(memory, NOON + days * DAY) for days in (2, 4, 6)] == [
            ["Ana lives in Rome"],
            ["Ana lives in Oslo"],
            ["Ana lives in Oslo"],
        ]

    def test_what_is_said_last_is_current_even_when_the_clock_jumps_backwards(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        memory.remember("Ana lives in Rome", key="ana/home")
        clock.advance(-30 * DAY)

        memory.remember("Ana lives in Oslo", key="ana/home")

        assert contents(memory.items()) == ["Ana lives in Oslo"]

    @pytest.mark.parametrize("planned_first", [True, False], ids=["planned first", "planned later"])
    def test_a_plan_leaves_the_present_as_it_is(self, open_memory: OpenMemory, planned_first: bool) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        rome = {"content": "Ana lives in Rome", "key": "ana/home"}
        plan = {"content": "Ana lives in Oslo", "key": "ana/home", "when": NOON + 300 * DAY}

        for said in (plan, rome) if planned_first else (rome, plan):
            kept = memory.remember_many([said])[0]
            clock.advance(DAY)

        assert (kept.outcome, kept.superseded) == ("added", ())
        assert [_homes(memory, NOON + days * DAY) for days in (2, 299, 300)] == [
            ["Ana lives in Rome"],
            ["Ana lives in Rome"],
            ["Ana lives in Oslo"],
        ]
        assert "Ana lives in Rome" in contents(memory.items())
        clock.advance(300 * DAY)
        assert contents(memory.items()) == ["Ana lives in Oslo"]

    def test_what_is_planned_may_be_true_already(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        plan = memory.remember("Ana lives in Oslo", key="ana/home", when=NOON + 300 * DAY)

        now = memory.remember("Ana lives in Oslo", key="ana/home")

        assert now.id != plan.id
        assert _homes(memory, NOON + DAY) == ["Ana lives in Oslo"]

    def test_a_claim_for_a_while_gives_way_to_the_lasting_one(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        berlin = memory.remember("Ana works from Berlin", key="ana/place")
        clock.advance(timedelta(hours=1))
        rome = memory.remember("Ana works from Rome", key="ana/place", ttl=5 * DAY)
        during = contents(memory.items())

        clock.advance(6 * DAY)
        memory.flush()

        assert (rome.outcome, during) == ("superseded", ["Ana works from Rome"])
        [back] = memory.items()
        assert (back.id, back.until, back.retired) == (berlin.id, None, None)

    def test_a_correction_is_found_by_its_new_text_only(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        kept = memory.remember("Ana plays the cello", tags=["music"], kind="preference")

        item = memory.correct(kept.id, "Ana plays violin")

        assert (item.id, item.content, item.version) == (kept.id, "Ana plays violin", 2)
        assert (item.tags, item.kind) == (("music",), "preference")
        assert contents(memory.recall("cello")) == ["Ana plays violin"]
        assert memory.recall("cello")[0].why.startswith("meaning")
        assert "violin" in memory.recall("violin")[0].why

    def test_a_correction_changes_what_is_given_and_keeps_the_former_version(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        kept = memory.remember("Ana plays cello", tags=["music"], metadata={"a": 1})
        clock.advance(DAY)

        item = memory.correct(kept.id, kind="decision", tags=[], metadata={"b": 2}, pinned=True, ttl=DAY)
        former, present = memory.history(kept.id)

        assert former == kept.item
        assert present == item
        assert (item.kind, item.tags, item.metadata, item.pinned) == ("decision", (), {"b": 2}, True)
        assert item.expires == clock.now + DAY
        assert (item.created, item.updated, item.version) == (NOON, NOON + DAY, 2)
        assert memory.recall("cello", kinds=["decision"])[0].id == kept.id
        assert len(memory.recall("cello", tags=["music"])) == 0

    def test_what_was_corrected_is_recognised_by_its_new_text(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        kept = memory.remember("Ana plays cello")
        memory.correct(kept.id, "Ana plays violin")

        again = memory.remember("Ana plays violin")
        other = memory.remember("Ana plays cello")

        assert (again.outcome, again.id) == ("reinforced", kept.id)
        assert (other.outcome, other.id == kept.id) == ("added", False)

    def test_an_unknown_item_has_no_history_and_cannot_be_corrected(self, open_memory: OpenMemory) -> None:
        memory = open_memory()

        with pytest.raises(NotFound, match="no-such-id"):
            memory.history("no-such-id")
        with pytest.raises(NotFound, match="no-such-id"):
            memory.correct("no-such-id", "new text")

        assert memory.items(include_superseded=True) == []

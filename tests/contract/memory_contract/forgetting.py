"""What users may rely on when things end: time to live, forget, tombstones, roll-back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from truekeep.errors import InvalidInput, NotFound
from truekeep.memory import Memory
from truekeep.model import Draft, Message, Source
from truekeep.testing.fakes import FixedClock

from .opening import NOON, OpenMemory, contents

DAY = timedelta(days=1)


def _filled(memory: Memory, clock: FixedClock) -> Memory:
    memory.remember("one", kind="preference", tags=["red", "round"], session="s1", speaker="Ana")
    memory.remember("two", kind="decision", tags=["red"], session="s1", speaker="Ben", source="crawler")
    clock.advance(DAY)
    memory.remember("three", kind="interaction", tags=["round"], session="s2", source=Source(name="crawler"))
    return memory


class Forgetting:
    """Needs the fixture `open_memory`."""

    def test_a_forgotten_statement_is_not_recorded_again_but_may_be_said_again(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.forget(memory.remember("Ana lives in Rome").id)

        recorded = memory.remember("Ana lives in Rome", derived=True)
        batch = memory.remember_many([{"content": "Ana lives in Rome", "derived": True}, "Ana plays cello"])
        nothing = contents(memory.items())
        said = memory.remember("Ana lives in Rome")

        assert [recorded.outcome, *(one.outcome for one in batch)] == ["refused", "refused", "added"]
        assert nothing == ["Ana plays cello"]
        assert said.outcome == "added"

    def test_what_is_forgotten_is_gone_from_every_answer(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        tea = memory.remember("Ada drinks tea", tags=["drinks"], session="s")
        memory.remember("Ada plays chess")

        receipt = memory.forget(tea.id)

        assert (receipt.erased, receipt.remaining) == ((tea.id,), 0)
        assert contents(memory.recall("what does Ada drink? tea", include_superseded=True)) == ["Ada plays chess"]
        assert contents(memory.items(include_superseded=True)) == ["Ada plays chess"]
        assert "tea" not in memory.context("tea")
        assert memory.sessions() == []
        assert not any("tea" in line for line in memory.export())
        with pytest.raises(NotFound):
            memory.history(tea.id)
        with pytest.raises(NotFound):
            memory.explain("tea", tea.id)

    def test_forgetting_takes_former_versions_along(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        kept = memory.remember("Ada drinks tea")
        memory.correct(kept.id, "Ada drinks cocoa")

        memory.forget(kept.id)

        assert not any("tea" in line or "cocoa" in line for line in memory.export())

    def test_what_it_superseded_stays_retired(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        old = memory.remember("Ada drinks tea", key="ada/drink")
        new = memory.remember("Ada drinks cocoa", key="ada/drink")

        memory.forget(new.id)
        [left] = memory.items(include_superseded=True)

        assert memory.items() == []
        assert (left.id, left.superseded_by, left.is_current) == (old.id, None, False)
        assert new.id not in (left.reason or "")

    def test_an_unknown_id_erases_nothing(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ada drinks tea")

        receipt = memory.forget("01a1e268-665a-79c3-a1e6-752a12409561")

        assert receipt.erased == ()
        assert memory.stats().items == 1

    def test_a_text_is_no_id_and_is_told_so(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ada drinks tea")

        with pytest.raises(NotFound, match=r"no item 'tea' .* forget takes an id, .* or filters: "):
            memory.forget("tea")
        with pytest.raises(InvalidInput, match="delete is for values; forget"):
            memory.delete(memory.items()[0].id)

        assert memory.stats().items == 1
        assert memory.delete("01a1e268-665a-79c3-a1e6-752a12409561") is False

    @pytest.mark.parametrize(
        ("filters", "left"),
        [
            ({"kinds": ["preference", "decision"]}, "three"),
            ({"kinds": ["-preference"]}, "one"),
            ({"tags": ["red"]}, "three"),
            ({"tags": ["red", "round"]}, "two three"),
            ({"session": "s1"}, "three"),
            ({"speaker": "Ana"}, "two three"),
            ({"source": "crawler"}, "one"),
            ({"before": NOON + DAY}, "three"),
            ({"source": "crawler", "before": NOON + DAY}, "one three"),
            ({"session": "unheard-of"}, "one two three"),
        ],
    )
    def test_filters_say_what_to_forget(self, open_memory: OpenMemory, filters: dict[str, Any], left: str) -> None:
        clock = FixedClock()
        memory = _filled(open_memory(clock=clock), clock)

        receipt = memory.forget(**filters)

        assert set(contents(memory.items())) == set(left.split())
        assert len(receipt.erased) == 3 - len(left.split())

    def test_a_source_is_rolled_back_as_if_it_had_never_spoken(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("The limit is 10", key="limit", source="handbook")
        memory.remember("The limit is 999", key="limit", source="crawler")
        memory.remember("The limit is 1000", key="limit", source="crawler")

        receipt = memory.forget(source="crawler")
        [left] = memory.recall("limit")

        assert len(receipt.erased) == 2
        assert (left.content, left.item.is_current, left.item.until) == ("The limit is 10", True, None)
        assert memory.remember("The limit is 20", key="limit").superseded[0].id == left.id

    def test_a_source_rolled_back_in_the_middle_leaves_the_others_in_line(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        kept = []
        for limit, source in ((10, "handbook"), (999, "crawler"), (20, "handbook")):
            kept.append(memory.remember(f"The limit is {limit}", key="limit", source=source))
            clock.advance(DAY)

        memory.forget(source="crawler")

        assert contents(memory.items()) == ["The limit is 20"]
        assert contents(memory.items(as_of=NOON + DAY)) == ["The limit is 10"]
        assert [item.superseded_by for item in memory.history(kept[0].id)] == [kept[2].id, None]

    def test_rolling_a_source_back_leaves_what_others_said_too(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana uses Rust", source="web")
        memory.remember("Ana uses Rust", source="notes")
        memory.remember("Ana uses Rust")

        memory.forget(source="web")

        assert {item.source.name for item in memory.items()} == {"notes", None}

    def test_forget_needs_to_know_what(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        kept = memory.remember("Ada drinks tea")

        nothing: list[dict[str, Any]] = [{}, {"everything": False}, {"kinds": []}, {"tags": []}]
        for given in nothing:
            with pytest.raises(InvalidInput):
                memory.forget(**given)
        with pytest.raises(InvalidInput):
            memory.forget(kept.id, everything=True)
        with pytest.raises(InvalidInput):
            memory.forget(kept.id, tags=["a"])

        assert memory.stats().items == 1

    def test_forgetting_everything_empties_the_space(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ada drinks tea", session="s", key="ada/drink")
        memory.remember("Ada drinks cocoa", key="ada/drink")
        memory.set("profile", {"tone": "kind"})

        receipt = memory.forget(everything=True)
        stats = memory.stats()

        assert len(receipt.erased) == 2
        assert (stats.items, stats.values, stats.jobs, stats.kinds) == (0, 0, 0, {})
        assert len(list(memory.export())) == 1
        assert memory.remember("Ada drinks tea").outcome == "added"

    def test_extraction_does_not_bring_back_what_was_forgotten(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        said = [{"role": "user", "content": "I prefer green tea in the morning."}]
        [kept] = memory.extract(said).remembered
        memory.forget(kept.id)

        again = memory.extract(said)
        explicit = memory.remember(kept.item.content, kind=kept.item.kind)
        afterwards = memory.extract(said)

        assert again.remembered == ()
        assert explicit.outcome == "added"
        assert [one.outcome for one in afterwards.remembered] == ["reinforced"]

    def test_retiring_an_equal_statement_does_not_bring_back_what_was_forgotten(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("I prefer tea", key="drink", kind="fact")
        twin = memory.remember("I prefer tea", kind="preference")
        memory.forget(twin.id)

        memory.remember("I prefer coffee", key="drink")
        memory.extract("I prefer tea.")

        assert [item.content for item in memory.items()] == ["I prefer coffee"]

    def test_import_does_not_bring_back_what_was_forgotten(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        kept = memory.remember("Ada drinks tea")
        memory.correct(kept.id, "Ada drinks cocoa")
        memory.remember("Ada plays chess")
        lines = list(memory.export())
        memory.forget(kept.id)

        imported = memory.import_(lines)

        assert (imported.refused, imported.unchanged, imported.items) == (1, 1, 0)
        assert contents(memory.items()) == ["Ada plays chess"]
        assert not any("tea" in line or "cocoa" in line for line in memory.export())

    def test_import_does_not_bring_back_a_former_version_that_was_forgotten(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        kept = memory.remember("Ada drinks tea")
        memory.correct(kept.id, "Ada drinks cocoa")
        lines = list(memory.export())
        memory.forget(kept.id)
        memory.remember("Ada drinks cocoa")

        imported = memory.import_(lines)

        assert (imported.items, imported.versions, imported.refused) == (1, 0, 1)
        assert not any("tea" in line for line in memory.export())

    def test_a_forgotten_record_is_not_made_again_by_extraction(self, open_memory: OpenMemory) -> None:
        class Recorder:
            def extract(self, messages: Sequence[Message]) -> list[Draft]:
                return [Draft(content=message.content, kind="interaction") for message in messages]

        memory = open_memory(extractor=Recorder())
        first, second = (memory.extract(["Good morning"]).remembered[0] for _ in "12")
        memory.forget(first.id)

        again = memory.extract(["Good morning"])

        assert (first.outcome, second.outcome) == ("added", "added")
        assert again.remembered == ()
        assert [item.id for item in memory.items()] == [second.id]

    def test_forgetting_everything_leaves_no_tombstone(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ada drinks tea")
        lines = list(memory.export())
        memory.forget(everything=True)

        imported = memory.import_(lines)

        assert (imported.items, imported.refused) == (1, 0)
        assert contents(memory.recall("tea")) == ["Ada drinks tea"]

    def test_after_its_time_to_live_an_item_is_gone(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        brief = memory.remember("The code is 4711", ttl=timedelta(hours=1), pinned=True)
        assert contents(memory.recall("code")) == ["The code is 4711"]

        clock.advance(timedelta(hours=1))

        assert memory.recall("code", include_superseded=True) == []
        assert memory.items(include_superseded=True) == []
        assert memory.context("code") == ""
        assert memory.stats().current == 0
        memory.flush()
        assert memory.stats().items == 0
        assert not any("4711" in line for line in memory.export())
        with pytest.raises(NotFound):
            memory.history(brief.id)

    def test_seconds_are_a_time_to_live_too(self, open_memory: OpenMemory) -> None:
        memory = open_memory(clock=FixedClock())

        kept = memory.remember("The code is 4711", ttl=90)

        assert kept.item.expires == NOON + timedelta(seconds=90)

    def test_what_has_expired_may_be_said_again(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        first = memory.remember("The code is 4711", ttl=60)
        clock.advance(DAY)

        again = memory.remember("The code is 4711", ttl=60)
        memory.flush()

        assert (again.outcome, again.id == first.id) == ("added", False)
        assert contents(memory.items()) == ["The code is 4711"]

    def test_saying_it_again_prolongs_or_lifts_the_time_to_live(self, open_memory: OpenMemory) -> None:
        memory = open_memory(clock=FixedClock())
        memory.remember("The code is 4711", ttl=60)

        shorter = memory.remember("The code is 4711", ttl=30).item.expires
        longer = memory.remember("The code is 4711", ttl=90).item.expires
        lifted = memory.remember("The code is 4711").item.expires
        not_bound_again = memory.remember("The code is 4711", ttl=10).item.expires

        assert (shorter, longer) == (NOON + timedelta(seconds=60), NOON + timedelta(seconds=90))
        assert lifted is None
        assert not_bound_again is None

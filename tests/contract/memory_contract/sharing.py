"""What users may rely on across handles: sharing, isolation, export and import, closing."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from truekeep.errors import Conflict, StoreError
from truekeep.memory import Memory
from truekeep.model import Source
from truekeep.testing.fakes import FixedClock

from .extracting import NAMELESS, Costly
from .opening import NOON, OpenMemory, contents

DAY = timedelta(days=1)


def _filled(memory: Memory) -> Memory:
    memory.remember("Ana lives in Rome", key="ana/home", when=NOON - DAY, tags=["b", "a"], metadata={"n": [1, 1.0]})
    memory.remember("Ana lives in Oslo", key="ana/home", speaker="Ana", session="s")
    memory.remember("Ana lives in Oslo", key="ana/home", speaker="Ana")
    kept = memory.remember("Ana plays cello\n\u2028 and \U0001f3bb", pinned=True, source=Source(name="x", trust="tool"))
    memory.correct(kept.id, "Ana plays violin", tags=["music"])
    memory.correct(kept.id, kind="preference")
    memory.remember("brief", ttl=DAY)
    memory.recall("Ana")
    memory.set("profile", {"tone": "é", "n": 1.5})
    memory.set("brief", [1, None], ttl=DAY)
    return memory


class Alone:
    """What one handle can show. Needs the fixture `open_memory`."""

    def test_an_export_restores_a_space_without_loss(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = _filled(open_memory(clock=clock))
        lines = list(memory.export())
        was = [memory.history(item.id) for item in memory.items()]
        memory.forget(everything=True)

        imported = memory.import_(lines)

        assert (imported.items, imported.versions, imported.values) == (4, 2, 2)
        assert list(memory.export()) == lines
        assert [len(memory.history(item.id)) for item in memory.items()] == [len(one) for one in was]

    def test_an_export_is_documented_json_lines(self, open_memory: OpenMemory) -> None:
        lines = list(_filled(open_memory(clock=FixedClock())).export())

        assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines)
        records = [json.loads(line) for line in lines]
        assert records[0] == {"type": "header", "format": "truekeep", "version": 1, "space": "bot"}
        assert [record["type"] for record in records[1:]] == ["item"] * 4 + ["version"] * 2 + ["value"] * 2

    def test_an_import_can_be_repeated(self, open_memory: OpenMemory) -> None:
        memory = _filled(open_memory(clock=FixedClock()))
        lines = list(memory.export())

        imported = memory.import_(lines)

        assert (imported.items, imported.values, imported.unchanged, imported.refused) == (0, 0, 6, 0)
        assert list(memory.export()) == lines

    def test_an_import_does_not_undo_what_is_newer_here(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        kept = memory.remember("Ana plays cello")
        memory.set("profile", "old")
        lines = list(memory.export())
        clock.advance(DAY)
        memory.correct(kept.id, "Ana plays violin")
        memory.set("profile", "new")

        memory.import_(lines)

        assert contents(memory.items()) == ["Ana plays violin"]
        assert memory.get("profile") == "new"

    @pytest.mark.parametrize("pause", [DAY, 0 * DAY], ids=["later", "at the same time"])
    def test_a_later_export_over_an_earlier_one_retires_what_it_retired(
        self, open_memory: OpenMemory, pause: timedelta
    ) -> None:
        clock = FixedClock()
        memory, copy = open_memory(clock=clock), open_memory("copy", clock=clock)
        memory.remember("Ana writes Python", key="ana/language")
        copy.import_(list(memory.export()))
        clock.advance(pause)
        memory.remember("Ana writes Rust", key="ana/language")

        imported = copy.import_(list(memory.export()))

        assert imported.items == 2
        assert contents(copy.items()) == ["Ana writes Rust"]
        assert sorted(list(copy.export())[1:]) == sorted(list(memory.export())[1:])

    def test_a_closed_memory_says_so(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana likes tea")
        memory.close()
        memory.close()

        calls = (
            lambda: memory.remember("Ben likes coffee"),
            lambda: memory.recall("tea"),
            lambda: memory.context("tea"),
            lambda: memory.items(),
            lambda: memory.get("k"),
            lambda: memory.set("k", 1),
            lambda: memory.forget(everything=True),
            lambda: memory.export(),
            lambda: memory.stats(),
            lambda: memory.flush(),
            lambda: memory.extract("Ana: I prefer tea."),
        )

        for call in calls:
            with pytest.raises(StoreError, match="closed"):
                call()

    def test_leaving_the_with_block_closes(self, open_memory: OpenMemory) -> None:
        with open_memory() as memory:
            memory.remember("Ana likes tea")

        with pytest.raises(StoreError, match="closed"):
            memory.recall("tea")

    @pytest.mark.parametrize("space", ["a/b", "../up", "..", ".", "C:\\x", "ü ~ %2F ?#", "a" * 256, "; drop table x"])
    def test_any_name_is_a_space(self, open_memory: OpenMemory, space: str) -> None:
        memory = open_memory(space)

        memory.remember("Ana likes tea")

        assert memory.space == memory.stats().space == space
        assert contents(memory.recall("tea")) == ["Ana likes tea"]


class Together:
    """What needs several handles on one store. Needs the fixture `open_memory`."""

    def test_an_account_holds_for_all_spaces_of_a_tenant(self, open_memory: OpenMemory) -> None:
        costly = Costly()
        first, second = open_memory(extractor=costly), open_memory("other", extractor=costly)

        for memory in (first, first, first, first, second):
            memory.extract([NAMELESS])

        assert costly.granted == [True, True, True, False, False]

    def test_spaces_are_isolated(self, open_memory: OpenMemory) -> None:
        one, other = open_memory("one"), open_memory("other")
        kept = one.remember("Ana likes tea", idempotency_key="r", session="s")
        one.set("k", 1)

        assert other.recall("tea") == []
        assert (other.items(), other.sessions(), other.keys(), len(list(other.export()))) == ([], [], [], 1)
        assert other.forget(kept.id).erased == ()
        assert other.remember("Ana likes tea", idempotency_key="r").outcome == "added"
        other.forget(everything=True)
        assert contents(one.items()) == ["Ana likes tea"]
        assert one.get("k") == 1

    def test_a_tombstone_holds_in_its_space_only(self, open_memory: OpenMemory) -> None:
        one, other = open_memory("one"), open_memory("other")
        kept = one.remember("Ana likes tea")
        lines = list(one.export())
        one.forget(kept.id)

        assert one.import_(lines).refused == 1
        assert other.import_(lines).items == 1

    def test_two_handles_see_each_other_on_the_next_call(self, open_memory: OpenMemory) -> None:
        one, other = open_memory(), open_memory()

        for n in range(20):
            kept = one.remember(f"note {n}")
            assert other.recall(f"note {n}")[0].content == f"note {n}"
            other.forget(kept.id)
            assert one.items() == []
            one.set("n", n)
            assert other.get("n") == n

    def test_a_memory_outlives_its_handle(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        with open_memory(clock=clock) as memory:
            first = memory.remember("Ana likes tea", idempotency_key="r")
            memory.set("k", [1])
            lines = list(memory.export())

        with open_memory(clock=clock) as again:
            assert list(again.export()) == lines
            assert again.remember("Ana likes tea", idempotency_key="r").id == first.id
            with pytest.raises(Conflict):
                again.remember("Ana likes cocoa", idempotency_key="r")
            assert again.recall("tea")[0].id == first.id

    def test_closing_one_handle_leaves_the_others_open(self, open_memory: OpenMemory) -> None:
        one, other = open_memory(), open_memory()

        one.close()

        assert other.remember("Ana likes tea").outcome == "added"

    def test_two_handles_leave_one_current_claim(self, open_memory: OpenMemory) -> None:
        handles = [open_memory() for _ in range(2)]

        for n in range(10):
            handles[n % 2].remember(f"The port is {n}", key="port")
        history = handles[0].history(handles[0].items()[0].id)

        assert contents(handles[1].items()) == ["The port is 9"]
        assert contents(history) == [f"The port is {n}" for n in range(10)]

    def test_an_export_fills_a_fresh_space(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        lines = list(_filled(open_memory("one", clock=clock)).export())
        fresh = open_memory("fresh", clock=clock)

        fresh.import_(lines)

        copied = list(fresh.export())
        assert copied[1:] == lines[1:]
        assert json.loads(copied[0])["space"] == "fresh"
        assert contents(fresh.recall("violin"))[0] == "Ana plays violin"

    def test_accesses_are_counted_across_handles(self, open_memory: OpenMemory) -> None:
        one, other = open_memory(), open_memory()
        one.remember("green tea")
        one.recall("green tea")

        assert other.recall("green tea")[0].frequency > 0

"""What users may rely on when statements change each other without a claim key: supersession, doubt, validity."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from truekeep.errors import Conflict, InvalidInput, NotFound
from truekeep.memory import Memory
from truekeep.model import Keep, Source, Suspicion
from truekeep.testing.fakes import FixedClock

from .opening import OpenMemory, contents

DAY = timedelta(days=1)
OLD = "My surname is Okada."
NEW = "My surname is now Okada-Lund."


def doubted(open_memory: OpenMemory) -> tuple[Memory, Suspicion]:
    """A memory with a doubt: what somebody pinned is never retired by a judgement."""
    memory = open_memory()
    memory.remember(OLD, speaker="Kai", pinned=True)
    memory.remember(NEW, speaker="Kai")
    [suspicion] = memory.review().suspicions
    return memory, suspicion


class Beliefs:
    """Needs the fixture `open_memory`."""

    def test_a_change_that_is_stated_supersedes_and_says_why(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        old = memory.remember(OLD, speaker="Kai")
        clock.advance(DAY)

        new = memory.remember(NEW, speaker="Kai")

        assert new.outcome == "superseded"
        assert contents(new.superseded) == [OLD]
        assert contents(memory.recall("what is the surname?")) == [NEW]
        [former, present] = memory.history(old.id)
        assert (former.superseded_by, former.until, former.retired) == (new.id, clock.now, clock.now)
        assert former.reason is not None
        assert "Okada" in former.reason
        assert new.id in former.reason
        assert present == new.item

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("Mia is allergic to nuts.", "Mia is allergic to nuts and eggs."),
            ("I am vegetarian.", "I am vegetarian except for fish."),
            ("Grandma needs insulin.", "Grandma needs insulin before meals."),
            ("Ben works at Acme.", "Ben works at Acme part-time."),
            ("build 5 of 5", "build 5 of 7"),
            ("The code is 1 1 2 2", "The code is 1 2"),
        ],
    )
    @pytest.mark.parametrize("at_once", [False, True], ids=["in turn", "at once"])
    def test_what_a_statement_adds_is_kept_beside_the_first(
        self, open_memory: OpenMemory, first: str, second: str, at_once: bool
    ) -> None:
        memory = open_memory()

        kept = memory.remember_many([first, second]) if at_once else [*map(memory.remember, (first, second))]

        assert [one.outcome for one in kept] == ["added", "added"]
        assert contents(memory.recall(second))[0] == second
        assert set(contents(memory.items())) == {first, second}

    def test_one_that_says_all_of_it_and_more_stands_beside_it(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("The parcel is late.")

        more = memory.remember("The parcel is late. Tracking says 14 May.")

        assert (more.outcome, more.superseded) == ("added", ())
        assert len(memory.items()) == 2

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("I like phone calls", "I don't like phone calls in the morning"),
            ("I like Python", "I don't like Python 2"),
            ("Ben's Paris office is closed", "Ben's Rome office is no longer closed"),
            ("Tom plays tennis", "Tom no longer plays tennis with Ben"),
            ("The gate opens at 9:00", "The gate now opens at 10:00 on Mondays"),
        ],
    )
    def test_something_narrower_retires_nothing(self, open_memory: OpenMemory, first: str, second: str) -> None:
        memory = open_memory()
        memory.remember(first, speaker="Kai")

        memory.remember(second, speaker="Kai")

        assert set(contents(memory.items())) == {first, second}

    def test_a_change_learned_late_takes_its_place_in_time(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        new = memory.remember(NEW, speaker="Kai")

        old = memory.remember(OLD, speaker="Kai", when=clock.now - 30 * DAY)

        assert contents(memory.recall("what is the surname?")) == [NEW]
        assert contents(memory.recall("what is the surname?", as_of=clock.now - 10 * DAY)) == [OLD]
        assert old.item.superseded_by == new.id

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ({"speaker": "Kai"}, {"speaker": "Noa"}),
            ({"speaker": "Kai", "tags": ["user:kai"]}, {"speaker": "Kai", "tags": ["user:noa"]}),
            ({"speaker": "Kai", "kind": "interaction"}, {"speaker": "Kai"}),
            ({"speaker": "Kai", "key": "kai/name"}, {"speaker": "Kai", "key": "kai/alias"}),
            ({"speaker": "Kai"}, {"speaker": "Kai", "judged": False}),
        ],
        ids=["another speaker", "another scope", "a record", "another key", "not to be judged"],
    )
    def test_what_belongs_to_others_or_is_not_to_be_judged_is_left_alone(
        self, open_memory: OpenMemory, first: dict[str, object], second: dict[str, object]
    ) -> None:
        memory = open_memory()
        memory.remember_many([{"content": OLD, **first}])

        new = memory.remember_many([{"content": NEW, **second}])[0]

        assert (new.outcome, new.superseded, new.suspected) == ("added", (), ())
        assert set(contents(memory.items())) == {OLD, NEW}
        assert memory.review().suspicions == ()

    def test_an_untrusted_source_retires_nothing_that_the_user_said(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember(OLD, speaker="Kai")

        new = memory.remember(NEW, source=Source(name="crawler", speaker="Kai"))

        assert new.superseded == ()
        assert contents(new.suspected) == [OLD]
        assert set(contents(memory.items())) == {OLD, NEW}

    def test_a_batch_sees_its_own_changes(self, open_memory: OpenMemory) -> None:
        memory = open_memory()

        memory.remember_many([{"content": text, "speaker": "Kai"} for text in (OLD, NEW)])

        assert contents(memory.items()) == [NEW]

    def test_a_doubt_is_shown_and_retires_nothing(self, open_memory: OpenMemory) -> None:
        memory, suspicion = doubted(open_memory)

        found = {match.content: match for match in memory.recall("what is the surname?")}
        shown = memory.context("what is the surname?")

        assert contents([suspicion.older, suspicion.newer]) == [OLD, NEW]
        assert found[OLD].suspected_by == (suspicion.newer.id,)
        assert (found[NEW].suspected_by, found[OLD].outdated_by) == ((), None)
        [line] = [line for line in shown.splitlines() if OLD in line]
        assert f"(may be outdated by: {NEW})" in line

    @pytest.mark.parametrize(
        ("keep", "left"), [("newer", [NEW]), ("older", [OLD]), ("both", [NEW, OLD])], ids=["newer", "older", "both"]
    )
    def test_somebody_who_knows_settles_a_doubt(self, open_memory: OpenMemory, keep: Keep, left: list[str]) -> None:
        memory, suspicion = doubted(open_memory)

        settled = memory.resolve(suspicion, keep=keep)

        assert settled.id == suspicion.id
        assert settled.older.suspected_by == ()
        assert sorted(contents(memory.items())) == sorted(left)
        assert memory.review().suspicions == ()
        assert set(contents(memory.items(include_superseded=True))) == {OLD, NEW}
        with pytest.raises(Conflict):
            memory.resolve(suspicion.id, keep=keep)

    def test_a_doubt_that_is_not_there_cannot_be_settled(self, open_memory: OpenMemory) -> None:
        memory, suspicion = doubted(open_memory)
        gone = "00000000-0000-7000-8000-000000000000"

        with pytest.raises(NotFound):
            memory.resolve(f"{suspicion.older.id}:{gone}", keep="newer")
        with pytest.raises(Conflict):
            memory.resolve(f"{suspicion.newer.id}:{suspicion.older.id}", keep="newer")
        with pytest.raises(InvalidInput):
            memory.resolve(suspicion.older.id, keep="newer")
        with pytest.raises(InvalidInput):
            memory.resolve(suspicion, keep="neither")  # type: ignore[arg-type]

    def test_a_doubt_goes_with_the_item_that_raised_it(self, open_memory: OpenMemory) -> None:
        memory, suspicion = doubted(open_memory)

        memory.forget(suspicion.newer.id)

        [left] = memory.items()
        assert (left.content, left.suspected_by) == (OLD, ())
        assert "Lund" not in str(left.reason)
        assert memory.review().suspicions == ()

    def test_a_doubt_survives_export_and_import(self, open_memory: OpenMemory) -> None:
        memory, suspicion = doubted(open_memory)
        lines = list(memory.export())
        memory.forget(everything=True)

        memory.import_(lines)

        [back] = memory.review().suspicions
        assert back.id == suspicion.id

    def test_a_stated_end_bounds_the_validity(self, open_memory: OpenMemory) -> None:
        clock = FixedClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
        memory = open_memory(clock=clock)
        text = "The canteen is closed until 14 March 2026."

        kept = memory.remember(text)

        assert kept.item.until == datetime(2026, 3, 15, tzinfo=UTC)
        assert contents(memory.recall("is the canteen open?")) == [text]
        clock.advance(13 * DAY)
        assert memory.recall("is the canteen open?") == []
        assert contents(memory.recall("is the canteen open?", as_of=datetime(2026, 3, 10, tzinfo=UTC))) == [text]
        assert memory.item(kept.id).is_current

    def test_both_clocks_can_be_asked(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        start = clock.now
        memory.remember("The limit is 10", key="limit")
        clock.advance(10 * DAY)
        memory.remember("The limit is 20", key="limit", when=start + 2 * DAY)
        question, then = "what is the limit?", start + 5 * DAY

        true = memory.recall(question, as_of=then)
        believed = memory.recall(question, known_at=then)
        before = memory.recall(question, known_at=start - DAY)
        believed_of_the_start = memory.recall(question, known_at=clock.now, as_of=start + DAY)

        assert contents(true) == ["The limit is 20"]  # it was, we only learned it later
        assert contents(believed) == ["The limit is 10"]
        assert before == []
        assert contents(believed_of_the_start) == ["The limit is 10"]

    def test_what_was_believed_is_told_as_it_was_then(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        kept = memory.remember("Ana's birthday is on May 3", pinned=True)
        clock.advance(2 * DAY)
        then = clock.now
        clock.advance(2 * DAY)
        memory.correct(kept.id, "Ana's birthday is on May 5")
        question = "when is Ana's birthday?"

        told = [memory.recall(question, known_at=at) for at in (then, clock.now, None)]

        assert [contents(found) for found in told] == [[f"Ana's birthday is on May {day}"] for day in (3, 5, 5)]
        assert contents(memory.items(known_at=then)) == contents(memory.page(known_at=then).items) == contents(told[0])
        assert "May 3" in memory.context(question, known_at=then)
        assert "May 5" not in memory.context(question, known_at=then)

"""What a statement changes is found after it was kept, by whoever has the time, whatever ends or comes between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.reliability.child import Child
from truekeep import Memory
from truekeep.engine import judge
from truekeep.engine.effects import judged
from truekeep.engine.judge import AT_ONCE, judge_waiting, judged_now
from truekeep.engine.reconcile import Decision
from truekeep.engine.requests import draft
from truekeep.engine.runtime.local import Local
from truekeep.engine.runtime.upkeep import LAST, Upkeep
from truekeep.engine.verbs.remember import remember
from truekeep.errors import NotFound, StoreError
from truekeep.model import MemoryItem, Remembered, SpaceId
from truekeep.ports import Applied
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.fakes import FakeEmbedder

OLD = "My surname is Okada."
NEW = "My surname is now Okada-Lund."
ASIDE = "The harbour is deep."
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def opened(path: Path, clock: Callable[[], datetime] = lambda: NOW) -> Memory:
    return Memory("bot", at=path, embedder=FakeEmbedder(64), background=False, clock=clock)


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with opened(path) as memory:
        yield memory


def engine_of(memory: Memory) -> Local:
    return cast(Local, memory._engine)


def say(memory: Memory, *contents: str, at: datetime = NOW, space: SpaceId | None = None) -> None:
    """As where a thread does the upkeep, and has not come to it yet."""
    engine = engine_of(memory)
    drafts = [draft(engine.limits, content=content, speaker="Kai") for content in contents]
    remember(drafts, parts=engine._parts, space=space or engine.space, now=at)


def current(memory: Memory) -> set[str]:
    return {item.content for item in memory.items()}


def before_a_write(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], object], *, number: int = 1) -> None:
    """Let something happen right before the next write, or the one after some."""
    apply, count = SqliteStore.apply, 0

    def overtaken(self: SqliteStore, *given: Any, **more: Any) -> Applied:
        nonlocal count
        count += 1
        if count == number:
            monkeypatch.setattr(SqliteStore, "apply", apply)
            meanwhile()
        return apply(self, *given, **more)

    monkeypatch.setattr(SqliteStore, "apply", overtaken)


def test_what_is_said_is_kept_first_and_judged_then(memory: Memory) -> None:
    say(memory, OLD)
    say(memory, NEW)

    assert current(memory) == {OLD, NEW}
    assert (memory.stats().unjudged, memory.recall("surname").pending) == (2, 2)

    assert memory.flush()

    assert current(memory) == {NEW}
    assert (memory.stats().unjudged, memory.recall("surname").pending) == (0, 0)


def test_who_wants_to_know_now_is_told(memory: Memory) -> None:
    say(memory, OLD, at=NOW - timedelta(seconds=1))

    new = memory.remember(NEW, speaker="Kai", judged="now")

    assert (new.outcome, [old.content for old in new.superseded]) == ("superseded", [OLD])
    assert not new.item.unjudged


def test_of_two_that_were_said_in_one_moment_the_one_that_came_second_meets_the_other(memory: Memory) -> None:
    say(memory, OLD)

    new = memory.remember(NEW, speaker="Kai", judged="now")  # while the first still waits for its own verdict

    assert [old.content for old in new.superseded] == [OLD]


def test_what_one_process_leaves_the_next_one_judges(path: Path) -> None:
    with opened(path) as memory:
        say(memory, OLD)
        say(memory, NEW)
        engine_of(memory)._parts.unfinished.remove(engine_of(memory).space)  # as if it had been killed

    with opened(path) as memory:
        assert memory.stats().unjudged == 2
        memory.flush()
        assert current(memory) == {NEW}


def test_a_verdict_that_a_kill_cut_off_is_reached_by_the_next_process(path: Path) -> None:
    with Child("verdicts.die_at_the_verdict", path, OLD, NEW) as child:
        assert child.rest() == ["judging"]

    with Memory("bot", at=path, embedder=FakeEmbedder(64)) as memory:
        assert memory.flush()
        [old] = (item for item in memory.items(include_superseded=True) if item.content == OLD)
        assert old.superseded_by or old.suspected_by


def test_of_two_who_contradict_each_other_at_once_the_one_judged_last_finds_the_other(path: Path) -> None:
    with opened(path) as one, opened(path) as other:
        say(one, OLD, at=NOW - timedelta(seconds=1))
        say(other, NEW)

        one.flush()
        other.flush()

        assert current(one) == current(other) == {NEW}
        [old, new] = one.history(one.items()[0].id)
        assert old.superseded_by == new.id


def test_one_that_is_judged_before_what_was_said_earlier_supersedes_it_all_the_same(memory: Memory) -> None:
    say(memory, OLD, at=NOW - timedelta(seconds=1))
    say(memory, NEW)
    memory.recall("surname")  # makes the vectors
    engine = engine_of(memory)
    new = next(item for item in memory.items() if item.content == NEW)

    judged_now([Remembered(item=new, outcome="added")], parts=engine._parts, space=engine.space, now=NOW)

    assert memory.stats().unjudged == 1
    assert current(memory) == {NEW}
    memory.flush()
    assert (memory.stats().unjudged, current(memory)) == (0, {NEW})


def test_a_change_supersedes_what_was_said_meanwhile(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember(ASIDE)
    before_a_write(monkeypatch, lambda: memory.remember(OLD, speaker="Kai"))

    new = memory.remember(NEW, speaker="Kai")

    assert (new.outcome, [old.content for old in new.superseded]) == ("superseded", [OLD])
    assert current(memory) == {ASIDE, NEW}


def test_a_doubt_about_what_was_said_meanwhile_is_raised(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    before_a_write(monkeypatch, lambda: memory.remember(OLD, speaker="Kai", pinned=True))

    new = memory.remember(NEW, speaker="Kai")

    [suspicion] = memory.review().suspicions
    assert (suspicion.older.content, suspicion.newer.id) == (OLD, new.id)
    assert [old.content for old in new.suspected] == [OLD]


def test_a_batch_is_judged_in_its_order(memory: Memory) -> None:
    kept = memory.remember_many([{"content": text, "speaker": "Kai"} for text in (ASIDE, OLD, NEW)])

    assert [one.outcome for one in kept] == ["added", "added", "superseded"]
    assert current(memory) == {ASIDE, NEW}


def test_what_was_erased_before_its_verdict_stays_erased(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    old = memory.remember(OLD, speaker="Kai")
    say(memory, NEW)
    before_a_write(monkeypatch, lambda: memory.forget(old.id), number=2)  # the first brings the vector

    assert memory.flush()

    assert current(memory) == {NEW}
    with pytest.raises(NotFound):
        memory.item(old.id)


def test_a_verdict_that_cannot_be_kept_comes_later(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember(OLD, speaker="Kai")

    engine = engine_of(memory)
    upkeep = Upkeep(engine._parts)

    def full() -> None:
        upkeep.run()  # finds that somebody else judges it
        raise StoreError("the disk is full")

    before_a_write(monkeypatch, full, number=2)
    said = draft(engine.limits, content=NEW, speaker="Kai", judged="now")

    [new] = remember([said], parts=engine._parts, space=engine.space, now=NOW)

    assert (new.outcome, new.item.unjudged) == ("added", True)
    while upkeep.run():
        pass
    assert current(memory) == {NEW}


def test_a_space_is_not_settled_when_what_was_to_be_judged_next_is_erased(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(memory, *(f"Crate {number} holds {number} lamps." for number in range(AT_ONCE)), at=NOW - timedelta(seconds=1))
    next_ones = [item.id for item in memory.items(limit=AT_ONCE)]
    say(memory, OLD)
    engine, get = engine_of(memory), SqliteStore.get

    def overtaken(self: SqliteStore, space: SpaceId, ids: Sequence[str]) -> list[MemoryItem]:
        monkeypatch.setattr(SqliteStore, "get", get)
        assert sorted(ids) == sorted(next_ones)
        for id in next_ones:
            memory.forget(id)
        return get(self, space, ids)

    monkeypatch.setattr(SqliteStore, "get", overtaken)

    assert judge_waiting(engine._parts, engine.space, now=NOW)

    assert judge_waiting(engine._parts, engine.space, now=NOW)
    assert not judge_waiting(engine._parts, engine.space, now=NOW)
    assert memory.stats().unjudged == 0


def test_a_text_that_cannot_be_judged_holds_up_no_other(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(item: MemoryItem, *given: Any, **more: Any) -> Decision:
        if item.content == ASIDE:
            raise RecursionError(ASIDE)
        return judged(item, *given, **more)

    monkeypatch.setattr(judge, "judged", failing)
    say(memory, ASIDE, OLD)
    say(memory, NEW)

    assert memory.flush()

    assert (current(memory), memory.stats().unjudged) == ({ASIDE, NEW}, 0)
    [record] = (record for record in caplog.records if record.name == judge.__name__)
    assert "RecursionError" in record.getMessage()
    assert ASIDE not in record.getMessage()


def test_a_burst_is_judged_piece_by_piece_and_no_space_waits_for_another(memory: Memory) -> None:
    parts, busy = engine_of(memory)._parts, engine_of(memory).space
    quiet = busy._replace(name="quiet")
    say(memory, *(f"Crate {number} holds {number} lamps." for number in range(5 * AT_ONCE)))
    say(memory, OLD, NEW, space=quiet)
    upkeep = Upkeep(parts)

    def left(space: SpaceId) -> int:
        return parts.indexes.refreshed(space).counts.unjudged

    seen = [(left(busy), left(quiet))]
    while upkeep.run():
        seen.append((left(busy), left(quiet)))

    assert [left // AT_ONCE for left in dict.fromkeys(left for left, _ in seen)] == [5, 4, 3, 2, 1, 0]
    assert list(dict.fromkeys(left for _, left in seen)) == [2, 0]
    assert max(left for left, others in seen if not others) >= 4 * AT_ONCE


def test_who_leaves_judges_in_pieces_that_take_no_time(memory: Memory) -> None:
    say(memory, *(f"Crate {number} holds {number} lamps." for number in range(AT_ONCE)))
    engine = engine_of(memory)
    upkeep = Upkeep(engine._parts)

    upkeep.drain(timedelta(0), leaving=True)
    assert memory.stats().pending == AT_ONCE - LAST
    while memory.stats().pending:
        upkeep.drain(timedelta(0), leaving=True)
    upkeep.drain(timedelta(0), leaving=True)

    assert memory.stats().unjudged == AT_ONCE - LAST


def test_what_is_not_to_be_judged_is_not(memory: Memory) -> None:
    memory.remember(OLD, speaker="Kai")

    new = memory.remember(NEW, speaker="Kai", judged=False)

    memory.flush()
    assert (new.item.unjudged, current(memory)) == (False, {OLD, NEW})


class OutOfOrder(FakeEmbedder):
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise OSError("no route to the host")


def test_words_must_do_where_the_embedder_is_out_of_order(path: Path) -> None:
    with Memory("bot", at=path, embedder=OutOfOrder(64), background=False, clock=lambda: NOW) as memory:
        say(memory, OLD)
        say(memory, NEW)

        memory.flush(timedelta(seconds=1))

        assert (memory.stats().pending, memory.stats().unjudged) == (2, 0)

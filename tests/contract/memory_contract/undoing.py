"""What users may rely on when they go back: checkpoints, differences, restoring, copies of a space."""

from __future__ import annotations

from datetime import timedelta

import pytest

from truekeep.errors import Conflict, InvalidInput, NotFound
from truekeep.memory import Memory
from truekeep.model import Diff
from truekeep.testing.fakes import FixedClock

from .opening import OpenMemory, contents

DAY = timedelta(days=1)


def _told(diff: Diff) -> dict[str, list[str]]:
    """What a difference tells, by its kinds."""
    told = {name: contents(getattr(diff, name)) for name in ("added", "superseded", "revived", "reinforced")}
    told["changed"] = [f"{one.before.content} -> {one.after.content}" for one in diff.changed]
    told["values"] = [one.key for one in diff.values]
    return {name: sorted(found) for name, found in told.items() if found}


def _mistaken(memory: Memory) -> None:
    """A few things that are known, a checkpoint, and an import that should not have been."""
    memory.remember("Ana lives in Rome", key="ana/home")
    cello = memory.remember("Ana plays the cello")
    memory.remember("Ben is a baker")
    memory.set("tone", "concise")
    memory.set("gone", [1])
    memory.checkpoint("before-import")
    memory.remember("Ana lives in Oslo", key="ana/home", source="import")
    memory.remember("The moon is made of cheese", source="import")
    memory.remember("Ben is a baker", tags=["work"])
    memory.correct(cello.id, "Ana plays the violin")
    memory.set("tone", "shouting")
    memory.set("new", 1)
    memory.delete("gone")


class Undoing:
    """Needs the fixture `open_memory`."""

    def test_checkpoints_are_moments_with_a_name(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        first = memory.checkpoint("first")
        memory.remember("Ana lives in Rome")
        clock.advance(DAY)
        second = memory.checkpoint("a second one")

        assert memory.checkpoints() == [first, second]
        assert (first.name, second.at - first.at, first.seq < second.seq) == ("first", DAY, True)
        with pytest.raises(Conflict, match="'first'"):
            memory.checkpoint("first")

        memory.drop_checkpoint(first)
        assert memory.checkpoints() == [second]
        with pytest.raises(NotFound, match="'first'"):
            memory.diff("first")
        with pytest.raises(NotFound, match="'first'"):
            memory.restore("first")

    def test_a_difference_tells_what_is_believed_otherwise(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        _mistaken(memory)

        diff = memory.diff("before-import")

        assert _told(diff) == {
            "added": ["Ana lives in Oslo", "The moon is made of cheese"],
            "superseded": ["Ana lives in Rome"],
            "reinforced": ["Ben is a baker"],
            "changed": ["Ana plays the cello -> Ana plays the violin"],
            "values": ["gone", "new", "tone"],
        }
        assert (diff.since, diff.until, diff.forgotten, diff.is_empty) == ("before-import", None, 0, False)

    def test_between_two_checkpoints_nothing_later_is_told(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        first = memory.checkpoint("first")
        memory.remember("Ana lives in Rome")
        memory.checkpoint("second")
        memory.remember("Ben is a baker")

        assert _told(memory.diff(first, "second")) == {"added": ["Ana lives in Rome"]}
        assert memory.diff("second", "second").is_empty
        with pytest.raises(InvalidInput, match="until"):
            memory.diff("second", first)

    def test_a_restore_brings_back_what_was_believed(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        _mistaken(memory)

        restored = memory.restore("before-import")

        assert memory.diff("before-import").is_empty
        assert sorted(contents(memory.items())) == ["Ana lives in Rome", "Ana plays the cello", "Ben is a baker"]
        assert (memory.get("tone"), memory.get("gone"), memory.keys()) == ("concise", [1], ["gone", "tone"])
        assert contents(memory.recall("Where does Ana live?", limit=1)) == ["Ana lives in Rome"]
        assert (restored.refused, restored.checkpoint.name) == (0, "before-import")
        assert restored.made in memory.checkpoints()

    def test_history_tells_of_a_restore(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        _mistaken(memory)
        memory.restore("before-import")
        [cello] = [item for item in memory.items() if "cello" in item.content]
        [moon] = [item for item in memory.items(include_superseded=True) if "moon" in item.content]

        assert [(one.content, one.version) for one in memory.history(cello.id)] == [
            ("Ana plays the cello", 1),
            ("Ana plays the violin", 2),
            ("Ana plays the cello", 3),
        ]
        assert moon.reason == "withdrawn: restored 'before-import'"
        assert moon.retired is not None

    def test_a_restore_can_be_undone(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        _mistaken(memory)
        was = sorted(contents(memory.items()))
        made = memory.restore("before-import").made
        assert made is not None

        memory.restore(made)

        assert sorted(contents(memory.items())) == was
        assert (memory.get("tone"), memory.keys()) == ("shouting", ["new", "tone"])
        assert memory.diff(made).is_empty

    def test_a_dry_run_tells_and_changes_nothing(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        _mistaken(memory)
        before = memory.diff("before-import")

        shown = memory.restore("before-import", dry_run=True)

        assert (shown.undone, shown.made) == (before, None)
        assert memory.diff("before-import") == before
        assert len(memory.checkpoints()) == 1

    def test_where_nothing_changed_nothing_is_restored(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana lives in Rome")
        memory.checkpoint("now")

        restored = memory.restore("now")

        assert (restored.undone.is_empty, restored.made, len(memory.checkpoints())) == (True, None, 1)

    def test_what_was_forgotten_stays_forgotten(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        secret = memory.remember("Ana has a secret", speaker="Ana")
        other = memory.remember("Ana keeps a diary")
        memory.checkpoint("before")
        memory.correct(other.id, "Ana keeps a cat")
        twin = memory.remember("Ana keeps a diary", source="elsewhere")
        memory.forget(secret.id)
        memory.forget(twin.id)

        diff = memory.diff("before")
        restored = memory.restore("before")

        assert diff.forgotten == 2
        assert "secret" not in repr(diff.added + diff.superseded + diff.revived)
        assert (restored.refused, contents(memory.items())) == (1, ["Ana keeps a cat"])

    def test_what_has_expired_does_not_come_back(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        brief = memory.remember("The door code is green", ttl=DAY)
        memory.set("code", 1234, ttl=DAY)
        memory.checkpoint("before")
        memory.correct(brief.id, "The door code is blue", ttl=10 * DAY)
        memory.set("code", 5678)
        clock.advance(2 * DAY)

        restored = memory.restore("before")

        assert (restored.refused, contents(memory.items())) == (1, ["The door code is blue"])
        assert memory.get("code") is None

    def test_a_roll_back_shows_first_what_it_would_do(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        rome = memory.remember("Ana lives in Rome", key="ana/home")
        oslo = memory.remember("Ana lives in Oslo", key="ana/home", source="crawler")

        shown = memory.forget(source="crawler", dry_run=True)

        assert (shown.dry_run, shown.erased, contents(shown.going)) == (True, (oslo.id,), ["Ana lives in Oslo"])
        assert contents(shown.revived) == ["Ana lives in Rome"]
        assert contents(memory.items()) == ["Ana lives in Oslo"]
        assert memory.forget(oslo.id, dry_run=True).revived == ()
        assert memory.forget(source="crawler").erased == shown.erased
        assert [item.id for item in memory.items()] == [rome.id]
        with pytest.raises(InvalidInput, match="dry_run"):
            memory.forget(everything=True, dry_run=True)

    def test_forgetting_everything_forgets_checkpoints(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        _mistaken(memory)

        memory.forget(everything=True)

        assert memory.checkpoints() == []


class Forking:
    """Copies, which are opened like any other space. Needs the fixture `open_memory`."""

    def test_a_copy_is_as_the_space_is(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        _mistaken(memory)

        first = memory.fork("trial")

        trial = open_memory("trial")
        assert (first.name, first.origin, trial.checkpoints()) == ("forked", "bot", [first])
        assert trial.diff("forked").is_empty
        assert sorted(contents(trial.items())) == sorted(contents(memory.items()))
        assert {key: trial.get(key) for key in trial.keys()} == {"tone": "shouting", "new": 1}  # noqa: SIM118
        assert contents(trial.recall("Where does Ana live?", limit=1)) == ["Ana lives in Oslo"]
        [violin] = [item for item in trial.items() if "violin" in item.content]
        assert len(trial.history(violin.id)) == 2
        assert [one.name for one in memory.checkpoints()] == ["before-import"]

    def test_a_copy_as_of_a_checkpoint_knows_nothing_later(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        _mistaken(memory)

        memory.fork("trial", at="before-import")

        trial = open_memory("trial")
        everything = contents(trial.items(include_superseded=True))
        assert sorted(everything) == ["Ana lives in Rome", "Ana plays the cello", "Ben is a baker"]
        assert (trial.get("tone"), trial.get("gone"), trial.get("new")) == ("concise", [1], None)
        assert trial.diff("forked").is_empty

    def test_a_copy_and_its_origin_go_their_own_ways(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana lives in Rome")
        memory.fork("trial")
        trial = open_memory("trial")

        trial.remember("Ben is a baker")
        memory.forget(everything=True)

        assert sorted(contents(trial.items())) == ["Ana lives in Rome", "Ben is a baker"]
        assert memory.items() == []

    def test_a_copy_forgets_what_was_forgotten_before(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        secret = memory.remember("Ana has a secret")
        memory.checkpoint("before")
        memory.forget(secret.id)

        memory.fork("trial", at="before")

        trial = open_memory("trial")
        assert trial.remember("Ana has a secret", derived=True).outcome == "refused"
        assert trial.items(include_superseded=True) == []
        assert trial.remember("Ana has a secret").outcome == "added"

    def test_a_copy_needs_an_empty_space(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana lives in Rome")
        open_memory("taken").set("k", 1)

        with pytest.raises(Conflict, match="'taken'"):
            memory.fork("taken")
        with pytest.raises(NotFound, match="'never'"):
            memory.fork("trial", at="never")
        assert open_memory("trial").items() == []

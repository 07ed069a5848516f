"""A hypothesis state machine that compares a memory with plain dicts over random operations.

class Machine(MemoryMachine):
    def open_memory(self, space: str) -> Memory:
        return Memory(space, at=self.folder / "memory.db", clock=self.clock, embedder=FakeEmbedder(), background=False)

TestMachine = Machine.TestCase
"""

from __future__ import annotations

import shutil
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.contract.plain_memory import PlainItem, PlainMemory, Said
from truekeep.errors import Conflict
from truekeep.memory import Memory
from truekeep.model import JSON, MemoryItem
from truekeep.testing.fakes import FixedClock

HANDLES = st.integers(0, 1)
NUMBERS = st.integers(0, 3)
TAGS = st.lists(st.sampled_from(["a", "b", "c"]), unique=True, max_size=2).map(tuple)
KEYS = st.sampled_from([None, None, "k1", "k2"])
TTLS = st.sampled_from([None, None, 60, 3600])
HOUR = timedelta(hours=1)
MOMENTS = st.integers(-48, 48).map(lambda hours: FixedClock().now + hours * HOUR)
SAID = st.builds(
    Said,
    number=NUMBERS,
    variant=st.integers(0, 4),
    derived=st.just(False),
    kind=st.sampled_from([None, "fact", "preference", "interaction"]),
    tags=TAGS,
    key=KEYS,
    ttl=TTLS,
    pinned=st.booleans(),
    when=st.none() | MOMENTS,
    idempotency_key=st.sampled_from([None, None, None, "i1", "i2"]),
)
VALUE_KEYS = st.sampled_from(["v1", "v2"])
LIMIT = 1000
_COMPARED = (
    *("id", "content", "kind", "tags", "key", "pinned", "version", "reinforced"),
    *("when", "until", "created", "expires", "is_current", "superseded_by"),
)


class MemoryMachine(RuleBasedStateMachine):
    """Subclasses say how a memory is opened."""

    def open_memory(self, space: str) -> Memory:
        raise NotImplementedError

    @initialize(batch=st.lists(SAID, min_size=4, max_size=12))
    def begin(self, batch: list[Said]) -> None:
        """With a few things said already, lest most runs end before anything can go wrong."""
        self.folder = Path(tempfile.mkdtemp(prefix="truekeep-"))
        self.clock = FixedClock()
        self.plain = PlainMemory()
        self.copies = 0
        self.handles = [self.open_memory("bot"), self.open_memory("bot")]
        self.remember_many(0, [said._replace(idempotency_key=None) for said in batch])

    def teardown(self) -> None:
        for handle in getattr(self, "handles", []):
            handle.close()
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    @property
    def now(self) -> datetime:
        return self.clock.now

    # Saying

    @rule(handle=HANDLES, said=SAID)
    def remember(self, handle: int, said: Said) -> None:
        if self.plain.conflicts(said):
            with pytest.raises(Conflict):
                self.handles[handle].remember(**said.arguments())
            return
        kept = self.handles[handle].remember(**said.arguments())
        self.plain.say(said, kept.id, kept.outcome, kept.replayed, self.now)

    @rule(handle=HANDLES, number=NUMBERS, when=MOMENTS)
    def claim(self, handle: int, number: int, when: datetime) -> None:
        """One key, many times: intervals grow only where claims meet."""
        self.remember(handle, Said(number, key="k1", when=when))

    @rule(handle=HANDLES, batch=st.lists(SAID, max_size=5))
    def remember_many(self, handle: int, batch: list[Said]) -> None:
        arguments = [said.arguments() for said in batch]
        requests = {said.idempotency_key: said.request() for said in reversed(batch) if said.idempotency_key}
        if any(
            self.plain.conflicts(said)
            or (said.idempotency_key is not None and said.request() != requests[said.idempotency_key])
            for said in batch
        ):
            with pytest.raises(Conflict):
                self.handles[handle].remember_many(arguments)
            return
        for said, kept in zip(batch, self.handles[handle].remember_many(arguments), strict=True):
            self.plain.say(said, kept.id, kept.outcome, kept.replayed, self.now)
        self._let_expire(handle)

    @rule(handle=HANDLES, number=NUMBERS)
    def extract(self, handle: int, number: int) -> None:
        """What was forgotten does not come back by extraction; what merely expired does."""
        said = Said(number, variant=4, derived=True, kind="fact")
        message = {"role": "user", "content": f"Remember that {said.content}"}
        kept = self.handles[handle].extract([message]).remembered
        assert len(kept) == (number not in self.plain.forgotten)
        for one in kept:
            self.plain.say(said, one.id, one.outcome, one.replayed, self.now)
        self._let_expire(handle)

    # Changing and ending

    @precondition(lambda self: self.plain.items)
    @rule(handle=HANDLES, data=st.data(), number=NUMBERS, tags=st.none() | TAGS)
    def correct(self, handle: int, data: st.DataObject, number: int, tags: tuple[str, ...] | None) -> None:
        id = self._some_id(data)
        content = Said(number).content
        item = self.handles[handle].correct(id, content, tags=tags)
        self.plain.correct(id, number, content, tags)
        self._assert_same(item)

    @precondition(lambda self: self.plain.items)
    @rule(handle=HANDLES, data=st.data())
    def forget_one(self, handle: int, data: st.DataObject) -> None:
        id = self._some_id(data)
        receipt = self.handles[handle].forget(id)
        assert (receipt.erased, receipt.remaining) == ((id,), 0)
        self.plain.forget([id], tombstones=True)

    @rule(
        handle=HANDLES, tag=st.sampled_from(["a", "b", "c"]), kinds=st.sampled_from([None, ["preference"], ["-fact"]])
    )
    def forget_some(self, handle: int, tag: str, kinds: list[str] | None) -> None:
        fits = {"preference"} if kinds == ["preference"] else {"preference", "interaction"}
        fits |= {"fact"} if kinds is None else set()
        expected = {id for id, item in self.plain.items.items() if tag in item.tags and item.kind in fits}
        receipt = self.handles[handle].forget(tags=[tag], kinds=kinds)
        assert set(receipt.erased) == expected
        self.plain.forget(expected, tombstones=True)

    @rule(handle=HANDLES, sure=st.integers(0, 9))
    def forget_everything(self, handle: int, sure: int) -> None:
        if sure == 9:  # seldom, or nothing would ever grow
            receipt = self.handles[handle].forget(everything=True)
            assert set(receipt.erased) == set(self.plain.items)
            self.plain.forget_everything()

    # Values

    @rule(handle=HANDLES, key=VALUE_KEYS, value=st.sampled_from([None, 0, 1.5, "x", [1], {"a": []}]), ttl=TTLS)
    def set_value(self, handle: int, key: str, value: JSON, ttl: int | None) -> None:
        self.handles[handle].set(key, value, ttl=ttl)
        self.plain.values.pop(key, None)
        if value is not None:
            self.plain.values[key] = value, self.now + timedelta(seconds=ttl) if ttl else None

    @rule(handle=HANDLES, key=VALUE_KEYS)
    def grow_value(self, handle: int, key: str) -> None:
        value, expires = self.plain.values.get(key, (None, None))
        if isinstance(value, list):
            self.plain.values[key] = [*value, "more"], expires
            assert self.handles[handle].append(key, "more").value == [*value, "more"]
        elif value is None or isinstance(value, int | float):
            self.plain.values[key] = (value or 0) + 1, expires
            assert self.handles[handle].increment(key).value == (value or 0) + 1

    # Time, restarts, copies

    @rule(handle=HANDLES, hours=st.integers(-3, 3), seconds=st.sampled_from([0, 30, 60]))
    def move_the_clock(self, handle: int, hours: int, seconds: int) -> None:
        self.clock.advance(hours * HOUR + timedelta(seconds=seconds))
        self._let_expire(handle)

    @rule(handle=HANDLES)
    def reopen(self, handle: int) -> None:
        self.handles[handle].close()
        self.handles[handle] = self.open_memory("bot")

    @rule(handle=HANDLES)
    def copy(self, handle: int) -> None:
        """Export, import into a fresh space, export: the same."""
        self.copies += 1
        lines = list(self.handles[handle].export())
        with self.open_memory(f"copy-{self.copies}") as fresh:
            fresh.import_(lines)
            assert list(fresh.export())[1:] == lines[1:]

    @rule(handle=HANDLES)
    def import_again(self, handle: int) -> None:
        """Importing what is here already changes nothing."""
        lines = list(self.handles[handle].export())
        self.handles[handle].import_(lines)
        assert list(self.handles[handle].export()) == lines

    # Looking

    @precondition(lambda self: self.plain.items)
    @rule(handle=HANDLES, data=st.data())
    def recall(self, handle: int, data: st.DataObject) -> None:
        id = self._some_id(data)
        found = self.handles[handle].recall(self.plain.items[id].content, limit=LIMIT)
        visible = self.plain.current(self.now)
        assert {match.id for match in found} <= visible
        assert id not in visible or id in {match.id for match in found}
        for match in (*found, *found.lessons):
            self._assert_same(match.item)

    @rule(handle=HANDLES, moment=MOMENTS)
    def look_back(self, handle: int, moment: datetime) -> None:
        found = self.handles[handle].items(limit=LIMIT, as_of=moment)
        assert {item.id for item in found} == self.plain.true_at(moment)
        keys = [item.key for item in found if item.key]
        assert len(keys) == len(set(keys)), "two claims under one key are true at the same time"

    @invariant()
    def both_handles_hold_what_was_said(self) -> None:
        if not hasattr(self, "handles"):
            return
        for handle in self.handles:
            everything = handle.items(limit=LIMIT, include_superseded=True)
            assert {item.id for item in everything} == set(self.plain.items)
            for item in everything:
                self._assert_same(item)
            assert {item.id for item in handle.items(limit=LIMIT)} == self.plain.current(self.now)
            assert {key: handle.get(key) for key in handle.keys()} == {  # noqa: SIM118  # not a dict
                key: value for key, (value, _) in self.plain.values.items()
            }

    def _let_expire(self, handle: int) -> None:
        """Have the upkeep done, so that a clock that moves back later finds nothing that was over."""
        self.handles[handle].flush()
        for key in self.plain.expire(self.now):
            assert self.handles[handle].delete(key) is False

    def _some_id(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(list(self.plain.items)))  # as said: sorting random ids would not replay

    def _assert_same(self, item: MemoryItem) -> None:
        assert _fields(item) == _fields(self.plain.items[item.id])


def _fields(item: MemoryItem | PlainItem) -> dict[str, Any]:
    return {name: getattr(item, name) for name in _COMPARED}

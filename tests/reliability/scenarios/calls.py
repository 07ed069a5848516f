"""Random calls, one after the other: after each of them every store is sound, and all stores tell the same."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from truekeep import Memory, MemoryItem, Source, TruekeepError
from truekeep.engine import plan
from truekeep.engine.runtime.local import Local
from truekeep.engine.verbs import extract
from truekeep.model import JSON
from truekeep.ports import Store
from truekeep.testing.fakes import FakeEmbedder, FixedClock

Call = Callable[[Memory], object]
NOON = datetime(2026, 1, 10, 12, tzinfo=UTC)
STEPS = 30
REOPENED_EVERY = 8
COMPARED_EVERY = 3  # all that can be asked, of all stores: as long as ten calls
TEXTS = (
    *("Ana lives in Berlin.", "Ana lives in Lisbon.", "Ana moved to Paris.", "I prefer tea.", "I prefer coffee."),
    *("The build is red", "The build is green now.", "Ben works at Acme.", "Ben no longer works at Acme.", "Use tabs"),
    *("Never use tabs", "the password is hunter2hunter", "ich mag Käse", "我喜欢茶", "thanks", "Ana's dog is Rex"),
    *("Deploy on Friday until 2026-02-01.", "Ana has a peanut allergy.", "Ana has an allergy to peanuts."),
)
FILTERS: tuple[dict[str, Any], ...] = (
    *({"tags": ["x"]}, {"session": "s1"}, {"speaker": "ana"}, {"source": "crawler"}, {"kinds": ["temporary"]}),
    {"before": NOON - timedelta(days=2)},
)
EDITS: tuple[dict[str, Any], ...] = ({"tags": ["z"]}, {"pinned": True}, {"ttl": 60}, {"kind": "fact"})


class Story:
    """What is called next. The same seed and the same ids tell the same story."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.clock = FixedClock(NOON)
        self.exported: list[str] = []
        self._ways = [self._remember] * 6 + [self._remember_many] * 2 + [self._edit_value] * 2
        self._ways += [self._forget, self._forget_some, self._forget_all, self._correct, self._extract, self._delete]
        self._ways += [self._advance, self._import, self._resolve, self._release, self._tidy, self._sweep]

    def next(self, ids: Sequence[str]) -> tuple[str, Call]:
        """A name for the call, and the call."""
        way = self.dice.choice(self._ways)
        return way.__name__, way(self.dice.choice(ids) if ids else "nobody")

    def _draft(self) -> dict[str, Any]:
        dice = self.dice
        maybe: dict[str, tuple[float, Callable[[], object]]] = {
            "key": (0.3, lambda: dice.choice("abc")),
            "session": (0.3, lambda: dice.choice(["s1", "s2"])),
            "speaker": (0.3, lambda: dice.choice(["ana", "ben"])),
            "ttl": (0.2, lambda: dice.choice([1, 3600, 86400 * 30])),
            "tags": (0.2, lambda: dice.sample(["x", "y", "user:ana", "user:ben"], 2)),
            "when": (0.15, lambda: NOON + timedelta(days=dice.randrange(-30, 10))),
            "kind": (0.15, lambda: dice.choice(["preference", "interaction", "lesson", "temporary"])),
            "idempotency_key": (0.15, lambda: dice.choice(["i1", "i2", "i3"])),
            "derived": (0.15, lambda: True),
            "judged": (0.15, lambda: False),
            "source": (
                0.1,
                lambda: Source(name=dice.choice(["crawler", "notes"]), trust=dice.choice(["tool", "user"])),
            ),
            "pinned": (0.1, lambda: True),
            "metadata": (0.1, lambda: {"a": dice.randrange(3)}),
        }
        content = dice.choice(TEXTS) + dice.choice(["", "", f" {dice.randrange(4)}"])
        return {"content": content} | {name: make() for name, (odds, make) in maybe.items() if dice.random() < odds}

    def _remember(self, id: str) -> Call:
        draft = self._draft()
        return lambda memory: told(memory.remember(**draft))

    def _remember_many(self, id: str) -> Call:
        drafts = [self._draft() for _ in range(self.dice.randrange(1, 5))]
        return lambda memory: [told(one) for one in memory.remember_many(drafts)]

    def _forget(self, id: str) -> Call:
        return lambda memory: sorted(memory.forget(id).erased)

    def _forget_some(self, id: str) -> Call:
        chosen = self.dice.choice(FILTERS)
        return lambda memory: sorted(memory.forget(**chosen).erased)

    def _forget_all(self, id: str) -> Call:
        really = self.dice.random() < 0.2
        return lambda memory: sorted(memory.forget(everything=True).erased) if really else None

    def _correct(self, id: str) -> Call:
        edit = self.dice.choice([*EDITS, {"content": self.dice.choice(TEXTS)}])
        return lambda memory: plain(memory.correct(id, **edit))

    def _extract(self, id: str) -> Call:
        messages = [{"role": "user", "content": self.dice.choice(TEXTS), "id": self.dice.choice("12")} for _ in "ab"]
        session, wait, once = self.dice.choice([None, "s1"]), self.dice.random() < 0.5, self.dice.choice([None, "e1"])

        def call(memory: Memory) -> object:
            done = memory.extract(messages, session=session, wait=wait, idempotency_key=once)
            memory.flush()
            return [told(one) for one in done.remembered]

        return call

    def _edit_value(self, id: str) -> Call:
        key, once = self.dice.choice("kln"), self.dice.choice([None, None, "v1"])
        values: list[JSON] = [1, "x", [1], {"a": 1.5}]
        value, ttl = self.dice.choice(values), self.dice.choice([None, 5, 3600])
        edits: list[Call] = [
            lambda memory: memory.set(key, value, ttl=ttl, idempotency_key=once),
            lambda memory: memory.append(key, "x"),
            lambda memory: memory.increment(key, 2),
        ]
        return self.dice.choice(edits)

    def _delete(self, id: str) -> Call:
        key = self.dice.choice("kln")
        return lambda memory: memory.delete(key)

    def _advance(self, id: str) -> Call:
        self.clock.advance(timedelta(seconds=self.dice.choice([1, 2, 4000, 86400 * 3, 86400 * 9, -100])))
        return lambda memory: None

    def _import(self, id: str) -> Call:
        lines = self.exported
        return lambda memory: memory.import_(lines) if lines else None

    def _resolve(self, id: str) -> Call:
        place, keep = self.dice.randrange(3), self.dice.choice(["older", "newer", "both"])

        def call(memory: Memory) -> object:
            doubts = sorted(memory.review().suspicions, key=lambda doubt: doubt.id)
            if place >= len(doubts):
                return None
            done = memory.resolve(doubts[place], keep=keep)  # type: ignore[arg-type]  # one of the three
            return plain(done.older), plain(done.newer)

        return call

    def _release(self, id: str) -> Call:
        return lambda memory: plain(memory.release(id))

    def _tidy(self, id: str) -> Call:
        return lambda memory: store_of(memory).tidy(now=self.clock.now)

    def _sweep(self, id: str) -> Call:
        return lambda memory: store_of(memory).erase_expired(self.clock.now)


def violations(seed: int, places: Sequence[Path | str]) -> list[str]:
    """What went wrong, with the call after which it did; [] when nothing did."""
    story = Story(seed)
    numbers = itertools.count()

    def new_id(now: datetime) -> str:
        return f"{int(now.timestamp()):08x}-0000-7000-8000-{next(numbers):012x}"

    with ExitStack() as stack:
        for module in (plan, extract):
            stack.enter_context(patch.object(module, "new_id", new_id))
        memories = [_opened(seed, place, story) for place in places]
        try:
            for step in range(STEPS):
                name, call = story.next(sorted(item.id for item in _all(memories[0])))
                first, answers = next(numbers), []
                for memory in memories:
                    numbers = itertools.count(first + 1)
                    answers.append(_answer(call, memory))
                if step % REOPENED_EVERY == REOPENED_EVERY - 1:
                    answers.append(_reopened(seed, memories, places, story))
                found = list(_wrong(memories, answers))
                if step % COMPARED_EVERY == COMPARED_EVERY - 1:
                    found += _differing(memories)
                if found:
                    return [f"seed {seed}, step {step}, {name}: {one}" for one in found]
                if story.dice.random() < 0.2:
                    story.exported = list(memories[0].export())
        finally:
            for memory, place in zip(memories, places, strict=True):
                if "://" in str(place):
                    memory.forget(everything=True)
                memory.close()
    return []


def _wrong(memories: Sequence[Memory], answers: Sequence[object]) -> Iterator[str]:
    for memory in memories:
        yield from memory.check()
    answered = answers[: len(memories)]
    if any(answer != answered[0] for answer in answered):
        yield f"the answers differ: {answered}"
    yield from (str(told) for told in answers[len(memories) :] if told)


def _differing(memories: Sequence[Memory]) -> list[str]:
    states = [_state(memory) for memory in memories] if len(memories) > 1 else []
    return [f"the stores differ: {states}"] if any(state != states[0] for state in states) else []


def _reopened(seed: int, memories: list[Memory], places: Sequence[Path | str], story: Story) -> str | None:
    """Close all and open them again; what a new process would see otherwise."""
    for number, place in enumerate(places):
        memories[number].flush()  # as closing does: what has expired goes
        before = _state(memories[number])
        memories[number].close()
        memories[number] = _opened(seed, place, story)
        after = _state(memories[number])
        if before != after:
            return f"seen otherwise once it was opened again: {before}, then {after}"
    return None


def _opened(seed: int, place: Path | str, story: Story) -> Memory:
    return Memory(f"story-{seed}", at=place, embedder=FakeEmbedder(32), clock=story.clock, background=False)


def _answer(call: Call, memory: Memory) -> object:
    try:
        return call(memory)
    except TruekeepError as error:
        return f"{type(error).__name__}: {error}"


def _all(memory: Memory) -> list[MemoryItem]:
    return memory.items(limit=1000, include_superseded=True)


def _state(memory: Memory) -> object:
    """What can be asked, but for the order of changes: that of what expires together is nobody's business."""
    stats, shown, keys = memory.stats(), _all(memory), memory.keys()
    return (
        [plain(item) for item in shown],
        {item.id: [plain(one) for one in memory.history(item.id)] for item in shown[:5]},
        [(key, memory.value(key)) for key in keys],
        (stats.items, stats.current, stats.pending, stats.values, stats.jobs, stats.kinds),
        memory.sessions(),
        [[match.id for match in memory.recall(query)] for query in ("where does Ana live", "tea or coffee", "tabs")],
    )


def plain(item: MemoryItem) -> MemoryItem:
    return replace(item, seq=0)


def told(one: Any) -> object:
    return (
        *(one.outcome, plain(one.item), one.replayed),
        *([plain(item) for item in one.superseded], [plain(item) for item in one.suspected]),
    )


def store_of(memory: Memory) -> Store:
    return cast(Local, memory._engine)._parts.store

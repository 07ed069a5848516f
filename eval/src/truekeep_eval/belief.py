"""Telling a memory statements that change over time, and judging what it then takes for current."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from truekeep.memory import Memory
from truekeep.model import Match, MemoryItem
from truekeep.ports import Embedder

from .judgement import successors
from .matching import holds, normal
from .playback import Clock, memory_at, settle
from .scenarios import Ask, Scenario

Fate = Literal["fault", "suspected", "retired", "unfound"]
State = Literal["current", "retired", "missing"]

AFTER = timedelta(minutes=1)  # how long after the last step is asked
NOTHING_RETIRES = frozenset({"coexist", "unrelated"})  # categories in which no step takes the place of another
_ALL = 1000
_ENTRY = re.compile(r"\n(?=- \[)")
_LABEL = r"- \[[^\]]*\] "  # date and speaker
_DOUBT = "(may be outdated by:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """One memory that came back."""

    content: str
    when: datetime
    speaker: str | None
    marked: bool  # as one that a newer statement, which is named, may have replaced


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of one ask, by substring."""

    number: int
    query: str
    current: Mapping[str, bool]  # whether it was found
    stale: Mapping[str, Fate]
    history: Mapping[str, bool]
    returned: tuple[Returned, ...]

    @property
    def passed(self) -> bool:
        return all(self.current.values()) and all(self.history.values()) and "fault" not in self.stale.values()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """What became of a statement that had to stay."""

    text: str
    state: State
    suspected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Steps that state one fact, and whether they left one memory."""

    steps: tuple[int, ...]
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What came of one scenario."""

    id: str
    category: str
    asks: tuple[Asked, ...]
    stays: tuple[Stay, ...]
    groups: tuple[Group, ...]
    others: tuple[Stay, ...] = ()  # steps that `must_stay` does not name, in categories in which nothing retires

    @property
    def passed(self) -> bool:
        return all(ask.passed for ask in self.asks) and all(stay.state == "current" for stay in self.stays)


def run(
    scenarios: Iterable[Scenario],
    *,
    k: int = 5,
    embedder: Embedder | str | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> Iterator[Judged]:
    """One verdict a scenario. Each has a memory of its own, in this process and nowhere else.

    Args:
        scenarios: what is told and asked.
        k: how many matches are looked at.
        embedder: what gives meaning; default: the local model.
        tell: is told of each scenario that is done.

    Raises:
        EmbedderError: vectors could not be made; words alone would give figures that mean something else.
    """
    for scenario in scenarios:
        clock = Clock(scenario.steps[0].at)
        with memory_at(clock, embedder=embedder) as memory:
            yield _judged(scenario, memory, clock, k)
        tell(1)


def _judged(scenario: Scenario, memory: Memory, clock: Clock, k: int) -> Judged:
    ids = [_told(memory, clock, step.say, step.speaker, step.at) for step in scenario.steps]
    settle(memory)
    # All of it is judged before anything is asked: to recall is to count as used.
    items = {item.id: item for item in memory.items(limit=_ALL, include_superseded=True)}
    stays = tuple(stay(text, items.values()) for text in scenario.must_stay)
    asks = []
    for number, ask in enumerate(scenario.asks):
        clock.now = ask.at or scenario.steps[-1].at + AFTER
        asks.append(_asked(number, ask, memory, items, k=k, now=clock.now))
    return Judged(
        id=scenario.id,
        category=scenario.category,
        asks=tuple(asks),
        stays=stays,
        groups=tuple(Group(steps=steps, right=_is_one(steps, scenario, ids, items)) for steps in scenario.same),
        others=tuple(_others(scenario, ids, items)),
    )


def _told(memory: Memory, clock: Clock, say: str, speaker: str | None, at: datetime) -> str:
    clock.now = at
    kept = memory.remember(say, speaker=speaker, when=at)
    memory.flush()
    return kept.id


def stay(text: str, items: Collection[MemoryItem]) -> Stay:
    """What became of a statement that had to stay.

    Only what took its place counts: an end that was stated from the start retires nothing. Where several items hold the
    text, one that is current and not in doubt is enough.
    """
    holders = [item for item in items if holds(item.content, text)]
    current = [item for item in holders if item.is_current]
    state: State = "current" if current else "retired" if holders else "missing"
    return Stay(text=text, state=state, suspected=bool(current) and all(item.suspected_by for item in current))


def _is_one(steps: Sequence[int], scenario: Scenario, ids: Sequence[str], items: Mapping[str, MemoryItem]) -> bool:
    members = {ids[step] for step in steps}
    if len([id for id in members if id in items and items[id].is_current]) == 1:
        return True
    longest = ids[max(steps, key=lambda step: len(scenario.steps[step].say))]
    return scenario.category == "restate" and all(longest in successors(id, items) for id in members if id != longest)


def _others(scenario: Scenario, ids: Sequence[str], items: Mapping[str, MemoryItem]) -> Iterator[Stay]:
    if scenario.category in NOTHING_RETIRES:
        for step, id in zip(scenario.steps, ids, strict=True):
            if not any(holds(step.say, text) for text in scenario.must_stay):
                item = items.get(id)
                state: State = "missing" if item is None else "current" if item.is_current else "retired"
                yield Stay(text=step.say, state=state, suspected=bool(item and item.is_current and item.suspected_by))


def _asked(number: int, ask: Ask, memory: Memory, items: Mapping[str, MemoryItem], *, k: int, now: datetime) -> Asked:
    found = [match for match in memory.recall(ask.query, limit=k) if match.item.is_current]
    block = memory.context(ask.query) if any(match.suspected_by for match in found) else ""
    returned = tuple(
        Returned(
            content=match.content,
            when=match.when,
            speaker=match.speaker,
            marked=is_marked(match, items, block),
        )
        for match in found
    )
    ever = memory.recall(ask.query, limit=k, include_superseded=True) if ask.history else ()
    return Asked(
        number=number,
        query=ask.query,
        current={text: any(holds(one.content, text) for one in returned) for text in ask.current},
        stale={text: fate(text, returned, items.values(), now) for text in ask.stale},
        history={text: any(holds(match.content, text) for match in ever) for text in ask.history},
        returned=returned,
    )


def fate(text: str, returned: Sequence[Returned], items: Collection[MemoryItem], now: datetime) -> Fate:
    """What became of a stale text: a fault, or the reason why it is none."""
    back = [one for one in returned if holds(one.content, text)]
    if back:
        return "suspected" if all(one.marked for one in back) else "fault"
    holders = [item for item in items if holds(item.content, text)]
    if not holders or any(item.is_current and (item.until is None or item.until > now) for item in holders):
        return "unfound"
    return "retired"


def is_marked(match: Match, items: Mapping[str, MemoryItem], block: str) -> bool:
    """Whether a newer statement is named as what may have replaced it, by the match and in the context block."""
    newer = [items[id] for id in match.suspected_by if id in items and _is_newer(items[id], match.item)]
    return any(_shows(block, match.content, other.content) for other in newer)


def _is_newer(other: MemoryItem, item: MemoryItem) -> bool:
    """Whether it was said later; for the first time, or again."""
    return other.created > item.created or (other.reinforced > 0 and other.updated > item.created)


def _shows(block: str, content: str, newer: str) -> bool:
    """Whether the line of this memory says that the newer one may have outdated it."""
    line = re.compile(rf"{_LABEL}{re.escape(normal(content).strip())}(?P<notes> \(.*)", re.DOTALL)
    for entry in _ENTRY.split(block):
        found = line.match(normal(entry))
        if found and normal(newer).strip() in found["notes"].partition(_DOUBT)[2]:
            return True
    return False

"""Telling a memory statements that change over time, and judging what it then takes for current."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from truekeep.memory import Memory
from truekeep.model import Match, MemoryItem
from truekeep.ports import Embedder

from .findings import Finding, Judged, Measure
from .judgement import successors
from .matching import holds, normal
from .playback import Clock, memory_at, settle
from .scenarios import Ask, Scenario

Fate = Literal["fault", "suspected", "retired", "unfound"]
State = Literal["current", "retired", "missing"]

FORMAT = "truekeep-belief"
MEASURES = {
    "current": Measure(True, 0.95),
    "stale": Measure(False, 0.15),
    "suspected": Measure(),
    "retired": Measure(),
    "history": Measure(True),
    "false retirement": Measure(False, 0),
    "false suspicion": Measure(False, 0.08),
    "other retirement": Measure(False),
    "same": Measure(True, 0.80),
    "asks": Measure(True),
    "scenarios": Measure(),
}
AFTER = timedelta(minutes=1)  # how long after the last step is asked
NOTHING_RETIRES = frozenset({"coexist", "unrelated"})  # categories in which no step takes the place of another
_FATES: Mapping[str, Fate] = {"stale": "fault", "suspected": "suspected", "retired": "retired"}
_ALL = 1000
_ENTRY = re.compile(r"\n(?=- \[)")
_LABEL = r"- \[[^\]]*\] "  # date and speaker
_DOUBT = "(may be outdated by:"


class Returned(NamedTuple):
    """One memory that came back."""

    content: str
    marked: bool  # as one that a newer statement, which is named, may have replaced


class Stay(NamedTuple):
    """What became of a statement that had to stay."""

    state: State
    suspected: bool = False


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
    found = [*_stays(scenario, ids, items), *_groups(scenario, ids, items)]
    passed = not any(finding.hit for finding in found if finding.measure == "false retirement")
    for ask in scenario.asks:
        clock.now = ask.at or scenario.steps[-1].at + AFTER
        returned = _returned(ask, memory, items, k)
        asked = list(_asked(ask, returned, memory, items, k=k, now=clock.now))
        right = not any(MEASURES[finding.measure].is_fault(finding) for finding in asked)
        back = [f"  came back{' (marked)' if one.marked else ''}: {one.content!r}" for one in returned]
        found += [*asked, Finding("asks", right, "\n".join([repr(ask.query), *back]))]
        passed &= right
    found.append(Finding("scenarios", passed, scenario.id))
    return Judged(id=scenario.id, findings=tuple(one._replace(group=scenario.category) for one in found))


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
    return Stay(state, bool(current) and all(item.suspected_by for item in current))


def _is_one(steps: Sequence[int], scenario: Scenario, ids: Sequence[str], items: Mapping[str, MemoryItem]) -> bool:
    members = {ids[step] for step in steps}
    if len([id for id in members if id in items and items[id].is_current]) == 1:
        return True
    longest = ids[max(steps, key=lambda step: len(scenario.steps[step].say))]
    return scenario.category == "restate" and all(longest in successors(id, items) for id in members if id != longest)


def _stays(scenario: Scenario, ids: Sequence[str], items: Mapping[str, MemoryItem]) -> Iterator[Finding]:
    for text in scenario.must_stay:
        state, suspected = stay(text, items.values())
        yield Finding("false retirement", state != "current", f"is {state}: {text!r}")
        yield Finding("false suspicion", suspected, repr(text))
    if scenario.category in NOTHING_RETIRES:
        for step, id in zip(scenario.steps, ids, strict=True):
            if not any(holds(step.say, text) for text in scenario.must_stay):
                stands = id in items and items[id].is_current
                yield Finding("other retirement", not stands, repr(step.say))


def _groups(scenario: Scenario, ids: Sequence[str], items: Mapping[str, MemoryItem]) -> Iterator[Finding]:
    for steps in scenario.same:
        yield Finding("same", _is_one(steps, scenario, ids, items), f"steps {list(steps)}")


def _returned(ask: Ask, memory: Memory, items: Mapping[str, MemoryItem], k: int) -> list[Returned]:
    found = [match for match in memory.recall(ask.query, limit=k) if match.item.is_current]
    block = memory.context(ask.query) if any(match.suspected_by for match in found) else ""
    return [Returned(match.content, is_marked(match, items, block)) for match in found]


def _asked(
    ask: Ask, returned: Sequence[Returned], memory: Memory, items: Mapping[str, MemoryItem], *, k: int, now: datetime
) -> Iterator[Finding]:
    for text in ask.current:
        yield Finding("current", any(holds(one.content, text) for one in returned), f"{ask.query!r}: {text!r}")
    for text in ask.stale:
        became = fate(text, returned, items.values(), now)
        for measure, counted in _FATES.items():
            yield Finding(measure, became == counted, f"{ask.query!r}: {text!r}")
    ever = memory.recall(ask.query, limit=k, include_superseded=True) if ask.history else ()
    for text in ask.history:
        yield Finding("history", any(holds(match.content, text) for match in ever), f"{ask.query!r}: {text!r}")


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

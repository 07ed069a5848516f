"""Small worlds: statements over time, which of them changed, which stay, which say the same, and questions.

Two formats hold them: `scenarios.jsonl` names statements by their place, `belief.jsonl` by substrings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from . import scenarios
from .lines import Fields
from .matching import holds
from .scenarios import Ask, Scenario, Step

Places = tuple[int, ...]
Pair = tuple[int, int]  # the older statement, the newer one


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, with the statements that answer it and those that did so once."""

    text: str
    answers: Places = ()  # any of them; none: this world does not answer it
    outdated: Places = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a memory is told beside other worlds, and what is known about it. Statements go by their places."""

    id: str
    author: str | None = None
    steps: tuple[Step, ...]
    changed: frozenset[int] = frozenset()  # a newer one made them untrue
    stays: frozenset[int] = frozenset()  # they are as true as before
    same: tuple[Places, ...] = ()  # they say the same in other words
    questions: tuple[Question, ...] = ()


def world(line: Fields) -> World:
    """The world of a line of either format."""
    return _by_place(line) if line.has("s") else _by_substrings(scenarios.scenario(line))


def _by_place(line: Fields) -> World:
    steps = tuple(map(scenarios.step, line.rows("s", "speaker", "at", "say")))
    if not steps:
        raise line.wrong("s", "must hold a statement at least")
    count = len(steps)
    changes = [_pair(change, count) for change in line.rows("chg", "older", "newer", "type")]
    same = tuple(_pair(again, count) for again in line.rows("same", "older", "newer"))
    changed = frozenset(older for older, _ in changes)
    asked = [
        (asking.text("question"), asking.numbers("answers", below=count))
        for asking in line.rows("q", "question", "answers")
    ]
    return World(
        id=f"line {line.line}",
        author=line.name("author"),
        steps=steps,
        changed=changed,
        stays=frozenset(range(count)) - changed,
        same=same,
        questions=tuple(_question(text, places, changes, same) for text, places in asked),
    )


def _pair(fields: Fields, count: int) -> Pair:
    return fields.number("older", below=count), fields.number("newer", below=count)


def _question(text: str, needed: Places, changes: Sequence[Pair], same: Sequence[Pair]) -> Question:
    changed = {older for older, _ in changes}
    again = {place for pair in same if not set(pair).isdisjoint(needed) for place in pair} - changed
    answers = {*needed, *again}
    return Question(
        text=text, answers=tuple(sorted(answers)), outdated=tuple(sorted(_before(answers, changes) - answers))
    )


def _before(places: Iterable[int], changes: Sequence[Pair]) -> set[int]:
    """What these took the place of, step by step."""
    found: set[int] = set()
    while older := {older for older, newer in changes if newer in {*places, *found}} - found:
        found |= older
    return found


def _by_substrings(scenario: Scenario) -> World:
    """Questions that are put at a time of their own are left out: other worlds have not got so far by then."""
    asks = [ask for ask in scenario.asks if ask.at is None]
    stays = frozenset(_holders(scenario.steps, scenario.must_stay))
    questions = tuple(_asked(ask, scenario.steps) for ask in asks if ask.current)
    stale = (place for ask in asks for place in _holders(scenario.steps, ask.stale))
    return World(
        id=scenario.id,
        steps=scenario.steps,
        changed=frozenset(stale) - stays,
        stays=stays,
        same=scenario.same,
        questions=questions,
    )


def _asked(ask: Ask, steps: Sequence[Step]) -> Question:
    answers = _holders(steps, ask.current)
    outdated = tuple(place for place in _holders(steps, ask.stale) if place not in answers)
    return Question(text=ask.query, answers=answers, outdated=outdated)


def _holders(steps: Sequence[Step], texts: Collection[str]) -> Places:
    return tuple(place for place, step in enumerate(steps) if any(holds(step.say, text) for text in texts))

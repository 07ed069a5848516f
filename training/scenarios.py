"""Scenarios: statements over time, what changes what, what says the same, and questions.

The format is told in the README of the data. Statements are compared with the older ones of their own scenario; a
question is put to a space in which twenty scenarios of one author live together, as a space of the product would be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from .examples import CHANGE, PART, SAME, STAY, UNKNOWN, Example, said
from .rules import opinions
from .vectors import Vectors

WORLDS = 20  # scenarios that share a space
FOUND = 8  # memories that a question meets


class Statement(NamedTuple):
    """One thing said."""

    speaker: str
    day: date
    text: str


class Scenario(NamedTuple):
    """One small world."""

    id: str
    author: str
    statements: Sequence[Statement]
    labels: Mapping[tuple[int, int], int]  # of (older, newer); every other pair stays
    questions: Sequence[tuple[str, frozenset[int]]]


def load(file: Path) -> list[Scenario]:
    """All scenarios of a file."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line]
    return [_scenario(f"{place}", json.loads(line)) for place, line in enumerate(lines)]


def _scenario(id: str, fields: Mapping[str, Any]) -> Scenario:
    changes = {(old, new): PART if kind == "partial" else CHANGE for old, new, kind in fields["chg"]}
    same = {(old, new): SAME for old, new in fields["same"]}
    return Scenario(
        id=f"{fields['author']}{id}",
        author=fields["author"],
        statements=[Statement(who, date.fromisoformat(day), text) for who, day, text in fields["s"]],
        labels={**_implied(changes, same), **same, **changes},
        questions=[(question, frozenset(needed)) for question, needed in fields["q"]],
    )


def _implied(changes: Mapping[tuple[int, int], int], same: Mapping[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """Pairs that follow from two labels and were not always written down: nobody knows which were meant to stay."""
    both = [*changes, *same]
    follow = {(a, d) for a, b in both for c, d in both if b == c}
    siblings = {(min(b, d), max(b, d)) for a, b in same for c, d in both if a == c and b != d}
    return dict.fromkeys(follow | siblings, UNKNOWN)


def relations(scenarios: Sequence[Scenario], vectors: Vectors) -> Iterator[Example]:
    """Each statement against all older ones of its scenario, nearest first."""
    vectors.learn(statement.text for scenario in scenarios for statement in scenario.statements)
    for scenario in scenarios:
        for place in range(1, len(scenario.statements)):
            yield _relation(scenario, place, vectors)


def _relation(scenario: Scenario, place: int, vectors: Vectors) -> Example:
    newer, before = scenario.statements[place], scenario.statements[:place]
    cosines = vectors.cosines(newer.text, [statement.text for statement in before])
    order = sorted(range(place), key=lambda older: -cosines[older])
    older = [before[index] for index in order]
    return Example(
        task="relation",
        source=scenario.author,
        world=scenario.id,
        head=said(newer.speaker, newer.text),
        texts=tuple(said(statement.speaker, statement.text) for statement in older),
        labels=tuple(scenario.labels.get((index, place), STAY) for index in order),
        facts=tuple(opinions(newer, older, [float(cosines[index]) for index in order])),
    )


def questions(scenarios: Sequence[Scenario], vectors: Vectors) -> Iterator[Example]:
    """Each question against what is nearest in its space, and what it needs."""
    vectors.learn(statement.text for scenario in scenarios for statement in scenario.statements)
    vectors.learn(question for scenario in scenarios for question, _ in scenario.questions)
    for author in sorted({scenario.author for scenario in scenarios}):
        of_author = [scenario for scenario in scenarios if scenario.author == author]
        for start in range(0, len(of_author), WORLDS):
            space = of_author[start : start + WORLDS]
            for scenario in space:
                yield from (_question(scenario, *asked, space, vectors) for asked in scenario.questions)


def _question(
    scenario: Scenario, question: str, needed: frozenset[int], space: Sequence[Scenario], vectors: Vectors
) -> Example:
    stored = [(world.id, index, statement) for world in space for index, statement in enumerate(world.statements)]
    cosines = vectors.cosines(question, [statement.text for _, _, statement in stored])
    order = sorted(range(len(stored)), key=lambda place: -cosines[place])
    own = [place for place in order[FOUND:] if stored[place][0] == scenario.id and stored[place][1] in needed]
    found = [*order[:FOUND], *own]
    again = {old for old, new in scenario.labels if new in needed} | {
        new for old, new in scenario.labels if old in needed
    }
    twins = {index for index in again - needed if _is_twin(scenario, index, needed)}

    def label(place: int) -> int:
        world, index, _ = stored[place]
        if world != scenario.id:
            return 0
        return 1 if index in needed else UNKNOWN if index in twins else 0

    return Example(
        task="relevance",
        source=scenario.author,
        world=scenario.id,
        head=question,
        texts=tuple(said(stored[place][2].speaker, stored[place][2].text) for place in found),
        labels=tuple(label(place) for place in found),
        facts=tuple({"cosine": round(float(cosines[place]), 4), "answerable": bool(needed)} for place in found),
    )


def _is_twin(scenario: Scenario, index: int, needed: frozenset[int]) -> bool:
    """Whether a statement says the same as one that answers, so that it may answer as well."""
    pairs = [(min(index, other), max(index, other)) for other in needed]
    return any(scenario.labels.get(pair) == SAME for pair in pairs)

"""Sets that judge belief: statements over time, what must be answered after them, and what must not be lost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from .lines import Fields, located
from .lines import read as read_lines

FILE = "belief.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One statement."""

    at: datetime
    speaker: str | None
    say: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question, with substrings of what must and what must not come back."""

    query: str
    at: datetime | None = None  # when it is put; without it, after the last step
    current: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    history: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What one memory is told and asked."""

    id: str
    category: str
    theme: str | None = None
    steps: tuple[Step, ...]
    asks: tuple[Ask, ...] = ()
    must_stay: tuple[str, ...] = ()
    same: tuple[tuple[int, ...], ...] = ()  # steps that state one fact


def read(data: Path) -> list[Scenario]:
    """The scenarios of a file, or of `belief.jsonl` in a folder. Raises InvalidInput."""
    return read_lines(located(data, FILE), scenario)


def scenario(line: Fields) -> Scenario:
    """The scenario of a line."""
    steps = tuple(map(step, line.objects("steps")))
    if not steps:
        raise line.wrong("steps", "must hold a step at least")
    return Scenario(
        id=line.text("id"),
        category=line.text("category"),
        theme=line.name("theme", "domain"),
        steps=steps,
        asks=tuple(_ask(ask) for ask in line.objects("asks")),
        must_stay=line.texts("must_stay"),
        same=line.groups("same", below=len(steps)),
    )


def step(fields: Fields) -> Step:
    """One statement, whatever names its fields."""
    return Step(at=fields.moment("at"), speaker=fields.name("speaker"), say=fields.text("say"))


def _ask(ask: Fields) -> Ask:
    return Ask(
        query=ask.text("query"),
        at=ask.moment_if_given("at"),
        current=ask.texts("current"),
        stale=ask.texts("stale"),
        history=ask.texts("history"),
    )

"""Telling a memory many small worlds, as an agent's days bring them, and finding what it made of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from truekeep.memory import Memory
from truekeep.model import MemoryItem, Recall
from truekeep.ports import Embedder, Extractor, Judge

from . import extraction
from .figures import ANSWERABLE
from .findings import Finding, Judged, Measure
from .matching import tells
from .playback import Clock, memory_at, settle
from .sample import Sample
from .worlds import Question, World

FORMAT = "truekeep-judgement"
MEASURES = {
    "newest first": Measure(True, 0.85),
    "R@1": Measure(True, 0.68),
    "R@5": Measure(True, 0.95),
    ANSWERABLE: Measure(True, 0.85),
    "changes marked": Measure(True, 0.75),
    "false marks": Measure(False, 0.04),
    "changes superseded": Measure(True, 0.30),
    "true superseded": Measure(False, 0.002),
    "said again, one left": Measure(True, 0.55),
    "swallowed": Measure(False, 0),
    "precision": Measure(True, 0.80),
    "recall": Measure(True, 0.85),
    "kind": Measure(True, 0.85),
    "kept of nothing": Measure(False, 0.10),
}
TICK = timedelta(seconds=1)  # between statements of one moment
_ALL = 1000


def run(
    sample: Sample,
    *,
    embedder: Embedder | str | None = None,
    extractor: Extractor | str | None = None,
    judge: Judge | str | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> Iterator[Judged]:
    """One verdict a world or conversation. The worlds of a space are told to one memory, in the order of their times.

    Args:
        sample: the worlds and conversations.
        embedder: what gives meaning; default: the local model.
        extractor: what reads the conversations; default: rules.
        judge: what judges; default: the learned judge of the package.
        tell: is told of each one that is done.

    Raises:
        EmbedderError: vectors could not be made; words alone would give figures that mean something else.
    """
    for space in sample.spaces:
        clock = Clock()
        with memory_at(clock, embedder=embedder, judge=judge) as memory:
            ids = _told(memory, clock, space)
            items = {item.id: item for item in memory.items(limit=_ALL, include_superseded=True)}
            for world, became in zip(space, ids, strict=True):
                yield _judged(Told(world, became, items), memory)
                tell(1)
    for kept in extraction.run(sample.chats, embedder=embedder, extractor=extractor, judge=judge, tell=tell):
        counted = (finding._replace(group="") for finding in kept.findings if finding.measure in MEASURES)
        yield replace(kept, findings=tuple(counted))


def _told(memory: Memory, clock: Clock, space: Sequence[World]) -> list[list[str]]:
    """The ids of what the statements of each world became."""
    said = [(step.at, number, place) for number, world in enumerate(space) for place, step in enumerate(world.steps)]
    ids = [[""] * len(world.steps) for world in space]
    clock.now = min(said)[0]
    for at, number, place in sorted(said):
        clock.now = max(clock.now + TICK, at)
        step = space[number].steps[place]
        ids[number][place] = memory.remember(step.say, speaker=step.speaker, when=at).id
    settle(memory)
    return ids


@dataclass(frozen=True, slots=True)
class Told:
    """A world, and the items that its statements became, in the order of the statements."""

    world: World
    ids: Sequence[str]
    items: Mapping[str, MemoryItem]

    def item(self, place: int) -> MemoryItem:
        return self.items[self.ids[place]]

    def say(self, place: int) -> str:
        return self.world.steps[place].say

    def is_marked(self, place: int) -> bool:
        return not self.item(place).is_current or bool(self.item(place).suspected_by)

    def left(self, places: Iterable[int]) -> set[str]:
        """The items of these statements, without those that another one of them took the place of."""
        ids = {self.ids[place] for place in places}
        return {id for id in ids if ids.isdisjoint(successors(id, self.items))}

    def is_said_again(self, place: int) -> bool:
        """Whether it lives on in a statement that says the same."""
        return any(place in group and self.ids[place] not in self.left(group) for group in self.world.same)


def successors(id: str, items: Mapping[str, MemoryItem]) -> list[str]:
    """What took its place, and what took the place of that, and so on."""
    found: list[str] = []
    while id in items and (successor := items[id].superseded_by) is not None and successor not in found:
        found.append(successor)
        id = successor
    return found


def _judged(told: Told, memory: Memory) -> Judged:
    asked = [(question, _Asked.of(question, told, memory)) for question in told.world.questions]
    found = (answer.findings(question) for question, answer in asked if question.answers)
    return Judged(
        id=told.world.id,
        author=told.world.author,
        findings=(*(one for findings in found for one in findings), *verdicts(told), *_swallowed(told, memory)),
        answered=tuple(answer.answerable for question, answer in asked if question.answers),
        unanswered=tuple(answer.answerable for question, answer in asked if not question.answers),
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What came of one question: the first places of matches, from 0."""

    answer: int | None
    outdated: int | None
    answerable: float

    @classmethod
    def of(cls, question: Question, told: Told, memory: Memory) -> _Asked:
        recall = memory.recall(question.text)
        answers = {told.ids[place] for place in question.answers}
        outdated = {told.ids[place] for place in question.outdated} - answers
        return cls(_first(recall, answers), _first(recall, outdated), recall.answerable)

    def findings(self, question: Question) -> Iterator[Finding]:
        found = self.answer is not None
        yield Finding("R@1", self.answer == 0, repr(question.text))
        yield Finding("R@5", found, repr(question.text))
        if question.outdated:
            above = self.outdated is not None and (self.answer is None or self.outdated < self.answer)
            yield Finding("newest first", found and not above, repr(question.text))


def _first(recall: Recall, ids: Collection[str]) -> int | None:
    return next((place for place, match in enumerate(recall) if match.id in ids), None)


def verdicts(told: Told) -> Iterator[Finding]:
    """What the marks say about the statements of a world."""
    for place in sorted(told.world.changed):
        yield Finding("changes marked", told.is_marked(place), repr(told.say(place)))
        yield Finding("changes superseded", not told.item(place).is_current, repr(told.say(place)))
    for place in sorted(told.world.stays):
        if not told.is_said_again(place):
            yield Finding("false marks", told.is_marked(place), repr(told.say(place)))
            yield Finding("true superseded", not told.item(place).is_current, repr(told.say(place)))
    for group in told.world.same:
        yield Finding("said again, one left", len(told.left(group)) == 1, repr(told.say(group[-1])))


def _swallowed(told: Told, memory: Memory) -> Iterator[Finding]:
    """Of what is true, what does not come back when it is asked for in its own words, nor all that it said."""
    for place in sorted(told.world.stays):
        say, item = told.say(place), told.item(place)
        is_same = any(place in group for group in told.world.same)
        is_another = item.content != say and item.is_current
        lives_on = is_same and (is_another or told.is_said_again(place))  # in what says the same
        stands = lives_on or (item.is_current and item.content == say)
        lost = not stands and not any(tells(match.content, say) for match in memory.recall(say))
        yield Finding("swallowed", lost, repr(say))

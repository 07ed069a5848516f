"""What several spaces found, as one answer: pure decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TypeVar

from truekeep.engine.statement import statement
from truekeep.engine.verbs.context import Entry, Material
from truekeep.model import Match, MemoryItem, Order, Recall

from .speech import only_asks

_T = TypeVar("_T")


def merged(found: Sequence[Recall], *, limit: int, order: Order = "best") -> Recall:
    """One recall out of several, best first.

    Scores are relative to the best of their own space, so they are weighed with how likely that space has an answer at
    all (`answerable`): the order within a space stays, and a space that knows nothing does not push itself forward.
    What two spaces state alike is there once.
    """
    if len(found) == 1:
        return found[0]
    matches = [replace(match, score=match.score * one.answerable) for one in found for match in one]
    lessons = [replace(match, score=match.score * one.answerable) for one in found for match in one.lessons]
    return Recall(
        matches=tuple(_distinct(_sorted(matches, order), _item))[:limit],
        lessons=tuple(_distinct(_sorted(lessons, "best"), _item)),
        answerable=max((one.answerable for one in found), default=0.0),
        pending=sum(one.pending for one in found),
        degraded=any(one.degraded for one in found),
    )


def gathered(materials: Sequence[Material]) -> Material:
    """One material out of several: pinned ones first, then by turns the best of each space, the next of each..."""
    entries = list(_by_turns([material.entries for material in materials]))
    return Material(
        entries=list(_distinct(sorted(entries, key=lambda entry: not entry.item.pinned), lambda entry: entry.item)),
        lessons=list(_distinct(_by_turns([material.lessons for material in materials]), lambda entry: entry.item)),
        query=next((material.query for material in materials), ""),
    )


def worth_showing(material: Material, *, seen: Iterable[str], questions: bool) -> Material:
    """Without the record of what the model has before its eyes anyway and, unless wanted, of mere questions."""
    texts = {text.strip() for text in seen}

    def is_worth_it(item: MemoryItem) -> bool:
        is_seen = item.kind == "interaction" and item.content.strip() in texts
        return not is_seen and (questions or not is_mere_question(item))

    return replace(material, entries=[entry for entry in material.entries if is_worth_it(entry.item)])


def is_mere_question(found: MemoryItem | Match) -> bool:
    """Whether it is the record of a question, which is the best match for a question and answers nothing."""
    return found.kind == "interaction" and only_asks(found.content)


def _item(match: Match) -> MemoryItem:
    return match.item


def _sorted(matches: list[Match], order: Order) -> list[Match]:
    """Ties go to the newer item, as in one space."""
    newest = sorted(matches, key=lambda match: match.when, reverse=True)
    if order == "newest":
        return newest
    return sorted(newest, key=lambda match: match.confidence if order == "confidence" else match.score, reverse=True)


def _by_turns(lists: Sequence[Sequence[Entry]]) -> Iterable[Entry]:
    return (entry for entry in chain.from_iterable(zip_longest(*lists)) if entry is not None)


def _distinct(ranked: Iterable[_T], item_of: Callable[[_T], MemoryItem]) -> Iterable[_T]:
    """The first of those that state the same; records of who said what are told apart by their ids."""
    seen: set[str] = set()
    for one in ranked:
        item = item_of(one)
        said = item.id if item.kind == "interaction" else statement(item.content, item.speaker)
        if said not in seen:
            seen.add(said)
            yield one

"""What stays in a block from turn to turn, so that prompts change little."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Hashable
from dataclasses import replace
from typing import NamedTuple

from truekeep.engine.verbs.context import Entry, Material

MOST_CONVERSATIONS = 1_000
REACH = 2  # what was shown stays while it is among so many times as many of what is found


class Shown(NamedTuple):
    """What a block was recalled for, and its items: ids alone, so that what is forgotten cannot be shown again."""

    query: str = ""
    ids: frozenset[str] = frozenset()


class Steady:
    """The last blocks of the latest conversations; safe to be used by several threads."""

    def __init__(self) -> None:
        self._shown: OrderedDict[Hashable, Shown] = OrderedDict()
        self._lock = threading.Lock()

    def last(self, conversation: Hashable) -> Shown:
        with self._lock:
            return self._shown.get(conversation, Shown())

    def keep(self, conversation: Hashable, shown: Shown) -> None:
        with self._lock:
            self._shown[conversation] = shown
            self._shown.move_to_end(conversation)
            if len(self._shown) > MOST_CONVERSATIONS:
                self._shown.popitem(last=False)


def steadied(material: Material, before: Collection[str]) -> Material:
    """First the better half, clearly better than what it pushes out; then what was shown before and is good enough.

    By rank, not by score: the scores of two spaces, or of two questions, do not compare.
    """
    pinned = [entry for entry in material.entries if entry.item.pinned]
    ranked = [entry for entry in material.entries if not entry.item.pinned]
    held = {*before} - {entry.item.id for entry in (*pinned, *material.lessons)}  # these have places of their own

    def place(rank: int, entry: Entry) -> int:
        is_best, is_good_enough = rank < (len(held) + 1) // 2, rank < REACH * len(held)
        return 0 if is_best else 1 if is_good_enough and entry.item.id in held else 2

    moved = sorted(enumerate(ranked), key=lambda one: place(*one))
    return replace(material, entries=[*pinned, *(entry for _, entry in moved)])


def nothing_new(material: Material, before: Collection[str]) -> Material:
    """What was shown before, as far as it is still there, and what is pinned."""
    entries, lessons = (
        [entry for entry in some if entry.item.pinned or entry.item.id in before]
        for some in (material.entries, material.lessons)
    )
    return replace(material, entries=entries, lessons=lessons)

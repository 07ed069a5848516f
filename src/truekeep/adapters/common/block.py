"""The recalled block of a prompt: marked, so that nobody takes it for something that was said.

From turn to turn it changes little: what stays in it is decided here, too.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Collection, Hashable
from dataclasses import replace
from typing import NamedTuple

from truekeep.engine.tokens import CountTokens, estimate
from truekeep.engine.verbs.context import Entry, Material, packed
from truekeep.fence import RECALL_OPEN, without_recalled

HEADING = "## Long-term memory"
MOST_CONVERSATIONS = 1_000
REACH = 2  # what was shown stays while it is among so many times as many of what is found

_ITEM = re.compile(r"^- \[", re.MULTILINE)
_MARK = re.compile(re.escape(RECALL_OPEN), re.IGNORECASE)
_HEADED = re.compile(rf"^#{{1,6}} [^\n]*\n+(?={re.escape(RECALL_OPEN)})", re.IGNORECASE | re.MULTILINE)


def recall_block(
    material: Material, *, max_tokens: int, heading: str = HEADING, count_tokens: CountTokens | None = None
) -> str:
    """As much of the material as fits, fenced, under a heading; empty when there is nothing to say."""
    return shown_block(material, max_tokens=max_tokens, heading=heading, count_tokens=count_tokens)[0]


def shown_block(
    material: Material, *, max_tokens: int, heading: str = HEADING, count_tokens: CountTokens | None = None
) -> tuple[str, frozenset[str]]:
    """The block, and the ids of the items in it."""
    count = count_tokens or estimate
    above = f"{heading}\n" if heading else ""
    text, ids = packed(material, template="default", max_tokens=max_tokens - count(above), count_tokens=count)
    return (f"{above}{text}" if text else ""), ids


def announcement(block: str) -> str:
    """One line for people about a block: "recalled 3 memories"; empty for an empty one."""
    count = len(_ITEM.findall(block))
    return f"recalled {count} {'memory' if count == 1 else 'memories'}" if count else ""


def is_recalled(text: str) -> bool:
    """Whether there is a recalled block in the text."""
    return _MARK.search(text) is not None


def strip_recalled(text: str) -> str:
    """The text without recalled blocks and their Markdown headings; unchanged if there are none."""
    return without_recalled(_HEADED.sub("", text)).strip() if is_recalled(text) else text


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

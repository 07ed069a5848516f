"""Which items an answer is about: the ids of those that it tells, or says that it changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truekeep.engine.verbs.context import Entry, Material
from truekeep.model import (
    Changes,
    Diff,
    Edited,
    Event,
    Explanation,
    Extraction,
    Job,
    MemoryItem,
    Page,
    Recall,
    Receipt,
    Remembered,
    Restoration,
    Review,
    Suspicion,
)

_PARTS: Mapping[type, tuple[str, ...]] = {
    Page: ("items",),
    Changes: ("events",),
    Material: ("entries", "lessons"),
    Entry: ("item",),
    Review: ("suspicions", "quarantined", "mentions"),
    Suspicion: ("older", "newer"),
    Extraction: ("remembered", "job"),
    Diff: ("added", "superseded", "revived", "reinforced", "changed"),
    Restoration: ("undone",),
}


def told(answer: Any) -> Iterator[str]:
    """One may come twice. The id of a job stands for what it will keep."""
    match answer:
        case Recall():  # the one that has to be quick
            yield from [match.item.id for match in (*answer.matches, *answer.lessons)]
        case MemoryItem() | Event() | Edited() | Explanation() | Job():
            yield answer.id
        case Remembered():
            if answer.outcome != "refused":
                yield from (answer.id, *(item.id for item in answer.superseded))
        case Receipt():
            yield from (*answer.erased, *(item.id for item in answer.revived))
        case list() | tuple():
            for one in answer:
                yield from told(one)
        case _:
            for name in _PARTS.get(type(answer), ()):
                yield from told(getattr(answer, name))

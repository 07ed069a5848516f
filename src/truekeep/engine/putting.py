"""The row of an item, as a store is asked to keep it."""

from __future__ import annotations

from truekeep.model import MemoryItem
from truekeep.ports import Put

from .statement import statement

RECORD = "interaction"  # the kind that records what was said: "thanks" twice is two items


def put_of(
    item: MemoryItem,
    *,
    said: str | None = None,
    vectors: bytes | None = None,
    keep_previous: bool = False,
    derived: bool = False,
    lifts: bool = True,
) -> Put:
    """The row of an item; `said` is its statement where that is known already."""
    return Put(
        item=item,
        statement=said or statement(item.content, item.speaker),
        vectors=vectors,
        keep_previous=keep_previous,
        derived=derived,
        lifts=lifts,
        repeatable=item.kind == RECORD,
    )

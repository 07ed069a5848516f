"""What all changes have in common: decided again while somebody else is faster, told from a retry, kept as rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import TypeVar

from truekeep.errors import StoreError
from truekeep.model import MemoryItem
from truekeep.ports import Moved, Put

from .statement import statement

Result = TypeVar("Result")
_TRIES = 1000  # somebody else must win each round for us to lose it: only a broken store gets here
RECORD = "interaction"  # the kind that records what was said: "thanks" twice is two items


def decide(attempt: Callable[[int], Result]) -> Result:
    """What the first attempt gives that nobody overtook.

    An attempt looks, decides and applies, and is told how many were made before it; one that raises Moved is made
    again.
    """
    for number in range(_TRIES):
        try:
            return attempt(number)
        except Moved:
            continue
    raise StoreError(f"gave up after {_TRIES} rounds: others keep changing the same memory", retryable=True)


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


def request_hash(*parts: object) -> str:
    """A hash of what was asked for. Of a dataclass, what differs from its defaults: a new field breaks no retry."""
    text = json.dumps([_told(part) for part in parts], sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _told(part: object) -> object:
    if isinstance(part, type) or not is_dataclass(part):
        return part
    given = {field: getattr(part, field.name) for field in fields(part)}
    return {field.name: _told(value) for field, value in given.items() if value != _default(field)}


def _default(field: Field[object]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()

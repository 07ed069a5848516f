"""What all changes have in common: decided again while somebody else is faster, told from a retry, kept as rows."""

from __future__ import annotations

import hashlib
import json
from dataclasses import MISSING, Field, fields, is_dataclass
from types import TracebackType

from truekeep.errors import StoreError
from truekeep.model import MemoryItem
from truekeep.ports import Moved, Put

from .statement import statement

_TRIES = 1000  # somebody else must win each round for us to lose it: only a broken store gets here
RECORD = "interaction"  # the kind that records what was said: "thanks" twice is two items


class Rounds:
    """Looking, deciding and applying, for as long as somebody else is faster.

    What is done `with` them may raise Moved: then another round begins. Who has applied leaves.

        rounds = Rounds()
        while True:
            with rounds:
                return store.apply(...)
    """

    def __init__(self) -> None:
        self.lost = 0  # that somebody else has won so far

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if not isinstance(error, Moved):
            return False
        self.lost += 1
        if self.lost < _TRIES:
            return True
        problem = f"gave up after {_TRIES} rounds: others keep changing the same memory"
        raise StoreError(problem, retryable=True) from error


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

"""Look, decide, apply: made again for as long as somebody else is faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from truekeep.errors import StoreError
from truekeep.ports import Moved

Result = TypeVar("Result")
_TRIES = 1000  # somebody else must win each round for us to lose it: only a broken store gets here


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

"""Edits of values: pure functions from the present value to the next."""

from __future__ import annotations

import math
from collections.abc import Callable

from recollect.errors import Conflict, InvalidInput
from recollect.model import JSON, Value

from .admit import Limits, json_text

Edit = Callable[[Value | None], JSON]
_NUMBER_BYTES = 1_000  # as text: far more than anybody counts to, far less than it takes to slow us down


def replace_by(value: JSON, if_version: int | None) -> Edit:
    """Another value, on condition that the present version is the one given; 0 stands for none."""
    if if_version is not None and (isinstance(if_version, bool) or not isinstance(if_version, int)):
        raise InvalidInput("if_version", "must be a whole number")

    def edit(present: Value | None) -> JSON:
        version = 0 if present is None else present.version
        if if_version is not None and if_version != version:
            raise Conflict(f"the value has version {version}, not {if_version}; read it again and retry")
        return value

    return edit


def append(element: JSON, limits: Limits) -> Edit:
    def edit(present: Value | None) -> JSON:
        elements = [] if present is None else present.value
        if not isinstance(elements, list):
            raise InvalidInput("key", "holds a value that is not a list; nothing can be appended")
        grown = [*elements, element]
        json_text(grown, "element", limits.value_bytes)  # the list as a whole must stay within the limit
        return grown

    return edit


def increment(by: float) -> Edit:
    if isinstance(by, bool) or not isinstance(by, int | float) or by != by or by in (math.inf, -math.inf):
        raise InvalidInput("by", "must be a finite number")

    def edit(present: Value | None) -> JSON:
        number = 0 if present is None else present.value
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise InvalidInput("key", "holds a value that is not a number; it cannot be incremented")
        try:
            total = number + by
            json_text(total, "by", _NUMBER_BYTES)
        except (OverflowError, InvalidInput) as error:
            raise InvalidInput("by", "makes the number too large") from error
        return total

    return edit


def kept(value: Value | None) -> Value:
    assert value is not None, "an edit to something other than None keeps a value"
    return value

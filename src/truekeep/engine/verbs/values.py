"""Edits of values: pure functions from the present value to the next, each with the arguments it was made of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta

from truekeep.engine.admit import Limits, json_text
from truekeep.engine.decide import request_hash
from truekeep.errors import Conflict, InvalidInput
from truekeep.model import JSON, Value

_NUMBER_BYTES = 1_000  # as text: far more than anybody counts to, far less than it takes to slow us down


@dataclass(frozen=True, slots=True)
class Replace:
    """Another value, on condition that the present version is the one given; 0 stands for none."""

    value: JSON
    if_version: int | None = None

    def __post_init__(self) -> None:
        if self.if_version is not None and (isinstance(self.if_version, bool) or not isinstance(self.if_version, int)):
            raise InvalidInput("if_version", "must be a whole number")

    def __call__(self, present: Value | None) -> JSON:
        version = 0 if present is None else present.version
        if self.if_version is not None and self.if_version != version:
            raise Conflict(f"the value has version {version}, not {self.if_version}; read it again and retry")
        return self.value


@dataclass(frozen=True, slots=True)
class Append:
    """One more element at the end of a list."""

    element: JSON
    limits: Limits

    def __call__(self, present: Value | None) -> JSON:
        elements = [] if present is None else present.value
        if not isinstance(elements, list):
            raise InvalidInput("key", "holds a value that is not a list; nothing can be appended")
        grown = [*elements, self.element]
        json_text(grown, "element", self.limits.value_bytes)  # the list as a whole must stay within the limit
        return grown


@dataclass(frozen=True, slots=True)
class Increment:
    """A number, and some more."""

    by: float

    def __post_init__(self) -> None:
        by = self.by
        if isinstance(by, bool) or not isinstance(by, int | float) or by != by or by in (math.inf, -math.inf):
            raise InvalidInput("by", "must be a finite number")

    def __call__(self, present: Value | None) -> JSON:
        number = 0 if present is None else present.value
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise InvalidInput("key", "holds a value that is not a number; it cannot be incremented")
        try:
            total = number + self.by
            json_text(total, "by", _NUMBER_BYTES)
        except (OverflowError, InvalidInput) as error:
            raise InvalidInput("by", "makes the number too large") from error
        return total


Edit = Replace | Append | Increment


def request_of(key: str, edit: Edit, ttl: timedelta | None) -> str:
    """Tells a retry from another use of the same idempotency key."""
    given = edit.element if isinstance(edit, Append) else edit
    return request_hash(type(edit).__name__, key, given, ttl)


def kept(value: Value | None) -> Value:
    """The value that an edit kept; a retry may come after somebody deleted it."""
    if value is None:
        raise Conflict("the value that this idempotency_key changed was deleted since")
    return value

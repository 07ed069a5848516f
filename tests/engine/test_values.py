"""Edits of values, from the present to the next."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from truekeep.engine.admit import Limits
from truekeep.engine.verbs import values
from truekeep.errors import Conflict, InvalidInput
from truekeep.model import JSON, Value

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def present(value: JSON, version: int = 3) -> Value:
    return Value(key="k", value=value, version=version, created=NOW, updated=NOW)


def test_replacing_asks_for_the_version_that_was_read() -> None:
    assert values.Replace("b", None)(present("a")) == "b"
    assert values.Replace("b", 3)(present("a")) == "b"
    assert values.Replace("b", 0)(None) == "b"
    for edit, now in ((2, present("a")), (0, present("a")), (3, None)):
        with pytest.raises(Conflict, match="read it again"):
            values.Replace("b", edit)(now)


def test_appending_makes_a_new_list() -> None:
    elements: list[JSON] = [1]

    grown = values.Append(2, Limits())(present(elements))

    assert (grown, elements) == ([1, 2], [1])
    assert values.Append(None, Limits())(None) == [None]


def test_a_list_does_not_grow_over_the_limit() -> None:
    with pytest.raises(InvalidInput, match="element"):
        values.Append("x" * 10, Limits(value_bytes=20))(present(["y" * 10]))


@pytest.mark.parametrize(("number", "by", "total"), [(None, 1, 1), (4, -6, -2), (1, 0.5, 1.5), (2**80, 1, 2**80 + 1)])
def test_incrementing_adds(number: Any, by: float, total: float) -> None:
    assert values.Increment(by)(None if number is None else present(number)) == total


@pytest.mark.parametrize(("number", "by"), [(1e308, 1e308), (10**400, 0.5), (10**999, 10**1000)])
def test_a_number_stays_within_bounds(number: float, by: float) -> None:
    with pytest.raises(InvalidInput, match="by: makes the number too large"):
        values.Increment(by)(present(number))


@pytest.mark.parametrize("value", ["text", True, [1], {"a": 1}])
def test_only_numbers_are_incremented_and_only_lists_appended_to(value: Any) -> None:
    with pytest.raises(InvalidInput, match="not a number"):
        values.Increment(1)(present(value))
    if not isinstance(value, list):
        with pytest.raises(InvalidInput, match="not a list"):
            values.Append(1, Limits())(present(value))

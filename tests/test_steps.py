"""Who watches a step sees it begin and end; where nobody does, nothing is in between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from truekeep.steps import step, watch


@step("double")
def double(number: int, *, by: int = 2) -> int:
    return number * by


@step("fail")
def fail() -> None:
    raise KeyError


def test_a_step_is_made_within_those_who_watch_it_and_only_until_they_stop() -> None:
    seen: list[str] = []

    @contextmanager
    def seeing(name: str) -> Iterator[None]:
        seen.append(name)
        try:
            yield
        finally:
            seen.append(f"{name} ended")

    end_all, end_one = watch(seeing), watch(seeing, "double")
    assert double(3, by=3) == 9
    with pytest.raises(KeyError):
        fail()
    end_all()
    assert double(3) == 6
    end_one()
    assert double(4) == 8

    assert seen == [
        *("double", "double", "double ended", "double ended"),
        *("fail", "fail ended"),
        *("double", "double ended"),
    ]

"""Who watches a step sees it begin and end; where nobody does, nothing is in between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest

from truekeep.steps import step, watch


class Steps:
    @step("double")
    def double(self, number: int, *, by: int = 2) -> int:
        return number * by

    @step("fail")
    def fail(self) -> None:
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

    steps, alone = Steps(), Steps.double
    end_all, end_one = watch(seeing), watch(seeing, "double")
    assert steps.double(3, by=3) == 9
    with pytest.raises(KeyError):
        steps.fail()
    end_all()
    assert steps.double(3) == 6
    end_one()
    assert steps.double(4) == 8
    assert Steps.double is alone

    assert seen == [
        *("double", "double", "double ended", "double ended"),
        *("fail", "fail ended"),
        *("double", "double ended"),
    ]


def test_a_class_that_is_made_while_somebody_watches_is_watched() -> None:
    seen: list[str] = []

    def seeing(name: str) -> nullcontext[None]:
        seen.append(name)
        return nullcontext()

    end = watch(seeing, "late")

    class Late:
        @step("late")
        def come(self) -> None:
            """As drivers do, which are imported when they are needed."""

    Late().come()
    end()
    Late().come()

    assert seen == ["late"]

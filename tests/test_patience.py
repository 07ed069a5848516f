"""What hangs is given up, and what failed is left alone for a while."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from truekeep.patience import Breaker, TooLate, TooMuch, seconds_asked, whole, within


def test_work_is_done_in_a_thread_of_its_own() -> None:
    assert within(10, lambda: threading.current_thread().name, thread="patient") == "patient"


def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(LookupError, match="gone"):
        within(10, lambda: dict[str, int]().pop("gone"), thread="patient")


def test_an_exit_of_the_work_ends_nobody_else() -> None:
    with pytest.raises(RuntimeError, match="SystemExit"):
        within(10, lambda: sys.exit(3), thread="patient")


def test_nobody_waits_for_work_that_hangs_and_its_end_is_told() -> None:
    release, ended = threading.Event(), threading.Event()

    with pytest.raises(TooLate):
        within(0.01, release.wait, thread="patient", ended=ended.set)

    assert not ended.is_set()
    release.set()
    assert ended.wait(10)


def test_an_answer_is_taken_in_whole_or_not_at_all() -> None:
    soon = time.monotonic() + 60

    assert whole([b"a", b"", b"bc"], soon, most=3) == b"abc"
    with pytest.raises(TooMuch):
        whole([b"abc", b"d"], soon, most=3)
    with pytest.raises(TooLate):
        whole([b"a"], time.monotonic() - 1)


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("30", 30.0),
        ("0", 0.0),
        (None, 0.0),
        ("", 0.0),
        ("-1", 0.0),
        ("9" * 10, 0.0),
        ("Fri, 31 Jul 2026 07:28:00 GMT", 0),
    ],
)
def test_a_pause_that_is_asked_for_is_a_number_of_seconds(told: str | None, seconds: float) -> None:
    assert seconds_asked(told) == seconds


def test_after_so_many_failures_one_call_tries_at_a_time() -> None:
    now = 0.0
    breaker = Breaker(tolerance=2, retry_after=30, clock=lambda: now)

    assert [breaker.failed(), breaker.admits(), breaker.failed(), breaker.admits()] == [False, True, True, False]
    now = 31
    assert [breaker.is_rested, breaker.admits(), breaker.admits()] == [True, True, False]
    assert breaker.failed() is False  # it was held back before
    now = 62
    assert breaker.admits()
    assert [breaker.succeeded(), breaker.succeeded(), breaker.admits()] == [True, False, True]

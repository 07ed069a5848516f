"""A memory that fails, hangs or is gone never breaks the agent, and never does so unnoticed."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import threading
import time

import pytest

from truekeep import Memory
from truekeep.adapters.common import FailOpen
from truekeep.errors import ConfigurationError, InvalidInput, NotFound, StoreError

from .places import Clock, adapter_threads, patient, raising, silent_server

SHORT = 0.05


def hanging(guard: FailOpen) -> threading.Event:
    """A call that is past its deadline and goes on until this is set."""
    began, release = threading.Event(), threading.Event()

    def hang() -> None:
        began.set()
        release.wait()

    while not began.is_set():  # on a busy machine a thread may begin too late, and then does not
        guard.call(hang, None)
    return release


def test_a_call_that_works_returns_what_it_returns() -> None:
    guard = patient()

    assert guard.call(lambda: "tea", "nothing") == "tea"
    assert guard.failures == 0


def test_a_call_that_fails_returns_the_default_and_is_counted_and_told() -> None:
    told: list[Exception] = []
    guard = patient(on_error=told.append)
    error = StoreError("the disk is full")

    answer = guard.call(raising(error), "nothing")

    assert answer == "nothing"
    assert (guard.failures, told) == (1, [error])


@pytest.mark.parametrize("error", [ZeroDivisionError(), InvalidInput("content", "is empty"), KeyError("x")])
def test_whatever_is_raised_does_not_reach_the_agent(error: Exception) -> None:
    guard = patient()

    assert guard.call(raising(error), "nothing") == "nothing"
    assert guard.failures == 1


def test_an_on_error_that_fails_does_not_reach_the_agent(caplog: pytest.LogCaptureFixture) -> None:
    def on_error(error: Exception) -> None:
        raise RuntimeError("the host's own mistake")

    assert patient(on_error=on_error).call(raising(StoreError("gone")), "nothing") == "nothing"
    assert "on_error itself failed" in caplog.text


@pytest.mark.timeout(60)
def test_a_hanging_store_costs_a_deadline_and_at_most_so_many_threads() -> None:
    before = adapter_threads()
    guard = FailOpen(deadline=SHORT, threads=3, tolerance=1000)

    with silent_server() as address, Memory("ana", at=address) as memory:
        answers = [guard.call(lambda: memory.recall("tea").text, "nothing") for _ in range(20)]
        threads = adapter_threads() - before
        guard.close()

    assert answers == ["nothing"] * 20  # each would have taken a minute
    assert guard.failures == 20
    assert 1 <= len(threads) <= 3


@pytest.mark.timeout(60)
def test_when_all_threads_hang_further_calls_fail_at_once() -> None:
    told: list[Exception] = []
    guard = FailOpen(deadline=SHORT, threads=1, tolerance=1000, on_error=told.append)
    release = hanging(guard)

    answer = guard.call(lambda: True, False, deadline=3600)

    assert answer is False
    assert "hang" in str(told[-1])
    release.set()


@pytest.mark.timeout(60)
def test_threads_that_come_back_are_used_again() -> None:
    guard = FailOpen(deadline=SHORT, threads=1, tolerance=1000)

    hanging(guard).set()
    while not guard.call(lambda: True, False, deadline=60):
        time.sleep(0.01)  # the thread has a few instructions to go

    assert guard.call(lambda: "tea", "nothing", deadline=60) == "tea"


def test_more_callers_than_threads_wait_for_each_other() -> None:
    guard = patient(threads=2)
    answers: list[int] = []
    callers = [threading.Thread(target=lambda: answers.append(guard.call(lambda: 1, 0))) for _ in range(30)]

    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()

    assert answers == [1] * 30


def test_after_several_failures_the_memory_rests_and_then_one_call_tries_it() -> None:
    clock = Clock()
    guard = FailOpen(deadline=3600, tolerance=3, retry_after=30, clock=clock)
    asked: list[str] = []

    def fail() -> str:
        asked.append("asked")
        raise StoreError("gone")

    for _ in range(10):
        guard.call(fail, "nothing")
    resting = guard.is_resting, len(asked)
    clock.now = 29.9
    guard.call(fail, "nothing")
    still_resting = len(asked)
    clock.now = 31.0
    for _ in range(5):
        guard.call(fail, "nothing")

    assert resting == (True, 3)
    assert still_resting == 3
    assert len(asked) == 4  # one of the five tried
    assert guard.failures == 16


def test_a_memory_that_is_back_is_used_again() -> None:
    clock = Clock()
    guard = FailOpen(deadline=3600, tolerance=2, retry_after=30, clock=clock)
    for _ in range(2):
        guard.call(raising(StoreError("gone")), "nothing")

    clock.now = 31.0
    answers = [guard.call(lambda: "tea", "nothing") for _ in range(3)]

    assert answers == ["tea"] * 3
    assert not guard.is_resting


def test_calls_that_were_wrong_do_not_send_a_working_memory_to_rest() -> None:
    guard = patient(tolerance=2)

    for _ in range(5):
        guard.call(raising(InvalidInput("content", "is empty")), "nothing")
        guard.call(raising(NotFound("no item")), "nothing")

    assert not guard.is_resting
    assert guard.failures == 10


def test_one_warning_for_each_kind_of_failure_and_no_text_of_a_memory(caplog: pytest.LogCaptureFixture) -> None:
    guard = patient(tolerance=1000)
    caplog.set_level(logging.DEBUG, logger="truekeep.adapters")

    for _ in range(3):
        guard.call(raising(StoreError("the disk is full")), "nothing")
        guard.call(raising(InvalidInput("kind", "'Ana is ill' is not a slug")), "nothing")
        guard.call(raising(ValueError("Ana is ill")), "nothing")

    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert warnings == [
        "going on without memory: StoreError: the disk is full",
        "going on without memory: the call was wrong: InvalidInput in 'kind'",
        "going on without memory: unexpected ValueError",
    ]
    assert len(caplog.records) == 9
    assert "Ana" not in caplog.text


@pytest.mark.timeout(60)
def test_an_event_loop_goes_on_while_a_memory_hangs() -> None:
    release = threading.Event()
    guard = FailOpen(deadline=3600, threads=1)

    async def chat() -> tuple[str, str]:
        waiting = asyncio.create_task(guard.awaited(lambda: "tea" if release.wait() else "", "nothing"))
        await asyncio.sleep(0)
        said = "the loop is free"
        release.set()
        return said, await waiting

    assert asyncio.run(chat()) == ("the loop is free", "tea")


@pytest.mark.timeout(60)
def test_an_awaited_call_has_the_same_deadline() -> None:
    release = threading.Event()
    guard = FailOpen(deadline=SHORT, threads=1)

    assert asyncio.run(guard.awaited(lambda: "tea" if release.wait() else "", "nothing")) == "nothing"
    assert guard.failures == 1

    release.set()  # and that its loop is gone by then is nobody's problem


@pytest.mark.timeout(60)
def test_a_cancelled_call_still_completes() -> None:
    began, release, done = threading.Event(), threading.Event(), threading.Event()
    guard = patient()

    def write() -> None:
        began.set()
        release.wait()
        done.set()

    async def cancel() -> bool:
        task = asyncio.create_task(guard.awaited(write, None))
        await asyncio.to_thread(began.wait)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(cancel())
    release.set()
    assert done.wait(30)
    assert guard.failures == 0


@pytest.mark.timeout(60)
def test_a_guard_that_is_dropped_leaves_no_thread() -> None:
    before = adapter_threads()
    guard = patient()
    guard.call(lambda: 1, 0)

    del guard
    gc.collect()

    while adapter_threads() - before:
        time.sleep(0.01)


@pytest.mark.parametrize("option", ["deadline", "threads", "tolerance"])
def test_a_guard_that_could_never_ask_is_refused(option: str) -> None:
    with pytest.raises(ConfigurationError, match=option):
        FailOpen(**{option: 0})  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_guard_works_on_both_sides_of_a_fork() -> None:
    guard = patient()
    guard.call(lambda: 1, 0)

    child = os.fork()
    if child == 0:
        os._exit(guard.call(lambda: 7, 0))
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 7
    assert guard.call(lambda: 1, 0) == 1

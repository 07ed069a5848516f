"""A process that ends while threads of it run a model."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.reliability.child import Child
from truekeep.native import Native


def test_whoever_is_inside_is_waited_for_and_nobody_else_enters() -> None:
    native, is_inside, may_leave = Native(), threading.Event(), threading.Event()
    left: list[str] = []

    def run() -> None:
        with native:
            is_inside.set()
            may_leave.wait()
            left.append("run")

    def enter() -> None:
        with pytest.raises(SystemExit), native:
            left.append("entered")
        may_leave.set()

    first, second = threading.Thread(target=run), threading.Thread(target=enter)
    first.start()
    is_inside.wait()
    threading.Timer(0.1, second.start).start()

    native.end()

    assert left == ["run"]
    first.join()
    second.join()
    assert left == ["run"]


def test_the_thread_that_ends_the_process_may_still_enter() -> None:
    native = Native()
    native.end()

    with native:
        pass


def test_a_forked_child_begins_anew() -> None:
    native = Native()
    native.__enter__()

    native.reset_after_fork()

    native.end()


@pytest.mark.parametrize("role", ["endings.recall_to_the_end", "endings.drop", "endings.remember_much"])
def test_a_process_ends_well_whatever_its_threads_do(tmp_path: Path, role: str) -> None:
    with Child(role, tmp_path / "m.db") as child:
        kept = child.hear()

        assert child.end() == 0, child.errors()
        assert child.errors() == ""

    with Child("endings.count_kept", tmp_path / "m.db") as child:
        assert child.hear() == kept

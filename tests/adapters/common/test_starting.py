"""Work that nobody waits for: begun at once, counted when it fails, and finished by a flush."""

from __future__ import annotations

import threading
from pathlib import Path

from truekeep.adapters.common import FailOpen, Recording, Remembering, Spaces
from truekeep.errors import StoreError

from .places import kept, opened, patient, raising


class Box:
    """One thing that waits for a memory."""

    def __init__(self) -> None:
        self.waiting = 1

    def flush(self, spaces: Spaces) -> None:
        spaces.own().remember("The box was sent")
        self.waiting = 0


def test_work_that_is_started_is_done_while_the_caller_goes_on() -> None:
    guard, go_on, done = patient(), threading.Event(), threading.Event()

    def work() -> None:
        go_on.wait(30)
        done.set()

    guard.start(work)
    go_on.set()

    assert done.wait(30)
    assert guard.failures == 0
    guard.close()


def test_a_failure_of_started_work_is_counted() -> None:
    told = threading.Event()
    guard = FailOpen(deadline=60, on_error=lambda _: told.set())

    guard.start(raising(StoreError("broken on purpose")))

    assert told.wait(30)
    assert guard.failures == 1
    guard.close()


def test_a_flush_waits_for_what_another_thread_is_sending(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        remembering = Remembering(memory, recording=Recording(), guard=patient())
        for number in range(20):
            plan = remembering.plans.note(f"Message {number}", speaker="Ana", role="user")
            assert plan.work is not None
            remembering.guard.start(plan.work)

        assert remembering.flush()
        assert len(memory.items()) == 20


def test_a_flush_sends_what_was_entrusted(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        remembering = Remembering(memory, recording=Recording(mode=None), guard=patient())
        remembering.entrust(Box())

        assert remembering.flush()
    assert [item.content for item in kept(tmp_path)] == ["The box was sent"]

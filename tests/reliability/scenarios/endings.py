"""A script that ends right after it handed over a conversation, politely or not."""

from __future__ import annotations

import os
import signal
import threading
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from tests.reliability.child import Child
from tests.reliability.children import say
from truekeep import Memory
from truekeep.engine.runtime.upkeep import LEASE

from .handles import SPACE, opened

STATEMENT = "I prefer window seats on trains."
_STATEMENTS = [f"Crate {number} holds {7 * number} lamps for hall {number % 9}." for number in range(200)]
WAYS = ("return", "exit", "kill")


def hand_over(path: str, way: str) -> None:
    """In the child: extract without waiting, and end."""
    memory = opened(path, background=True)
    job = memory.extract([{"role": "user", "content": STATEMENT}], wait=False).job
    assert job is not None
    say(job.id)
    if way == "exit":
        os._exit(0)
    if way == "kill":
        os.kill(os.getpid(), signal.SIGKILL)


def violations(folder: Path, way: str, *, fault: str | None = None) -> list[str]:
    """What the next process lacks. Its clock is later: a job that was begun belongs to its process for a while."""
    path = folder / f"ended-{way}.db"
    with Child("endings.hand_over", path, way, fault=fault) as child:
        job = child.hear()
        child.rest()
    with opened(path, clock=lambda: datetime.now(UTC) + LEASE + timedelta(minutes=1)) as memory:
        memory.flush()
        kept = [item for item in memory.items() if "window seats" in item.content]
        try:
            state = memory.job(job).state
        except LookupError:
            state = "failed"
    found = [] if len(kept) == 1 else [f"the statement is there {len(kept)} times"]
    return found if state == "done" else [*found, f"the job is {state}"]


def remember_much(path: str) -> None:
    """In the child: end with verdicts and vectors of real models still to come."""
    memory = Memory(SPACE, at=path)
    for statement in _STATEMENTS:
        memory.remember(statement)
    say(len(_STATEMENTS))


def drop(path: str) -> None:
    """In the child: the same, with a memory that nobody holds any more: the background closes it."""
    Memory(SPACE, at=path).remember_many(_STATEMENTS)
    say(len(_STATEMENTS))


def recall_to_the_end(path: str) -> None:
    """In the child: end while threads that nobody waits for ask models, as a late call of an adapter does."""
    memory = Memory(SPACE, at=path)
    memory.remember_many(_STATEMENTS[:10])
    asked = threading.Barrier(4)

    def ask() -> None:
        for number in count():
            _ = memory.recall(f"How many lamps are in crate {number}?").answerable
            if not number:
                asked.wait()

    for _ in range(3):
        threading.Thread(target=ask, daemon=True).start()
    asked.wait()
    say(10)


def count_kept(path: str) -> None:
    """In the child that comes next."""
    say(Memory(SPACE, at=path).stats().items)

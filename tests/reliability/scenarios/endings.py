"""A script that ends right after it handed over a conversation, politely or not."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.reliability.child import Child
from tests.reliability.children import say
from truekeep.engine.upkeep import LEASE

from .handles import opened

STATEMENT = "I prefer window seats on trains."
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

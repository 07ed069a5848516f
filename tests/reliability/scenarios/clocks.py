"""A clock that jumps backwards."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from truekeep.testing.fakes import FixedClock

from .crowds import breaks
from .handles import damages, opened

JUMPS = (timedelta(0), timedelta(hours=-3), timedelta(days=-400), timedelta(minutes=1), timedelta(days=-1))


def violations_of_superseding(folder: Path) -> list[str]:
    """What was said last is current, whatever the clock showed when it was said."""
    path, clock = folder / "clock.db", FixedClock()
    found, ids = [], set()
    with opened(path, clock=clock) as memory:
        for number, jump in enumerate(JUMPS):
            clock.advance(jump)
            kept = memory.remember(f"the answer is number {number}", key="answer")
            ids.add(kept.id)
            current = [item.content for item in memory.items() if item.key == "answer"]
            if current != [f"the answer is number {number}"]:
                found.append(f"after jump {number} the current items are {current}")
            if [match.content for match in memory.recall("the answer is")] != current:
                found.append(f"after jump {number} recall finds another than {current}")
        history = memory.history(kept.id)
        versions = [memory.set("version", number) for number in range(3)]
    if len(ids) != len(JUMPS):
        found.append("an id was given twice")
    if [item.content for item in history] != [f"the answer is number {number}" for number in range(len(JUMPS))]:
        found.append(f"the history reads {[item.content for item in history]}")
    if any(one is None or two is None or one.version >= two.version for one, two in pairwise(versions)):
        found.append("versions of a value do not grow")
    return found + breaks(history) + damages(path)


def violations_of_expiry(folder: Path) -> list[str]:
    """A jump back neither erases early nor keeps for ever."""
    path, clock = folder / "mortal.db", FixedClock()
    found = []
    with opened(path, clock=clock) as memory:
        memory.remember("the kettle is on", ttl=timedelta(hours=1))
        memory.set("kettle", "on", ttl=timedelta(hours=1))
        for jump, there in ((-5, True), (5.5, True), (0.6, False)):
            clock.advance(timedelta(hours=jump))
            memory.flush()
            if bool(memory.recall("kettle")) is not there or (memory.get("kettle") == "on") is not there:
                found.append(f"at {clock.now}: {len(memory.items())} items, value {memory.get('kettle')!r}")
        clock.advance(timedelta(days=-2))
        if memory.recall("kettle"):
            found.append("what had expired came back with the clock")
        memory.remember("the kettle is on again", ttl=timedelta(hours=1))
        if len(memory.items()) != 1:
            found.append(f"{len(memory.items())} items after saying it again")
    return found + damages(path)

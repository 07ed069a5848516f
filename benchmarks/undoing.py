"""Going back: a checkpoint, what changed since, and a thousand of a hundred thousand items restored."""

from __future__ import annotations

from collections.abc import Iterator

from .measure import Check, Result, timed
from .workbench import Workbench

_ADDED, _CORRECTED = 800, 200


def undo(bench: Workbench) -> Iterator[Result]:
    """Of 1,000 changes, 800 are new items and 200 corrections; the others are not looked at, however many they are."""
    size = 100_000
    memory = bench.keep(bench.memory(bench.copy(bench.file(size), "undo"), background=True))
    memory.recall("warm up")
    named = timed(memory.checkpoint, [f"moment {number}" for number in range(5 if bench.quick else 20)])
    yield Result(case="checkpoint", items=size, timing=named)
    texts = bench.new_texts(0)
    memory.remember_many([{"content": text, "judged": False} for text in texts[:_ADDED]])
    memory.flush()
    for item in memory.items(limit=_CORRECTED, offset=_ADDED):
        memory.correct(item.id, f"{item.content}, rather")
    yield Result(case="diff, 1,000 changes", items=size, timing=timed(memory.diff, ["moment 0"] * 3))
    restored = timed(memory.restore, ["moment 0"])
    assert memory.diff("moment 0").is_empty
    check = Check(restored.wall_at(50), 2000, " ms")
    yield Result(case="restore, 1,000 changes", items=size, timing=restored, checks=[check])
    yield Result(case="restore, nothing to do", items=size, timing=timed(memory.restore, ["moment 0"] * 3))

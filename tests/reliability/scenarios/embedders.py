"""Embedders that hang or fail: the write stays, words answer, and meaning follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Thread
from unittest.mock import patch

from truekeep import Memory, assembly
from truekeep.engine.guarded_embedder import Guarded
from truekeep.testing.fakes import FailingEmbedder, HangingEmbedder

from .handles import SPACE, exported

PATIENCE = 60.0  # seconds; far beyond the deadline of a call


@contextmanager
def hurried() -> Iterator[list[float]]:
    """The same guard with a shorter deadline, and a rest that is over when the time in the list is moved."""
    time = [0.0]
    quick = partial(Guarded, deadline=timedelta(milliseconds=200), clock=lambda: time[0])
    with patch.object(assembly, "Guarded", quick):
        yield time


def violations(path: Path, embedder: FailingEmbedder | HangingEmbedder, *, patience: float = PATIENCE) -> list[str]:
    found: list[str] = []
    with hurried() as time:
        memory = Memory(SPACE, at=path, embedder=embedder, background=False)
        calls = {
            "remember": tried(lambda: memory.remember("the ferry leaves at nine"), patience),
            "remember_many": tried(
                lambda: memory.remember_many(["the harbour is old", "the lighthouse is red"]), patience
            ),
        }
        found += [f"{name} does not return" for name, thread in calls.items() if thread.is_alive()]
        recall = memory.recall("when does the ferry leave?") if not found else None
        if recall is not None and (not recall.degraded or recall[0].content != "the ferry leaves at nine"):
            found.append(f"words alone gave {recall}")
        _mend(embedder)
        time[0] += 60
        for thread in calls.values():
            thread.join()
        if not found:
            found += _meaning_follows(memory)
        memory.close()
    contents = [record["content"] for record in exported(path) if record["type"] == "item"]
    return found if len(contents) == 3 else [*found, f"{len(contents)} of 3 items are there"]


def tried(call: Callable[[], object], patience: float) -> Thread:
    """The thread that makes the call; alive, if the call has not come back although there was time enough."""
    thread = Thread(target=call, daemon=True)
    thread.start()
    thread.join(patience)
    return thread


def _mend(embedder: FailingEmbedder | HangingEmbedder) -> None:
    if isinstance(embedder, HangingEmbedder):
        embedder.release.set()
    else:
        embedder.broken = False


def _meaning_follows(memory: Memory) -> list[str]:
    memory.flush()
    recall = memory.recall("when does the ferry leave?")
    found = [f"{memory.stats().pending} vectors are still pending"] if memory.stats().pending else []
    return [*found, "recall is still degraded"] if recall.degraded else found

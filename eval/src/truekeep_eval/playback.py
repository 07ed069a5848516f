"""A memory in this process and nowhere else, on a clock that shows when what is told was said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from truekeep.errors import EmbedderError
from truekeep.memory import Memory

UNDATED = datetime(2026, 1, 1, 12, tzinfo=UTC)  # where a set has no dates; any will do, if always the same


class Clock:
    """As late as what is being said or asked."""

    def __init__(self, now: datetime = UNDATED) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


@contextmanager
def memory_at(clock: Clock, **settings: Any) -> Iterator[Memory]:
    """An empty memory with the settings that everybody begins with, but for those that are given."""
    with Memory("evaluation", at=":memory:", clock=clock, background=False, **settings) as memory:
        yield memory


def settle(memory: Memory) -> None:
    """Have all that was told taken in.

    Raises:
        EmbedderError: vectors could not be made; words alone would give figures that mean something else.
    """
    memory.flush()
    if pending := memory.stats().pending:
        raise EmbedderError(f"{pending} vectors could not be made; without them the figures would mislead")

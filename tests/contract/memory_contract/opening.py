"""What the contract asks of a backend: a way to open a memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Protocol

from hypothesis import HealthCheck

from truekeep.memory import Memory
from truekeep.model import Match, MemoryItem, Redact
from truekeep.ports import Embedder, Extractor

# One memory serves all examples, every class that inherits a test runs it, and a remote backend may be slow.
OF_A_CONTRACT = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow]
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class OpenMemory(Protocol):
    """Opens a space; every call within one test opens it on the same store.

    Without `background` all upkeep is done inside the calls that cause it. The default embedder is a fake one.
    """

    def __call__(
        self,
        space: str = "bot",
        *,
        clock: Callable[[], datetime] | None = None,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        background: bool = False,
        redact: Redact | None = None,
    ) -> Memory: ...


def contents(found: Iterable[Match | MemoryItem]) -> list[str]:
    return [one.content for one in found]

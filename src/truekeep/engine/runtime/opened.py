"""A store with all that serves its spaces in this process, for as many tenants and spaces as there are."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

from truekeep.engine.parts import Parts
from truekeep.errors import StoreError
from truekeep.model import Job

from .background import BACKGROUND
from .upkeep import Upkeep


class Opened:
    """The parts, the upkeep that they need, and the way to let go of both."""

    def __init__(self, parts: Parts, *, background: bool, release: Callable[[], None]) -> None:
        self.limits = parts.limits
        self._parts: Parts | None = parts
        self._release = release
        self.is_inline = not background  # nobody else does the upkeep
        self._upkeep = Upkeep(parts, serves=background)
        BACKGROUND.add(self._upkeep, thread=background)

    @property
    def parts(self) -> Parts:
        if self._parts is None:
            raise StoreError("this memory is closed; open it again with Memory(...)")
        if BACKGROUND.stopped:
            BACKGROUND.wake()
        return self._parts

    @property
    def failures(self) -> int:
        return self._upkeep.failures + sum(embedder.failures for embedder in self.parts.embedders)

    def heed_jobs(self, heed: Callable[[Job], None]) -> None:
        """From now on tell `heed` of each job that was done here."""
        self._upkeep.heed = heed

    def wake(self) -> None:
        """There is work: begin it, or do it now where there is no thread."""
        if self.is_inline:
            self._upkeep.drain(timedelta(minutes=10))
        else:
            self._upkeep.begin()
            BACKGROUND.wake()

    def flush(self, limit: timedelta) -> bool:
        """Do the waiting work now; whether all of it is done."""
        _ = self.parts  # a closed memory says so
        return BACKGROUND.drain(self._upkeep, limit)

    def abandon(self) -> None:
        """Called by the garbage collector when the handle was dropped without `close`: must not take a lock."""
        BACKGROUND.abandon(self.close)

    def leave(self, limit: timedelta) -> None:
        """Close without doing what waits: it is durable. What is being done is waited for within the limit."""
        parts, self._parts = self._parts, None
        if parts is not None:
            BACKGROUND.remove(self._upkeep, limit)
            self._release()

    def close(self) -> None:
        parts, self._parts = self._parts, None
        if parts is not None:
            deadline = time.monotonic() + parts.exit_limit.total_seconds()
            BACKGROUND.remove(self._upkeep, parts.exit_limit)
            self._upkeep.drain(timedelta(seconds=max(0.0, deadline - time.monotonic())), leaving=True)
            self._release()

"""A store with all that serves its spaces in this process, for as many tenants and spaces as there are.

One daemon thread a process does the upkeep of all that is open, with a door for doing it inline.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import timedelta

import truekeep.native  # noqa: F401  # first: its end comes after ours, which still runs models
from truekeep.engine.parts import Parts
from truekeep.errors import StoreError, described
from truekeep.model import Job

from .upkeep import Upkeep

log = logging.getLogger(__name__)

_IDLE = 2.0  # seconds between two rounds when nothing wakes the thread


class Background:
    """The thread, started with the first upkeep and ended with the last."""

    def __init__(self) -> None:
        self._upkeeps: list[Upkeep] = []  # all that are open
        self._threaded: set[Upkeep] = set()  # those that the thread serves
        self._abandoned: deque[Callable[[], None]] = deque()
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._round = threading.Lock()  # held while a round runs: nobody closes a store under it
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self.stopped = False  # by a fork, while there is work for it

    def reset_after_fork(self) -> None:
        """In the child: the thread is gone; a new one starts with the next call of any memory."""
        self._reset()
        self.stopped = bool(self._threaded)
        for upkeep in self._upkeeps:
            upkeep.reset_after_fork()
            for embedder in upkeep.parts.embedders:
                embedder.reset_after_fork()
            upkeep.parts.judge.reset_after_fork()

    def add(self, upkeep: Upkeep, *, thread: bool) -> None:
        """Take on an upkeep; without `thread` only its drain at exit."""
        self.close_abandoned()
        with self._lock:
            self._upkeeps.append(upkeep)
            if thread:
                self._threaded.add(upkeep)
        if thread:
            self.wake()

    def remove(self, upkeep: Upkeep, limit: timedelta) -> None:
        """Let go of an upkeep; a round that has begun may still use it and is waited for within the limit."""
        with self._lock:
            self._upkeeps = [other for other in self._upkeeps if other is not upkeep]
            self._threaded.discard(upkeep)
        if self._round.acquire(timeout=limit.total_seconds()):
            self._round.release()
        self._wake.set()

    def abandon(self, close: Callable[[], None]) -> None:
        """Close it later, in a thread that holds no lock: the garbage collector calls this anywhere."""
        self._abandoned.append(close)

    def close_abandoned(self) -> None:
        while self._abandoned:
            try:
                self._abandoned.popleft()()
            except Exception as error:  # nobody is left to tell, and the thread must go on
                log.error("closing a memory that was dropped without close() failed: %s", described(error))

    def wake(self) -> None:
        self.stopped = False
        with self._lock:
            if self._thread is None and self._threaded:
                self._thread = threading.Thread(target=self._loop, name="truekeep-upkeep", daemon=True)
                self._thread.start()
        self._wake.set()

    def _loop(self) -> None:
        more = True
        while True:
            if not more:
                self._wake.wait(_IDLE)
            self._wake.clear()
            self.close_abandoned()
            with self._lock:
                upkeeps = list(self._threaded)
                if not upkeeps:
                    self._thread = None
                    return
            more = False
            for upkeep in upkeeps:
                with self._round:
                    if upkeep in self._threaded:
                        more |= upkeep.run()

    def drain(self, upkeep: Upkeep, limit: timedelta, *, leaving: bool = False) -> bool:
        """Finish what is waiting; whether all is done. What the thread has begun is waited for, too."""
        seconds = min(limit.total_seconds(), threading.TIMEOUT_MAX)
        deadline = time.monotonic() + seconds
        if not self._round.acquire(timeout=seconds):
            return False
        try:
            return upkeep.drain(timedelta(seconds=max(0.0, deadline - time.monotonic())), leaving=leaving)
        finally:
            self._round.release()

    def at_exit(self) -> None:
        """Drain everything within the limit; what remains is durable."""
        self.close_abandoned()
        with self._lock:
            upkeeps, self._upkeeps = self._upkeeps, []
            self._threaded.clear()
        limit = max((upkeep.parts.exit_limit for upkeep in upkeeps), default=timedelta(0)).total_seconds()
        deadline = time.monotonic() + limit
        for upkeep in upkeeps:
            self.drain(upkeep, timedelta(seconds=max(0.0, deadline - time.monotonic())), leaving=True)


BACKGROUND = Background()
atexit.register(lambda: BACKGROUND.at_exit())
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=lambda: BACKGROUND.reset_after_fork())


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

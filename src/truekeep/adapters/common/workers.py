"""`Workers`: a few daemon threads that wait for a memory, so that the host's threads need not."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from truekeep.patience import Call


class Job(Call[Any]):
    """One call: done by a worker, awaited by whoever asked, who stops waiting at the deadline."""

    def __init__(self, work: Callable[[], Any], *, until: float, tell: Callable[[], None]) -> None:
        super().__init__(work, tell=tell)
        self.until = until


class Workers:
    """At most so many threads, started as they are needed. Daemons: a memory that hangs never keeps a process alive."""

    def __init__(self, most: int, clock: Callable[[], float]) -> None:
        self._most = most
        self._clock = clock
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """No threads yet, or none any more in the child of a fork."""
        self._change = threading.Condition()
        self._waiting: deque[Job] = deque()
        self._running: set[Job] = set()
        self._threads = 0
        self._round = 0  # threads of an earlier one end

    def submit(self, job: Job) -> bool:
        """Whether somebody will do it; not when every thread hangs in a call that is past its deadline."""
        now = self._clock()
        with self._change:
            if sum(other.until <= now for other in self._running) >= self._most:
                return False
            self._waiting.append(job)
            if self._threads - len(self._running) < len(self._waiting):
                self._start_one()
            self._change.notify()
        return True

    def prepare(self) -> None:
        """Have one thread now: while the interpreter ends, none can be started any more."""
        with self._change, suppress(RuntimeError):  # too late for that
            if not self._threads:
                self._start_one()

    def _start_one(self) -> None:
        if self._threads >= self._most:
            return
        thread = threading.Thread(target=self._loop, args=(self._round,), name="truekeep-adapter", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # no more threads in this process: the others do it, or nobody does
            if not self._threads:
                raise
        else:
            self._threads += 1

    def _loop(self, round: int) -> None:
        while (job := self._next(round)) is not None:
            job.run()
            with self._change:
                self._running.discard(job)

    def _next(self, round: int) -> Job | None:
        with self._change:
            while True:
                while self._waiting:
                    job = self._waiting.popleft()
                    if self._clock() < job.until:  # nobody waits for the others any more
                        self._running.add(job)
                        return job
                if round != self._round:
                    self._threads -= 1
                    return None
                self._change.wait()

    def close(self) -> None:
        """End the threads, each after what it is doing; a later call starts new ones."""
        with self._change:
            self._round += 1
            self._change.notify_all()

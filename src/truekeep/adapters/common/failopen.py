"""`FailOpen`: a memory that fails, hangs or is gone never breaks the agent, and never does so unnoticed.

`Workers` are the few daemon threads that wait for it, so that the host's threads need not.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from truekeep.errors import (
    BackendError,
    ConfigurationError,
    Conflict,
    InvalidInput,
    NotFound,
    QuotaExceeded,
    StoreError,
    TruekeepError,
)
from truekeep.patience import Breaker, Call

log = logging.getLogger(__name__)

_T = TypeVar("_T")
_ANSWERS = (InvalidInput, NotFound, Conflict, QuotaExceeded)  # the memory is there, and said no


class FailOpen:
    """Runs calls of a memory in a few threads of its own, each with a deadline; when one fails, a default stands in.

    When all its threads hang, and while the memory rests after several failures in a row, calls fail at once. A call
    that came too late still completes: a write is never cut in half.

    Args:
        deadline: how many seconds a call may take.
        on_error: called with every error, in the thread of the caller.
        retry_after: how many seconds a memory rests before one call tries it again.
        tolerance: how many failures in a row send it to rest.
        threads: at most so many.
        clock: monotonic seconds; for tests.
    """

    def __init__(
        self,
        *,
        deadline: float = 2.0,
        on_error: Callable[[Exception], None] | None = None,
        retry_after: float = 30.0,
        tolerance: int = 3,
        threads: int = 4,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        for name, value in {"deadline": deadline, "tolerance": tolerance, "threads": threads}.items():
            if value <= 0:
                raise ConfigurationError(f"{name} must be more than 0, not {value}")
        self.deadline = deadline
        self._on_error = on_error
        self._clock = clock
        self._breaker = Breaker(tolerance=tolerance, retry_after=retry_after, clock=clock)
        self._workers = Workers(threads, clock)
        self._failures = 0
        self._is_new = True
        self._warned: set[type[Exception]] = set()
        self._lock = threading.Lock()
        _all.add(self)
        weakref.finalize(self, self._workers.close).atexit = False  # calls are still made while the process ends

    @property
    def failures(self) -> int:
        """How many calls ended with their default because of the memory."""
        return self._failures

    @property
    def is_new(self) -> bool:
        """Whether no call has come to an end yet."""
        return self._is_new

    @property
    def is_resting(self) -> bool:
        """Whether the memory failed so often that it is left alone for now."""
        return self._breaker.is_open

    def call(self, work: Callable[[], _T], default: _T, *, deadline: float | None = None) -> _T:
        """What `work` returns, or the default if it fails or takes too long."""
        limit = self.deadline if deadline is None else deadline
        done = threading.Event()
        job = Job(work, until=self._clock() + limit, tell=done.set)
        if not self._began(job):
            return default
        done.wait(limit)
        return self._settled(job, default, limit)

    async def awaited(self, work: Callable[[], _T], default: _T, *, deadline: float | None = None) -> _T:
        """The same for a coroutine: the event loop goes on meanwhile. Cancelling stops the waiting, not the work."""
        limit = self.deadline if deadline is None else deadline
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        job = Job(work, until=self._clock() + limit, tell=lambda: _wake(loop, done))
        if not self._began(job):
            return default
        await asyncio.wait([done], timeout=limit)
        return self._settled(job, default, limit)

    def start(self, work: Callable[[], object], *, deadline: float | None = None) -> None:
        """Have it done while the caller goes on; for callbacks that may not wait. A failure counts when it is known."""
        limit = self.deadline if deadline is None else deadline
        job = Job(work, until=self._clock() + limit, tell=lambda: self._settled(job, None, limit))
        self._began(job)

    def prepare(self) -> None:
        """Have a thread ready for calls that are made while the interpreter ends."""
        self._workers.prepare()

    def close(self) -> None:
        """End the threads that are idle; a later call starts new ones."""
        self._workers.close()

    def failed(self, error: BaseException) -> None:
        """Count an error, log it without any memory's text, and tell `on_error`."""
        if not isinstance(error, Exception):  # a SystemExit out of somebody's embedder, say
            error = StoreError(f"the memory failed with {type(error).__name__}")
        with self._lock:
            self._failures += 1
            is_first = type(error) not in self._warned
            self._warned.add(type(error))
        log.log(logging.WARNING if is_first else logging.DEBUG, "going on without memory: %s", _described(error))
        if self._on_error is None:
            return
        try:
            self._on_error(error)
        except Exception:  # the host's own function shall not break the host's agent either
            log.exception("on_error itself failed")

    def reset_after_fork(self) -> None:
        """In the child: the threads are gone, and a lock may have been held."""
        self._lock = threading.Lock()
        self._breaker.reset_after_fork()
        self._workers.reset_after_fork()

    def _began(self, job: Job) -> bool:
        if not self._breaker.admits():
            self.failed(StoreError("the memory failed several times and is not asked for a while", retryable=True))
            return False
        try:
            began = self._workers.submit(job)
        except RuntimeError:
            began = False
        if not began:
            self._breaker.failed()
            self.failed(StoreError("all threads that wait for the memory hang", retryable=True))
        return began

    def _settled(self, job: Job, default: _T, limit: float) -> _T:
        self._is_new = False
        if job.is_done and job.error is None:
            self._breaker.succeeded()
            value: _T = job.value
            return value
        error = job.error if job.is_done else None
        if isinstance(error, _ANSWERS):
            self._breaker.succeeded()
        else:
            self._breaker.failed()
        late = StoreError(f"the memory did not answer within {limit:g} s", retryable=True)
        self.failed(late if error is None else error)
        return default


def _wake(loop: asyncio.AbstractEventLoop, done: asyncio.Future[None]) -> None:
    def settle() -> None:
        if not done.done():
            done.set_result(None)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        log.debug("a call of the memory outlived the event loop that waited for it")


def _described(error: Exception) -> str:
    """What may be logged: messages of other errors can quote what somebody wanted remembered."""
    if isinstance(error, InvalidInput):
        return f"the call was wrong: {type(error).__name__} in {error.argument.partition('[')[0]!r}"
    if isinstance(error, BackendError | ConfigurationError | QuotaExceeded):
        return f"{type(error).__name__}: {error}"
    return type(error).__name__ if isinstance(error, TruekeepError) else f"unexpected {type(error).__name__}"


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


_all: weakref.WeakSet[FailOpen] = weakref.WeakSet()


def _reset_after_fork() -> None:
    for guard in _all:
        guard.reset_after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_reset_after_fork)

"""AsyncMemory: the methods of Memory, awaited. Each runs in a worker thread; a cancelled write still completes."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from datetime import datetime
from functools import partial, wraps
from itertools import islice
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar
from weakref import WeakKeyDictionary

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from .engine.admit import Limits
from .hints import hinting
from .memory import Memory, tell_at_once
from .model import Redact
from .ports import Embedder, Extractor, Judge

_P = ParamSpec("_P")
_T = TypeVar("_T")

# Of one handle in one event loop at once; a limiter of its own, so that it never starves the host's other workers.
THREADS = 16
_limiters: RunVar[WeakKeyDictionary[AsyncMemory, anyio.CapacityLimiter]] = RunVar("truekeep_limiters")


def _awaited(
    method: Callable[Concatenate[Memory, _P], _T],
) -> Callable[Concatenate[AsyncMemory, _P], Coroutine[Any, Any, _T]]:
    """The same method, with its signature, in a worker thread."""

    @wraps(method)
    async def run(self: AsyncMemory, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return await self._run(partial(method, self._memory), *args, **kwargs)

    run.__qualname__ = f"AsyncMemory.{method.__name__}"  # what help and tracebacks call it
    return run


@hinting
class AsyncMemory:
    """The same memory as `Memory`, with the same methods, to be awaited."""

    def __init__(
        self,
        space: str,
        *,
        at: str | os.PathLike[str] | None = None,
        key: str | None = None,
        embedder: Embedder | str | None = None,
        extractor: Extractor | str | None = None,
        judge: Judge | str | None = None,
        clock: Callable[[], datetime] | None = None,
        background: bool = True,
        limits: Limits | None = None,
        redact: Redact | None = None,
    ) -> None:
        self._memory = Memory(
            space,
            at=at,
            key=key,
            embedder=embedder,
            extractor=extractor,
            judge=judge,
            clock=clock,
            background=background,
            limits=limits,
            redact=redact,
        )
        tell_at_once(self._memory)

    @property
    def space(self) -> str:
        """The name of this memory."""
        return self._memory.space

    def __repr__(self) -> str:
        return f"Async{self._memory!r}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _run(self, method: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return await anyio.to_thread.run_sync(partial(method, *args, **kwargs), limiter=self._limiter())

    def _limiter(self) -> anyio.CapacityLimiter:
        """That of this handle in the running event loop: a limiter wakes its waiters in one loop only."""
        limiters = _limiters.get(None)
        if limiters is None:
            _limiters.set(limiters := WeakKeyDictionary())
        if self not in limiters:
            limiters[self] = anyio.CapacityLimiter(THREADS)
        return limiters[self]

    async def export(self) -> AsyncIterator[str]:
        """See `Memory.export`."""
        lines = self._memory.export()
        while chunk := await self._run(_some, lines):
            for line in chunk:
                yield line

    remember = _awaited(Memory.remember)
    remember_many = _awaited(Memory.remember_many)
    recall = _awaited(Memory.recall)
    context = _awaited(Memory.context)
    extract = _awaited(Memory.extract)
    job = _awaited(Memory.job)
    forget = _awaited(Memory.forget)
    checkpoint = _awaited(Memory.checkpoint)
    checkpoints = _awaited(Memory.checkpoints)
    drop_checkpoint = _awaited(Memory.drop_checkpoint)
    diff = _awaited(Memory.diff)
    restore = _awaited(Memory.restore)
    fork = _awaited(Memory.fork)
    review = _awaited(Memory.review)
    resolve = _awaited(Memory.resolve)
    release = _awaited(Memory.release)
    history = _awaited(Memory.history)
    correct = _awaited(Memory.correct)
    items = _awaited(Memory.items)
    page = _awaited(Memory.page)
    item = _awaited(Memory.item)
    changes = _awaited(Memory.changes)
    feed = _awaited(Memory.feed)
    acknowledge = _awaited(Memory.acknowledge)
    readers = _awaited(Memory.readers)
    drop_reader = _awaited(Memory.drop_reader)
    sessions = _awaited(Memory.sessions)
    explain = _awaited(Memory.explain)
    get = _awaited(Memory.get)
    value = _awaited(Memory.value)
    set = _awaited(Memory.set)
    append = _awaited(Memory.append)
    increment = _awaited(Memory.increment)
    delete = _awaited(Memory.delete)
    keys = _awaited(Memory.keys)
    stats = _awaited(Memory.stats)
    import_ = _awaited(Memory.import_)
    backup = _awaited(Memory.backup)
    flush = _awaited(Memory.flush)
    check = _awaited(Memory.check)
    close = _awaited(Memory.close)


def _some(lines: Iterator[str]) -> list[str]:
    return list(islice(lines, 256))  # a thread a line would cost more than the line

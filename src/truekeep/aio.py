"""AsyncMemory: the methods of Memory, awaited. Each runs in a worker thread; a cancelled write still completes."""

# mypy: disable-error-code="empty-body"
# What a method does is written in `Memory`; here it is its signature, so that editors and type checkers know it.

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar, cast
from weakref import WeakKeyDictionary

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from .engine.admit import Limits
from .hints import hinting
from .memory import Memory, Messages
from .model import (
    JSON,
    Changes,
    Explanation,
    Extraction,
    Imported,
    Job,
    Keep,
    MemoryItem,
    Order,
    Page,
    Recall,
    Receipt,
    Redact,
    Remembered,
    Review,
    Session,
    Source,
    Stats,
    Suspicion,
    Trust,
    Value,
)
from .ports import Embedder, Extractor, Judge

_F = TypeVar("_F", bound=Callable[..., Any])
_P = ParamSpec("_P")
_T = TypeVar("_T")

# Of one handle in one event loop at once; a limiter of its own, so that it never starves the host's other workers.
THREADS = 16
_limiters: RunVar[WeakKeyDictionary[AsyncMemory, anyio.CapacityLimiter]] = RunVar("truekeep_limiters")


def _awaited(method: _F) -> _F:
    """The method of this name of `Memory`, in a worker thread. The signature says all that there is to say here."""
    name = method.__name__

    @wraps(method)
    async def run(self: AsyncMemory, *args: Any, **kwargs: Any) -> Any:
        return await self._run(getattr(self._memory, name), *args, **kwargs)

    return cast(_F, run)


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

    @_awaited
    async def remember(
        self,
        content: str,
        *,
        kind: str | None = None,
        tags: Collection[str] = (),
        metadata: Mapping[str, JSON] | None = None,
        session: str | None = None,
        speaker: str | None = None,
        source: Source | str | None = None,
        key: str | None = None,
        ttl: timedelta | float | None = None,
        pinned: bool = False,
        when: datetime | None = None,
        idempotency_key: str | None = None,
        derived: bool = False,
        judged: bool = True,
    ) -> Remembered:
        """See `Memory.remember`."""

    @_awaited
    async def remember_many(self, items: Iterable[str | Mapping[str, Any]]) -> list[Remembered]:
        """See `Memory.remember_many`."""

    @_awaited
    async def recall(
        self,
        query: str,
        *,
        limit: int = 5,
        kinds: Collection[str] | None = None,
        tags: Collection[str] | None = None,
        session: str | None = None,
        speaker: str | None = None,
        source: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        min_similarity: float = 0.0,
        min_trust: Trust | None = None,
        include_superseded: bool = False,
        order: Order = "best",
    ) -> Recall:
        """See `Memory.recall`."""

    @_awaited
    async def context(
        self,
        query: str,
        *,
        max_tokens: int = 1000,
        limit: int = 20,
        template: str = "default",
        count_tokens: Callable[[str], int] | None = None,
        **filters: Any,
    ) -> str:
        """See `Memory.context`."""

    @_awaited
    async def extract(
        self,
        messages: Messages,
        *,
        session: str | None = None,
        wait: bool = True,
        idempotency_key: str | None = None,
    ) -> Extraction:
        """See `Memory.extract`."""

    @_awaited
    async def job(self, id: str) -> Job:
        """See `Memory.job`."""

    @_awaited
    async def forget(
        self,
        id: str | None = None,
        *,
        kinds: Collection[str] | None = None,
        tags: Collection[str] | None = None,
        session: str | None = None,
        speaker: str | None = None,
        source: str | None = None,
        before: datetime | None = None,
        everything: bool = False,
    ) -> Receipt:
        """See `Memory.forget`."""

    @_awaited
    async def review(self, *, limit: int = 100) -> Review:
        """See `Memory.review`."""

    @_awaited
    async def resolve(self, suspicion: Suspicion | str, *, keep: Keep) -> Suspicion:
        """See `Memory.resolve`."""

    @_awaited
    async def release(self, id: str) -> MemoryItem:
        """See `Memory.release`."""

    @_awaited
    async def history(self, id: str) -> list[MemoryItem]:
        """See `Memory.history`."""

    @_awaited
    async def correct(
        self,
        id: str,
        content: str | None = None,
        *,
        kind: str | None = None,
        tags: Collection[str] | None = None,
        metadata: Mapping[str, JSON] | None = None,
        pinned: bool | None = None,
        ttl: timedelta | float | None = None,
        idempotency_key: str | None = None,
    ) -> MemoryItem:
        """See `Memory.correct`."""

    @_awaited
    async def items(self, *, limit: int = 100, offset: int = 0, **filters: Any) -> list[MemoryItem]:
        """See `Memory.items`."""

    @_awaited
    async def page(self, *, limit: int = 100, cursor: str | None = None, **filters: Any) -> Page:
        """See `Memory.page`."""

    @_awaited
    async def item(self, id: str) -> MemoryItem:
        """See `Memory.item`."""

    @_awaited
    async def changes(self, after: int = 0, *, limit: int = 1000) -> Changes:
        """See `Memory.changes`."""

    @_awaited
    async def sessions(self) -> list[Session]:
        """See `Memory.sessions`."""

    @_awaited
    async def explain(self, query: str, id: str | None = None, *, limit: int = 5, **filters: Any) -> list[Explanation]:
        """See `Memory.explain`."""

    @_awaited
    async def get(self, key: str, default: Any = None) -> Any:
        """See `Memory.get`."""

    @_awaited
    async def value(self, key: str) -> Value | None:
        """See `Memory.value`."""

    @_awaited
    async def set(
        self,
        key: str,
        value: JSON,
        *,
        ttl: timedelta | float | None = None,
        if_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> Value | None:
        """See `Memory.set`."""

    @_awaited
    async def append(self, key: str, element: JSON, *, idempotency_key: str | None = None) -> Value:
        """See `Memory.append`."""

    @_awaited
    async def increment(self, key: str, by: float = 1, *, idempotency_key: str | None = None) -> Value:
        """See `Memory.increment`."""

    @_awaited
    async def delete(self, key: str) -> bool:
        """See `Memory.delete`."""

    @_awaited
    async def keys(self) -> list[str]:
        """See `Memory.keys`."""

    @_awaited
    async def stats(self) -> Stats:
        """See `Memory.stats`."""

    @_awaited
    async def import_(self, lines: Iterable[str] | Path) -> Imported:
        """See `Memory.import_`."""

    @_awaited
    async def backup(self, target: str | os.PathLike[str]) -> None:
        """See `Memory.backup`."""

    @_awaited
    async def flush(self, limit: timedelta | float = 60) -> bool:
        """See `Memory.flush`."""

    @_awaited
    async def check(self) -> list[str]:
        """See `Memory.check`."""

    @_awaited
    async def close(self) -> None:
        """See `Memory.close`."""


def _some(lines: Iterator[str]) -> list[str]:
    return list(islice(lines, 256))  # a thread a line would cost more than the line

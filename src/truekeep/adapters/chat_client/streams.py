"""Streams that pass every chunk on as it comes, and have the exchange kept when they end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import TracebackType
from typing import Any, Self

from .exchange import Exchange

_Kind = type[BaseException] | None


class HeardStream:
    """A client's stream, and all that it can do."""

    def __init__(self, stream: Any, exchange: Exchange, keep: Callable[[bool], None]) -> None:
        self._stream = stream
        self._chunks: Iterator[Any] = iter(stream)
        self._exchange = exchange
        self._keep: Callable[[bool], None] | None = keep

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        try:
            chunk = next(self._chunks)
        except StopIteration:
            self._end(whole=True)
            raise
        self._exchange.hear(chunk)
        return chunk

    def __enter__(self) -> Self:
        self._stream.__enter__()
        return self

    def __exit__(self, kind: _Kind, error: BaseException | None, trace: TracebackType | None) -> Any:
        self._end(whole=False)
        return self._stream.__exit__(kind, error, trace)

    def close(self) -> None:
        """Hang up before the reply is complete."""
        self._stream.close()
        self._end(whole=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _end(self, *, whole: bool) -> None:
        keep, self._keep = self._keep, None
        if keep is not None:
            keep(whole)


class AsyncHeardStream:
    """The same for an asynchronous client."""

    def __init__(self, stream: Any, exchange: Exchange, keep: Callable[[bool], Awaitable[None]]) -> None:
        self._stream = stream
        self._chunks: AsyncIterator[Any] = aiter(stream)
        self._exchange = exchange
        self._keep: Callable[[bool], Awaitable[None]] | None = keep

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            chunk = await anext(self._chunks)
        except StopAsyncIteration:
            await self._end(whole=True)
            raise
        self._exchange.hear(chunk)
        return chunk

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, kind: _Kind, error: BaseException | None, trace: TracebackType | None) -> Any:
        await self._end(whole=False)
        return await self._stream.__aexit__(kind, error, trace)

    async def close(self) -> None:
        """Hang up before the reply is complete."""
        await self._stream.close()
        await self._end(whole=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def _end(self, *, whole: bool) -> None:
        keep, self._keep = self._keep, None
        if keep is not None:
            await keep(whole)

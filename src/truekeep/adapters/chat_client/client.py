"""`with_memory`: a client like the one that it is given, whose calls recall and record.

Where a reply is streamed, every chunk is passed on as it comes, and the exchange is kept when the stream ends.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from truekeep.adapters.common import FailOpen, Recalling, Recording, Remembering, Spaces
from truekeep.errors import ConfigurationError
from truekeep.memory import Memory

from .exchange import WIRES, Exchange, Inject, Wire

_C = TypeVar("_C")
_Kind = type[BaseException] | None
_COPIES = ("with_options", "copy")  # these make another client, which shall remember as well


def with_memory(
    client: _C,
    memory: Memory | Spaces | Remembering | str,
    *,
    conversation: str | None = None,
    inject: Inject = "user",
    recalling: Recalling | None = None,
    recording: Recording | None = None,
    guard: FailOpen | None = None,
) -> _C:
    """A client for an OpenAI-shaped API that remembers: use it like the one you have, which stays as it is.

    `chat.completions.create` and `parse`, `responses.create` and `parse` show the model what the memory has to say, and
    record what was said, also when they stream; all else is passed on. Your own list of messages is never changed, so
    nothing that was recalled is stored again. No failure of the memory makes a call fail.

    Args:
        client: `OpenAI()`, `AsyncOpenAI()`, or any client with such methods.
        memory: a `Memory`, for reading and writing; `Spaces(...)`; the name of a space; or a `Remembering`, which may
            serve several clients and conversations.
        conversation: the name of the conversation, so that another process goes on with it; without one it is a new
            one. Give each conversation a client of its own: they cost nothing.
        inject: "user" puts what is recalled above the last user message, so that prompt caches keep what comes before
            (where the service would keep it in a conversation of its own, into `instructions`); "system" puts it into
            the system message, or into one in front.
        recalling: what of the memory enters a prompt.
        recording: what of the conversation is kept.
        guard: how failures are met.
    """
    if inject not in ("system", "user"):
        raise ConfigurationError(f"what is recalled is injected as 'system' or 'user', not {inject!r}")
    if not isinstance(memory, Remembering):
        memory = Remembering(memory, recalling=recalling, recording=recording, guard=guard)
    elif (recalling, recording, guard) != (None, None, None):
        raise ConfigurationError("a Remembering knows already how to recall and record; say it there")
    return cast(_C, _Remembering(client, _Memory(memory, conversation, inject), ""))


@dataclass(frozen=True, slots=True)
class _Memory:
    """How the calls of one client remember."""

    remembering: Remembering
    conversation: str | None
    inject: Inject

    def call(self, real: Callable[..., Any], wire: Wire) -> Callable[..., Any]:
        """The same call with a memory, to be awaited if the real one is."""
        is_async = inspect.iscoroutinefunction(inspect.unwrap(real))
        return wraps(real)(partial(self._awaited if is_async else self._called, real, wire))

    def _exchange(self, wire: Wire, arguments: dict[str, Any]) -> Exchange:
        return Exchange(self.remembering, wire, arguments, conversation=self.conversation, inject=self.inject)

    def _called(self, real: Callable[..., Any], wire: Wire, /, *args: Any, **arguments: Any) -> Any:
        exchange, run = self._exchange(wire, arguments), self.remembering.run
        result = real(*args, **exchange.arguments(run(exchange.before())))
        if inspect.isawaitable(result):  # its function did not look like a coroutine function
            return self._finished(result, exchange)
        if exchange.is_streamed:
            return HeardStream(result, exchange, lambda whole: run(exchange.after(whole=whole)))
        exchange.answered(result)
        run(exchange.after())
        return result

    async def _awaited(self, real: Callable[..., Any], wire: Wire, /, *args: Any, **arguments: Any) -> Any:
        exchange = self._exchange(wire, arguments)
        block = await self.remembering.aio.run(exchange.before())
        return await self._finished(real(*args, **exchange.arguments(block)), exchange)

    async def _finished(self, begun: Awaitable[Any], exchange: Exchange) -> Any:
        result, run = await begun, self.remembering.aio.run
        if exchange.is_streamed:
            return AsyncHeardStream(result, exchange, lambda whole: run(exchange.after(whole=whole)))
        exchange.answered(result)
        await run(exchange.after())
        return result


class _Remembering:
    """Stands in front of a client, or of one of its parts, and passes on what it does not know."""

    def __init__(self, real: Any, memory: _Memory, place: str) -> None:
        self._real = real
        self._memory = memory
        self._place = place

    @property  # type: ignore[misc]  # whoever asks whether this is an OpenAI client shall be told so
    def __class__(self) -> Any:
        return type(self._real)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        place = f"{self._place}.{name}".lstrip(".")
        if place in WIRES:
            return self._memory.call(found, WIRES[place])
        if any(call.startswith(f"{place}.") for call in WIRES):
            return _Remembering(found, self._memory, place)
        return self._copying(found) if place in _COPIES else found

    def _copying(self, copy: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **options: _Remembering(copy(*args, **options), self._memory, "")

    def __repr__(self) -> str:
        return f"{self._real!r} with a memory"

    def __enter__(self) -> Any:
        self._real.__enter__()
        return self

    def __exit__(self, kind: _Kind, error: BaseException | None, trace: TracebackType | None) -> Any:
        return self._real.__exit__(kind, error, trace)

    async def __aenter__(self) -> Any:
        await self._real.__aenter__()
        return self

    async def __aexit__(self, kind: _Kind, error: BaseException | None, trace: TracebackType | None) -> Any:
        return await self._real.__aexit__(kind, error, trace)


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

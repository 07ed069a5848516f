"""One call of a model: what is recalled for it, what was heard, and what of it is kept.

Where the reply is streamed, every chunk is passed on as it comes, and the exchange is kept when the stream ends.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import TracebackType
from typing import Any, Self

from truekeep.adapters.common import Plan, Remembering
from truekeep.adapters.common.adapter import shielded
from truekeep.adapters.common.plans import NOTHING
from truekeep.adapters.common.speech import last_told

from .wires import Arguments, Inject, Wire, plain

_Kind = type[BaseException] | None


class Exchange:
    """Says what is to be done before and after a call; others do it, waiting or awaiting. Nothing here raises."""

    def __init__(
        self,
        remembering: Remembering,
        wire: Wire,
        arguments: Arguments,
        *,
        conversation: str | None,
        inject: Inject,
    ) -> None:
        self._remembering = remembering
        self._wire = wire
        # What can be read only once is read here, for the call as well.
        self._arguments = {name: [*one] if isinstance(one, Iterator) else one for name, one in arguments.items()}
        self._conversation = conversation
        self._inject = inject
        self._heard: list[str] = []
        self._messages: list[Any] = []
        with shielded(remembering.guard):
            self._messages = [plain(message) for message in wire.messages(self._arguments)]

    @property
    def is_streamed(self) -> bool:
        return self._arguments.get("stream") is True

    def before(self) -> Plan[str]:
        """What has to be asked of the memory; nothing where nobody said anything."""
        with shielded(self._remembering.guard):
            query = last_told(self._messages)
            if query:
                return self._remembering.plans.block(query, seen=self._messages, conversation=self._conversation)
        return Plan(None, "")

    def arguments(self, block: str) -> Arguments:
        """Those of the call, with the block where the model sees it and the caller does not."""
        with shielded(self._remembering.guard):
            if block:
                return self._wire.shown(self._arguments, block, self._inject)
        return self._arguments

    def hear(self, chunk: Any) -> None:
        """Another piece of the reply."""
        with shielded(self._remembering.guard):
            self._heard.append(self._wire.piece(chunk))

    def answered(self, result: Any) -> None:
        """The whole reply."""
        with shielded(self._remembering.guard):
            self._heard = [self._wire.reply(result)]

    def after(self, *, whole: bool = True) -> Plan[None]:
        """What is to be kept. A reply that was cut off is not what the model had to say."""
        with shielded(self._remembering.guard):
            reply = "".join(self._heard) if whole else ""
            said = [*self._messages, {"role": "assistant", "content": reply}]
            plans = self._remembering.plans
            if not self._wire.is_continued(self._arguments):
                return plans.record(said, conversation=self._conversation)
            noted = [plans.note(message, conversation=self._conversation) for message in said]
            return next((plan for plan in reversed(noted) if plan.work), NOTHING)
        return NOTHING


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

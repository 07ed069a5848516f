"""`Remembering`: all that a framework's adapter needs of a memory, failing open, for sync and async code."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, TypeVar
from weakref import WeakSet

from truekeep.lazy import lazy
from truekeep.memory import Memory
from truekeep.model import Recall

from .failopen import FailOpen
from .plans import Outbox, Plan, Plans, Recalling
from .recorder import Recording
from .spaces import Spaces
from .tools import Tools

_T = TypeVar("_T")
FIRST_CALL = 10.0  # seconds; in a small container the model takes a while to load
EXIT_LIMIT = 5.0  # seconds that the end of a process waits for what is not kept yet


class Remembering:
    """An agent's memory as its adapter sees it: no method raises, none takes longer than the deadline.

    Args:
        memory: a `Memory`, for reading and writing; `Spaces(...)`; or the name of a space.
        recalling: what of it enters a prompt.
        recording: what of a conversation is kept.
        conversation: the name of the conversation where a call gives none; without one it is a new one.
        guard: how failures are met; one guard may serve several agents.
    """

    def __init__(
        self,
        memory: Memory | Spaces | str,
        *,
        recalling: Recalling | None = None,
        recording: Recording | None = None,
        conversation: str | None = None,
        guard: FailOpen | None = None,
    ) -> None:
        self.spaces = Spaces.of(memory)
        self.guard = guard or FailOpen()
        self.owns_spaces = isinstance(memory, str)
        self.owns_guard = guard is None
        self.plans = Plans(
            self.spaces,
            recalling=recalling or Recalling(),
            recording=recording or Recording(),
            conversation=conversation,
            prepare=self.guard.prepare,
        )
        if self.plans.recording.mode is not None:
            _watch_exit()
            _recording.add(self)

    @lazy
    def aio(self) -> AsyncRemembering:
        """The same methods, to be awaited."""
        return AsyncRemembering(self)

    @lazy
    def tools(self) -> Tools:
        """`remember`, `recall` and `forget` for a model."""
        return Tools(self.plans, run=self.run, wait=self.aio.run)

    @property
    def failures(self) -> int:
        """How often the agent went on without its memory."""
        return self.guard.failures

    @property
    def deadline(self) -> float:
        """How many seconds the next call may take: the first one on a store of our own also loads the model."""
        is_slow = self.guard.is_new and not self.spaces.is_served
        return max(self.guard.deadline, FIRST_CALL) if is_slow else self.guard.deadline

    @property
    def conversation(self) -> str:
        """The name of the conversation where a call gives none."""
        return self.plans.conversation

    def block(self, query: object, *, seen: Iterable[object] = (), conversation: str | None = None) -> str:
        """What the memory has to say about a message, fenced, under its heading; empty when it has nothing.

        From turn to turn of a conversation it changes little: what is still good enough stays. A message that says
        nothing ("ok", "/compact") recalls nothing new.

        Args:
            query: what the agent is about to answer: text, or a message of any shape.
            seen: messages that are in the prompt already; their record is not repeated.
            conversation: its name; without one, the messages that are seen tell which one it is.
        """
        return self.run(self.plans.block(query, seen, conversation))

    def recall(self, query: object, *, limit: int = 5, **filters: Any) -> Recall:
        """What the read scopes know about it; empty when the memory fails. Filters as for `Memory.recall`."""
        return self.run(self.plans.recall(query, limit, filters))

    def on_memory(self, verb: Callable[[Memory], _T], default: _T) -> _T:
        """What `verb` makes of the memory that is written to; the default when it fails, or when there is none."""
        return self.run(self.plans.on_memory(verb, default))

    def note(
        self,
        message: object,
        *,
        speaker: str | None = None,
        role: str | None = None,
        id: str | None = None,
        conversation: str | None = None,
    ) -> None:
        """Record the next message of a conversation; see `Recorder.note`."""
        self.run(self.plans.note(message, speaker=speaker, role=role, id=id, conversation=conversation))

    def record(self, messages: Sequence[object], *, conversation: str | None = None) -> None:
        """Record a history from its beginning, as far as it is not recorded yet."""
        self.run(self.plans.record(messages, conversation))

    def rewind(self, conversation: str | None = None) -> None:
        """The framework is about to replay the conversation to `note` from its beginning."""
        self.run(self.plans.rewind(conversation))

    def flush(self, limit: float = 10.0) -> bool:
        """Keep what is not kept yet and finish the waiting work; whether all is done within so many seconds."""
        return self.run(self.plans.flush(limit), deadline=limit)

    def close(self, limit: float = 10.0) -> None:
        """Flush, and release what was opened here. Deletes nothing, and a memory that was handed over stays open."""
        self.run(self.plans.close(limit, release=self.owns_spaces), deadline=limit)
        if self.owns_guard:
            self.guard.close()

    def entrust(self, outbox: Outbox) -> None:
        """Let `flush`, `close` and the end of the process send also what waits there."""
        self.plans.outboxes.append(outbox)
        _watch_exit()
        _recording.add(self)

    def run(self, plan: Plan[_T], *, deadline: float | None = None) -> _T:
        """Carry out a plan, with its default if the memory fails."""
        if plan.work is None:
            return plan.default
        return self.guard.call(plan.work, plan.default, deadline=deadline or self.deadline)


class AsyncRemembering:
    """The methods of `Remembering`, to be awaited. A call that is cancelled still completes."""

    def __init__(self, remembering: Remembering) -> None:
        self._remembering = remembering
        self._plans = remembering.plans

    async def block(self, query: object, *, seen: Iterable[object] = (), conversation: str | None = None) -> str:
        """See `Remembering.block`."""
        return await self.run(self._plans.block(query, seen, conversation))

    async def recall(self, query: object, *, limit: int = 5, **filters: Any) -> Recall:
        """See `Remembering.recall`."""
        return await self.run(self._plans.recall(query, limit, filters))

    async def on_memory(self, verb: Callable[[Memory], _T], default: _T) -> _T:
        """See `Remembering.on_memory`."""
        return await self.run(self._plans.on_memory(verb, default))

    async def note(
        self,
        message: object,
        *,
        speaker: str | None = None,
        role: str | None = None,
        id: str | None = None,
        conversation: str | None = None,
    ) -> None:
        """See `Remembering.note`."""
        await self.run(self._plans.note(message, speaker=speaker, role=role, id=id, conversation=conversation))

    async def record(self, messages: Sequence[object], *, conversation: str | None = None) -> None:
        """See `Remembering.record`."""
        await self.run(self._plans.record(messages, conversation))

    async def rewind(self, conversation: str | None = None) -> None:
        """See `Remembering.rewind`."""
        await self.run(self._plans.rewind(conversation))

    async def flush(self, limit: float = 10.0) -> bool:
        """See `Remembering.flush`."""
        return await self.run(self._plans.flush(limit), deadline=limit)

    async def close(self, limit: float = 10.0) -> None:
        """See `Remembering.close`."""
        remembering = self._remembering
        await self.run(self._plans.close(limit, release=remembering.owns_spaces), deadline=limit)
        if remembering.owns_guard:
            remembering.guard.close()

    async def run(self, plan: Plan[_T], *, deadline: float | None = None) -> _T:
        """See `Remembering.run`."""
        if plan.work is None:
            return plan.default
        remembering = self._remembering
        return await remembering.guard.awaited(plan.work, plan.default, deadline=deadline or remembering.deadline)


def memory_tools(memory: Memory | Spaces | Remembering | str) -> Tools:
    """Tools on a memory, on several spaces, or on what an adapter holds already."""
    return memory.tools if isinstance(memory, Remembering) else Remembering(memory).tools


_recording: WeakSet[Remembering] = WeakSet()


@cache
def _watch_exit() -> None:
    # Imported first, so that its own end comes after ours and does the work that we leave it.
    from truekeep.engine.runtime import background  # noqa: F401

    atexit.register(_at_exit)


def _at_exit() -> None:
    for remembering in list(_recording):
        if remembering.plans.waiting:
            remembering.flush(EXIT_LIMIT)

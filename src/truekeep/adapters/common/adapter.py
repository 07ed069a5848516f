"""What every adapter is made of: an agent's memory that fails open, for sync and async code, and how it lets go of it.

`Current` is for functions that say whose memory it is, `shielded` for what must not break the agent, `MissingFramework`
for where the framework is not there.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar
from weakref import WeakSet

from truekeep.errors import ConfigurationError
from truekeep.extras import to_install
from truekeep.lazy import lazy
from truekeep.memory import Memory

from .failopen import FailOpen
from .plans import Outbox, Plan, Plans, Recalling
from .recorder import Recording
from .spaces import Spaces
from .tools import Tools

_P = ParamSpec("_P")
_T = TypeVar("_T")
FIRST_CALL = 10.0  # seconds; in a small container the model takes a while to load
EXIT_LIMIT = 5.0  # seconds that the end of a process waits for what is not kept yet


def _called(verb: Callable[Concatenate[Plans, _P], Plan[_T]]) -> Callable[Concatenate[Remembering, _P], _T]:
    """The verb of `Remembering` that carries out such a plan."""

    @wraps(verb)
    def call(self: Remembering, /, *given: _P.args, **named: _P.kwargs) -> _T:
        return self.run(verb(self.plans, *given, **named))

    return call


def _awaited(
    verb: Callable[Concatenate[Plans, _P], Plan[_T]],
) -> Callable[Concatenate[AsyncRemembering, _P], Coroutine[Any, Any, _T]]:
    """The same for `AsyncRemembering`."""

    @wraps(verb)
    async def call(self: AsyncRemembering, /, *given: _P.args, **named: _P.kwargs) -> _T:
        return await self.run(verb(self.plans, *given, **named))

    return call


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

    block = _called(Plans.block)
    recall = _called(Plans.recall)
    on_memory = _called(Plans.on_memory)
    note = _called(Plans.note)
    record = _called(Plans.record)
    rewind = _called(Plans.rewind)
    flush = _called(Plans.flush)

    def close(self, limit: float = 10.0) -> None:
        """Flush, and release what was opened here. Deletes nothing, and a memory that was handed over stays open."""
        self.run(self.plans.close(limit, release=self.owns_spaces))
        if self.owns_guard:
            self.guard.close()

    def entrust(self, outbox: Outbox) -> None:
        """Let `flush`, `close` and the end of the process send also what waits there."""
        self.plans.outboxes.append(outbox)
        _watch_exit()
        _recording.add(self)

    def run(self, plan: Plan[_T]) -> _T:
        """Carry out a plan, with its default if the memory fails."""
        if plan.work is None:
            return plan.default
        return self.guard.call(plan.work, plan.default, deadline=plan.deadline or self.deadline)


class AsyncRemembering:
    """The methods of `Remembering`, to be awaited. A call that is cancelled still completes."""

    def __init__(self, remembering: Remembering) -> None:
        self._remembering = remembering
        self.plans = remembering.plans

    block = _awaited(Plans.block)
    recall = _awaited(Plans.recall)
    on_memory = _awaited(Plans.on_memory)
    note = _awaited(Plans.note)
    record = _awaited(Plans.record)
    rewind = _awaited(Plans.rewind)
    flush = _awaited(Plans.flush)

    async def close(self, limit: float = 10.0) -> None:
        """See `Remembering.close`."""
        remembering = self._remembering
        await self.run(self.plans.close(limit, release=remembering.owns_spaces))
        if remembering.owns_guard:
            remembering.guard.close()

    async def run(self, plan: Plan[_T]) -> _T:
        """See `Remembering.run`."""
        if plan.work is None:
            return plan.default
        remembering = self._remembering
        return await remembering.guard.awaited(plan.work, plan.default, deadline=plan.deadline or remembering.deadline)


def memory_tools(memory: Memory | Spaces | Remembering | str) -> Tools:
    """Tools on a memory, on several spaces, or on what an adapter holds already."""
    return memory.tools if isinstance(memory, Remembering) else Remembering(memory).tools


_recording: WeakSet[Remembering] = WeakSet()


@cache
def _watch_exit() -> None:
    # Imported first, so that its own end comes after ours and does the work that we leave it.
    from truekeep.engine.runtime import opened  # noqa: F401

    atexit.register(_at_exit)


def _at_exit() -> None:
    for remembering in list(_recording):
        if remembering.plans.waiting:
            remembering.flush(EXIT_LIMIT)


class MissingFramework(ConfigurationError, ImportError):
    """The framework of this adapter is not installed here."""

    def __init__(self, extra: str, error: ImportError) -> None:
        super().__init__(f"{error.name} is not installed here; {to_install(extra)}")


class Current(Generic[_T]):
    """A framework's own object for the turn under way, such as its session; each task and thread has its own."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._held: ContextVar[_T] = ContextVar(name)

    def __call__(self) -> _T:
        """The object of this turn.

        Raises:
            ConfigurationError: no turn is under way here, so that nobody reads a stranger's memory by mistake.
        """
        try:
            return self._held.get()
        except LookupError:
            raise ConfigurationError(f"there is no {self._name} outside of an agent's turn") from None

    @contextmanager
    def set_to(self, value: _T) -> Iterator[None]:
        """Until the end of the block, this is the object."""
        token = self._held.set(value)
        try:
            yield
        finally:
            self._held.reset(token)


@contextmanager
def shielded(guard: FailOpen) -> Iterator[None]:
    """What goes wrong in the block (a framework that changed, an odd message) is counted and does not end the turn."""
    try:
        yield
    except Exception as error:  # the agent would otherwise die of its memory
        guard.failed(error)


class _Attached:
    remembering: Remembering

    @property
    def failures(self) -> int:
        """How often an agent went on without its memory."""
        return self.remembering.failures


class Attached(_Attached):
    """What an adapter that blocks tells of its memory, and how it lets go of it."""

    def flush(self, limit: float = 10.0) -> bool:
        """Keep what is not kept yet; whether all is done within so many seconds."""
        return self.remembering.flush(limit)

    def close(self, limit: float = 10.0) -> None:
        """Flush, and release what was opened here; deletes nothing."""
        self.remembering.close(limit)


class AsyncAttached(_Attached):
    """The same for one that is awaited."""

    async def flush(self, limit: float = 10.0) -> bool:
        """Keep what is not kept yet; whether all is done within so many seconds."""
        return await self.remembering.aio.flush(limit)

    async def close(self, limit: float = 10.0) -> None:
        """Flush, and release what was opened here; deletes nothing."""
        await self.remembering.aio.close(limit)

"""Doors: how the tools of an MCP server come to a memory, and what may be done with it there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from truekeep.adapters.common import FailOpen, Recording, Remembering, Scopes, Spaces
from truekeep.adapters.common.plans import Plan
from truekeep.errors import AccessDenied, Conflict, InvalidInput, NotFound, QuotaExceeded, StoreError, TruekeepError
from truekeep.memory import Memory

_T = TypeVar("_T")
Needs = Literal["read", "recall", "write"]

DEADLINE = 20.0  # seconds; hosts wait for a tool longer than an agent may wait for its prompt
_ANSWERS = (AccessDenied, Conflict, InvalidInput, NotFound, QuotaExceeded)  # the memory is there, and said no


@dataclass(frozen=True, slots=True)
class SpaceLine:
    """One space in a listing."""

    name: str
    items: int


@dataclass(frozen=True, slots=True)
class Reach:
    """What one call can reach."""

    spaces: Spaces
    scopes: Scopes

    @property
    def readable(self) -> list[Memory]:
        """What may be read, the most important first."""
        return [self.spaces.memory(name) for name in self.scopes.read]

    @property
    def own(self) -> Memory:
        """Where values are, and where new memories go; the first that is read where nothing is written."""
        return self.spaces.memory(self.scopes.write or self.scopes.read[0])

    def narrowed(self, space: str) -> Reach:
        """Only this space, if it may be read."""
        if space not in self.scopes.read:
            raise NotFound(f"no space {space!r} here")
        return Reach(self.spaces, Scopes(space, space if self.scopes.write == space else None))


class Door(Protocol):
    """Lets work through to a memory, or says why not."""

    async def run(self, work: Callable[[Reach], _T], *, needs: Needs, space: str | None = None) -> _T:
        """What the work returns. It blocks, so it is done in another thread; it may raise any TruekeepError.

        Args:
            work: what to do.
            needs: "read", "recall" (reading that counts as a recall) or "write".
            space: only on this one; by default the door knows which.

        Raises:
            TruekeepError: it is not allowed, it was wrong, or the memory failed.
        """
        ...

    async def spaces(self) -> list[SpaceLine]:
        """The spaces that can be read through this door."""
        ...


class OwnDoor:
    """The door of a process that has its memory to itself, or speaks for one user: no keys, but a time limit.

    Args:
        memory: a `Memory`, for reading and writing; `Spaces(...)`; or the name of a space.
        guard: how failures are met.
    """

    def __init__(self, memory: Memory | Spaces | str, *, guard: FailOpen | None = None) -> None:
        guard = guard or FailOpen(deadline=DEADLINE)
        self.remembering = Remembering(memory, recording=Recording(mode=None), guard=guard)

    async def run(self, work: Callable[[Reach], _T], *, needs: Needs, space: str | None = None) -> _T:
        """See `Door.run`. A call that takes too long fails, and completes behind the back of its caller."""

        def verb(scopes: Scopes) -> _T | TruekeepError:
            try:
                reach = Reach(self.remembering.spaces, scopes)
                if needs == "write" and scopes.write is None:
                    raise AccessDenied("this memory can only be read")
                return work(reach if space is None else reach.narrowed(space))
            except _ANSWERS as error:
                return error

        gone: TruekeepError = StoreError("the memory is unavailable", retryable=True)
        plan: Plan[_T | TruekeepError] = self.remembering.plans.scoped(verb, gone)
        outcome = await self.remembering.aio.run(plan)
        if isinstance(outcome, TruekeepError):
            raise outcome
        return outcome

    async def spaces(self) -> list[SpaceLine]:
        """See `Door.spaces`."""
        return await self.run(
            lambda reach: [SpaceLine(memory.space, memory.stats().items) for memory in reach.readable], needs="read"
        )

    async def close(self) -> None:
        """Finish what waits, and release what was opened here; deletes nothing."""
        await self.remembering.aio.close()
        self.remembering.guard.close()

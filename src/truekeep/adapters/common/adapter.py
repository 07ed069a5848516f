"""What every adapter is made of: what it says without its framework, what is under way, and how it lets go.

`Current` is for functions that say whose memory it is, `shielded` for what must not break the agent.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

from truekeep.errors import ConfigurationError
from truekeep.extras import to_install

from .failopen import FailOpen
from .remembering import Remembering

_T = TypeVar("_T")


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

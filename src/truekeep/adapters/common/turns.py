"""What a framework is working on right now: for functions that say whose memory it is, and for what must not break."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

from truekeep.errors import ConfigurationError

from .failopen import FailOpen

_T = TypeVar("_T")


class Current(Generic[_T]):
    """A framework's own object for the turn under way, such as its session; each task and thread has its own."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._held: ContextVar[_T] = ContextVar(name)

    def __call__(self) -> _T:
        """The object of this turn; an error outside of one, so that nobody reads a stranger's memory by mistake."""
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

"""The port of a driver: transactions, in which rows are seen and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from truekeep.model import SpaceId
from truekeep.ports import Head

from .rows import Rows

T = TypeVar("T")


class Driver(Protocol):
    """Transactions on the tables of one store. Whose rows: those of a tenant, or for None of all.

    What `work` returns may be based on rows; it may run more than once, and its rows are its own only while it runs.
    """

    location: str
    """Where it is, in the user's words."""
    secret: bytes
    """What keys the fingerprints of the store."""

    def head(self, space: SpaceId) -> Head:
        """How far the space has come. Fast: every recall asks this."""

    def read(self, tenant: str | None, work: Callable[[Rows], T], *, together: bool = False) -> T:
        """Read one thing; several need not agree, unless they are read together."""

    def write(self, space: SpaceId, work: Callable[[Rows], T], size: int = 0) -> T:
        """Write into one space, in a transaction shared with others; durable when it returns. `size`: its bytes.

        What `work` raises undoes its own changes and nobody else's.
        """

    def erase(self, space: SpaceId, work: Callable[[Rows], T]) -> T:
        """`write`, of what makes room: on a full disk it may take what is kept in reserve for it."""

    def change(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        """Write what does not change the counters of a space; durable when it returns."""

    def write_each(self, spaces: Sequence[SpaceId], work: Callable[[Rows, SpaceId], T]) -> list[T]:
        """Write into each of the spaces, in one transaction or in several."""

    def viewed(self) -> AbstractContextManager[Rows]:
        """All rows as they are now, for as long as it takes, while others read and write."""

    def tidy(self) -> None:
        """House-keeping of the driver's own."""

    def close(self) -> None:
        """Release everything; harmless when called twice."""

    def clean(self) -> bool:
        """Clear what was dropped out of the files, if that is soon done; whether nothing is left."""


class Chapter:
    """One port of the store, or a part of it. They share a driver; a store is all of them."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

"""What every chapter of the ledger has: the driver behind it."""

from __future__ import annotations

from .driver import Driver


class Chapter:
    """One port of the store, or a part of it. They share a driver; a store is all of them."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

"""What every part of the store has: the file and its spaces."""

from __future__ import annotations

from truekeep.stores.ledger import Chapter

from .connections import Database
from .driver import FileDriver


class Part(Chapter):
    """One port of the store, or one chapter of it. They share a database; `SqliteStore` is all of them."""

    def __init__(self, database: Database) -> None:
        driver = FileDriver(database)
        super().__init__(driver)
        self._database = database
        self._spaces = driver.spaces

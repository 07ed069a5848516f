"""What every part of the store has: the file and its spaces."""

from __future__ import annotations

from .connections import Database
from .spaces import Spaces


class Part:
    """One port of the store, or one chapter of it. They share a database; `SqliteStore` is all of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._spaces = Spaces(database)

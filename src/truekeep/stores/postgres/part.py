"""What every part of the store has: the database, and the numbers of spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truekeep.model import SpaceId
from truekeep.stores.ledger import Chapter

from .driver import DatabaseDriver

if TYPE_CHECKING:
    from .connections import Database
    from .session import Session

NOWHERE = -1  # the number of no space


class Part(Chapter):
    """One port of the store, or one chapter of it. They share a database; `PostgresStore` is all of them."""

    def __init__(self, database: Database) -> None:
        driver = DatabaseDriver(database)
        super().__init__(driver)
        self._database = database
        self._numbers = driver.numbers

    def _number(self, session: Session, space: SpaceId) -> int:
        found = self._numbers.find(session, space)
        return NOWHERE if found is None else found.id

"""What every part of the store has: the database, and the numbers of spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truekeep.model import SpaceId

if TYPE_CHECKING:
    from .connections import Database
    from .session import Session

NUMBER = "SELECT id FROM spaces WHERE tenant = %s AND name = %s"
KEPT_NUMBERS = 10_000
NOWHERE = -1  # the number of no space


class Part:
    """One port of the store, or one chapter of it. They share a database; `PostgresStore` is all of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._numbers: dict[SpaceId, int] = {}

    def _number(self, session: Session, space: SpaceId) -> int:
        """The number that stands for the space in all tables; it never changes, so its row is not read again.

        The server can leave out all partitions but one before it plans only when it is told a number. Not for a
        transaction that makes spaces: another number counts if it is rolled back.
        """
        number = self._numbers.get(space)
        if number is None:
            rows = session.query(NUMBER, space)
            if not rows:
                return NOWHERE
            if len(self._numbers) > KEPT_NUMBERS:
                self._numbers.clear()
            number = self._numbers[space] = rows[0][0]
        return number

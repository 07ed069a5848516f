"""Spaces: their counters, and the lock under which they are written."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from truekeep.model import SpaceId
from truekeep.stores.ledger.cells import Space
from truekeep.stores.tables import hidden_name

if TYPE_CHECKING:
    from .session import Columns, Session

COUNTERS = ("head", "floor", "value_head", "filed", "items", "tombstones", "kept_values", "bytes")
SELECT = f"SELECT id, tenant, name, {', '.join(COUNTERS)} FROM spaces"
FIND = f"{SELECT} WHERE tenant = %s AND name = ANY(%s)"
ADD = f"""INSERT INTO spaces (tenant, name) VALUES (%s, %s) ON CONFLICT (tenant, name) DO NOTHING
    RETURNING id, tenant, name, {", ".join(COUNTERS)}"""
SAVE = (
    f"UPDATE spaces SET ({', '.join(COUNTERS)}) = ({', '.join(['%s'] * len(COUNTERS))}) WHERE tenant = %s AND id = %s"
)


def space_of(row: Columns) -> Space:
    """What a row of SELECT tells."""
    return Space(*row[:3], came=row[3:6], counts=dict(zip(COUNTERS[3:], row[6:], strict=True)))


def numbered(number: int, space: SpaceId) -> Space:
    """One whose counters nobody asks for."""
    return Space(number, *space, came=(0, 0, 0), counts=dict.fromkeys(COUNTERS[3:], 0))


def find(session: Session, space: SpaceId) -> Space | None:
    """The row of the space; None if it never held anything."""
    rows = session.query(FIND, sought(session, space))
    return space_of(rows[0]) if rows else None


def sought(session: Session, space: SpaceId) -> tuple[str, list[str]]:
    """By its name, or by that which it has once it was erased."""
    return space.tenant, [space.name, hidden_name(session.secret, space)]


class Writing:
    """A transaction that writes into one space, whose row it holds from its first look on."""

    def __init__(self, session: Session, space: SpaceId) -> None:
        self.session = session
        self.space = space
        self._row: Space | None = None
        self._saved: tuple[int, ...] | None = None
        self._has_looked = False

    def find(self) -> Space | None:
        """The row of the space, which nobody else changes until this is over.

        None if it never held anything: then another process may make it any time.
        """
        if not self._has_looked:
            rows = self.session.query(f"{FIND} FOR UPDATE", sought(self.session, self.space))
            self._has_looked = True
            if rows:
                self._row = space_of(rows[0])
                self._saved = self._row.counters()
        return self._row

    def open(self) -> Space:
        """The same, made if need be."""
        found = self.find()
        while found is None:
            rows = self.session.change_returning(ADD, self.space)  # waits for another who makes it just now
            if rows:
                found = self._row = space_of(rows[0])
                self._saved = found.counters()
            else:
                self._has_looked = False
                found = self.find()
        if found.name != self.space.name:
            self._rename(found, self.space.name)
        return found

    def hide(self) -> None:
        """Take the name out of the database; its counters stay, so that whoever knew the space learns of its end."""
        if self._row is not None:
            self._rename(self._row, hidden_name(self.session.secret, self.space))

    def _rename(self, row: Space, name: str) -> None:
        row.name = name
        self.session.change_later(
            "UPDATE spaces SET name = %s WHERE tenant = %s AND id = %s", (name, row.tenant, row.id)
        )

    def copy(self) -> Writing:
        """As it is now, to go back to."""
        twin = copy.copy(self)
        twin._row = None if self._row is None else self._row.copy()
        return twin

    @property
    def has_moved(self) -> bool:
        """Whether the space has come further."""
        return self._row is not None and self._saved is not None and self._row.head != self._saved[0]

    def save(self) -> None:
        """Keep the counters as they are now."""
        row = self._row
        if row is not None and row.counters() != self._saved:
            self.session.change_later(SAVE, (*row.counters(), row.tenant, row.id))

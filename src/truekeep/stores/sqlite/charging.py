"""Charging: what a write into the file may not exceed, seen to within its own transaction."""

from __future__ import annotations

from collections.abc import Collection

import apsw

from truekeep.ports import Charge
from truekeep.stores.charging import Bill

from .rows import query, to_json
from .spaces import Space
from .usage import add_usage, used

KNOWN = "SELECT count(*) FROM items WHERE space = ? AND id IN (SELECT value FROM json_each(?))"
PAYLOADS = "SELECT coalesce(sum(octet_length(payload)), 0) FROM jobs WHERE space = ?"
OPEN_JOBS = """SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running')
    AND space IN (SELECT id FROM spaces WHERE tenant = ? AND jobs > 0)"""
MEMORIES = "SELECT coalesce(sum(items), 0) FROM spaces WHERE tenant = ?"


class SpaceBooks:
    """Implements `stores.charging.Books`."""

    def __init__(self, connection: apsw.Connection, row: Space) -> None:
        self._connection = connection
        self._row = row
        self.tenant: str = row.tenant
        self.name: str = row.name

    def items(self) -> int:
        return self._row.holds("items")

    def bytes(self) -> int:
        return bytes_of(self._connection, self._row.id)

    def memories(self) -> int:
        return int(query(self._connection, MEMORIES, (self.tenant,))[0][0])

    def known(self, ids: Collection[str]) -> int:
        return int(query(self._connection, KNOWN, (self._row.id, to_json(list(ids))))[0][0])

    def payloads(self) -> int:
        return int(query(self._connection, PAYLOADS, (self._row.id,))[0][0])

    def open_jobs(self) -> int:
        return int(query(self._connection, OPEN_JOBS, (self.tenant,))[0][0])

    def used(self, key: tuple[str, str, str, str]) -> int:
        return used(self._connection, key)

    def add_usage(self, key: tuple[str, str, str, str], count: int) -> None:
        add_usage(self._connection, key, count)


def bill_for(connection: apsw.Connection, row: Space, charge: Charge | None) -> Bill:
    return Bill(SpaceBooks(connection, row), charge)


def bytes_of(connection: apsw.Connection, space: int) -> int:
    rows = query(connection, "SELECT bytes FROM sizes WHERE space = ?", (space,))
    return int(rows[0][0]) if rows else 0

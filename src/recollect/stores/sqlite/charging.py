"""Charging: what a write may not exceed, seen to within its own transaction."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import apsw

from recollect.errors import QuotaExceeded
from recollect.ports import Charge

from .rows import query, to_json
from .spaces import Space
from .usage import add_usage, used

NEXT_LOOK = timedelta(hours=1)  # room comes by deleting, and nobody knows when
KNOWN = "SELECT count(*) FROM items WHERE space = ? AND id IN (SELECT value FROM json_each(?))"


class Bill:
    """What one write costs: `admit` it before it writes, `settle` it afterwards.

    Most refusals come from `admit`: one that comes after something was written makes the whole group of writers, who
    have nothing to do with it, run again.
    """

    def __init__(self, connection: apsw.Connection, row: Space, charge: Charge | None) -> None:
        self._connection = connection
        self._row = row
        self._charge = charge
        self._items = row.holds("items")
        self._memories = 0  # of the tenant, before the write
        self._bytes = 0 if charge is None or charge.quotas.bytes_per_space is None else bytes_of(connection, row.id)

    def admit(self, writes: int, ids: Collection[str] = ()) -> None:
        """Count the writes, or refuse. `ids` are those of items that shall be there afterwards."""
        charge = self._charge
        if charge is None:
            return
        if ids:
            self._refuse_growth(charge, set(ids))
        if writes:
            self._count(charge, writes)

    def _count(self, charge: Charge, writes: int) -> None:
        today, limit = charge.now.astimezone(UTC), charge.quotas.writes_per_day
        key = (self._row.tenant, f"space:{self._row.name}", "writes", today.date().isoformat())
        if limit is not None and used(self._connection, key) + writes > limit:
            problem = f"writes_per_day: at most {limit} writes a day (UTC) into the space {self._row.name!r}"
            raise QuotaExceeded(f"{problem}; try again tomorrow", _until_midnight(today))
        add_usage(self._connection, key, writes)

    def _refuse_growth(self, charge: Charge, ids: set[str]) -> None:
        """What is full already, and would grow for sure, need not be written to find out."""
        quotas = charge.quotas
        if quotas.memories is not None:
            self._memories = _memories_of(self._connection, self._row.tenant)
        memories_full = quotas.memories is not None and self._memories >= quotas.memories
        bytes_full = quotas.bytes_per_space is not None and self._bytes >= quotas.bytes_per_space
        if not (memories_full or bytes_full):
            return
        known = query(self._connection, KNOWN, (self._row.id, to_json(list(ids))))[0][0]
        if memories_full and known < len(ids):
            raise _too_many(quotas.memories)
        if bytes_full and not known:
            raise _too_large(self._row, quotas.bytes_per_space)

    def settle(self) -> None:
        """Refuse what has grown beyond its limit; what the write did is then undone."""
        if self._charge is None:
            return
        quotas = self._charge.quotas
        added = self._row.holds("items") - self._items
        if quotas.memories is not None and added > 0 and self._memories + added > quotas.memories:
            raise _too_many(quotas.memories)
        most = quotas.bytes_per_space
        if most is not None and bytes_of(self._connection, self._row.id) > max(self._bytes, most):
            raise _too_large(self._row, most)


def bytes_of(connection: apsw.Connection, space: int) -> int:
    rows = query(connection, "SELECT bytes FROM sizes WHERE space = ?", (space,))
    return int(rows[0][0]) if rows else 0


def _memories_of(connection: apsw.Connection, tenant: str) -> int:
    statement = "SELECT coalesce(sum(items), 0) FROM spaces WHERE tenant = ?"
    return int(query(connection, statement, (tenant,))[0][0])


def _too_many(limit: int | None) -> QuotaExceeded:
    return QuotaExceeded(f"memories: at most {limit} memories in all spaces; forget some", NEXT_LOOK)


def _too_large(row: Space, limit: int | None) -> QuotaExceeded:
    problem = f"bytes_per_space: at most {limit} bytes in the space {row.name!r}"
    return QuotaExceeded(f"{problem}; forget or delete something", NEXT_LOOK)


def _until_midnight(now: datetime) -> timedelta:
    return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1) - now

"""Charging: what a write may not exceed, seen to within its own transaction."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from recollect.errors import QuotaExceeded
from recollect.ports import Charge

from .session import Session
from .spaces import Space
from .usage import add_usage, used

NEXT_LOOK = timedelta(hours=1)  # room comes by deleting, and nobody knows when
KNOWN = "SELECT count(*) FROM items WHERE space_id = %s AND id = ANY(%s)"
# Writers of several spaces share this quota: one at a time counts and writes.
ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
ELSEWHERE = "SELECT coalesce(sum(items), 0)::bigint FROM spaces WHERE tenant = %s AND id <> %s"


class Bill:
    """What one write costs: `admit` it before it writes, `settle` it afterwards.

    Most refusals come from `admit`: one that comes after something was written makes the whole group of writers, who
    have nothing to do with it, run again.
    """

    def __init__(self, session: Session, row: Space, charge: Charge | None) -> None:
        self._session = session
        self._row = row
        self._charge = charge
        self._items = row.items
        self._bytes = row.bytes
        self._elsewhere = 0  # items in other spaces of the tenant

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
        if limit is not None and used(self._session, key) + writes > limit:
            problem = f"writes_per_day: at most {limit} writes a day (UTC) into the space {self._row.name!r}"
            raise QuotaExceeded(f"{problem}; try again tomorrow", _until_midnight(today))
        add_usage(self._session, key, writes)

    def _refuse_growth(self, charge: Charge, ids: set[str]) -> None:
        """What is full already, and would grow for sure, need not be written to find out."""
        quotas = charge.quotas
        if quotas.memories is not None:
            self._session.query(ALONE, (f"recollect memories {self._row.tenant}",))
            self._elsewhere = self._session.query(ELSEWHERE, (self._row.tenant, self._row.id))[0][0]
        memories_full = quotas.memories is not None and self._elsewhere + self._items >= quotas.memories
        bytes_full = quotas.bytes_per_space is not None and self._bytes >= quotas.bytes_per_space
        if not (memories_full or bytes_full):
            return
        known = self._session.query(KNOWN, (self._row.id, list(ids)))[0][0]
        if memories_full and known < len(ids):
            raise _too_many(quotas.memories)
        if bytes_full and not known:
            raise _too_large(self._row, quotas.bytes_per_space)

    def settle(self) -> None:
        """Refuse what has grown beyond its limit; what the write did is then undone."""
        if self._charge is None:
            return
        quotas, row = self._charge.quotas, self._row
        if quotas.memories is not None and row.items > self._items and self._elsewhere + row.items > quotas.memories:
            raise _too_many(quotas.memories)
        if quotas.bytes_per_space is not None and row.bytes > max(self._bytes, quotas.bytes_per_space):
            raise _too_large(row, quotas.bytes_per_space)


def _too_many(limit: int | None) -> QuotaExceeded:
    return QuotaExceeded(f"memories: at most {limit} memories in all spaces; forget some", NEXT_LOOK)


def _too_large(row: Space, limit: int | None) -> QuotaExceeded:
    problem = f"bytes_per_space: at most {limit} bytes in the space {row.name!r}"
    return QuotaExceeded(f"{problem}; forget or delete something", NEXT_LOOK)


def _until_midnight(now: datetime) -> timedelta:
    return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1) - now

"""Charging: what a write may not exceed, whichever store it is made in."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from truekeep.errors import QuotaExceeded
from truekeep.model.reports import day_of, subject_of
from truekeep.ports import Charge

from .cells import Space
from .rows import Rows

OPEN_JOBS = 10_000  # of one tenant
NEXT_JOB = timedelta(minutes=1)
NEXT_LOOK = timedelta(hours=1)  # room comes by deleting, and nobody knows when


class Bill:
    """What one write costs: `admit` it before it writes, `settle` it afterwards.

    Most refusals come from `admit`: one that comes after something was written makes the whole group of writers, who
    have nothing to do with it, run again.
    """

    def __init__(self, rows: Rows, space: Space, charge: Charge | None) -> None:
        self._rows = rows
        self._space = space
        self._charge = charge
        self._memories = 0  # of the tenant, before the write
        self._items = space.counts["items"]
        self._bytes = 0 if charge is None or charge.quotas.bytes_per_space is None else rows.size_of(space)

    def admit(self, writes: int, ids: Collection[str] = ()) -> None:
        """Count the writes, or refuse. `ids` are those of items that shall be there afterwards."""
        if self._charge is None:
            return
        if ids:
            self._refuse_growth(self._charge, set(ids))
        if writes:
            self._count(self._charge, writes)

    def _count(self, charge: Charge, writes: int) -> None:
        space, limit = self._space, charge.quotas.writes_per_day
        key = (space.tenant, subject_of("space", space.name), "writes", day_of(charge.now))
        if limit is not None and self._rows.used(key) + writes > limit:
            problem = f"writes_per_day: at most {limit} writes a day (UTC) into the space {space.name!r}"
            raise QuotaExceeded(
                f"{problem}; try again tomorrow", _until_midnight(charge.now.astimezone(UTC)), "writes_per_day"
            )
        self._rows.add_usage(key, writes)

    def _refuse_growth(self, charge: Charge, ids: set[str]) -> None:
        """What is full already, and would grow for sure, need not be written to find out."""
        quotas = charge.quotas
        if quotas.memories is not None:
            self._memories = self._rows.memories(self._space)
        memories_full = quotas.memories is not None and self._memories >= quotas.memories
        bytes_full = quotas.bytes_per_space is not None and self._bytes >= quotas.bytes_per_space
        if not (memories_full or bytes_full):
            return
        known = len(self._rows.of("items", self._space, ids))
        if memories_full and known < len(ids):
            raise _too_many(quotas.memories)
        if bytes_full and not known:
            raise _too_large(self._space.name, quotas.bytes_per_space)

    def admit_job(self, size: int) -> None:
        """Refuse a job of so many bytes, or one more than anybody needs: text that waits takes room, too."""
        if self._rows.open_jobs(tenant=self._space.tenant) >= OPEN_JOBS:
            raise QuotaExceeded(f"jobs: at most {OPEN_JOBS:,} may wait; try again when some are done", NEXT_JOB, "jobs")
        most = None if self._charge is None else self._charge.quotas.bytes_per_space
        if most is not None and self._bytes + self._rows.payloads(self._space) + size > most:
            raise _too_large(self._space.name, most)

    def settle(self) -> None:
        """Refuse what has grown beyond its limit; what the write did is then undone."""
        if self._charge is None:
            return
        quotas = self._charge.quotas
        added = self._space.counts["items"] - self._items
        if quotas.memories is not None and added > 0 and self._memories + added > quotas.memories:
            raise _too_many(quotas.memories)
        most = quotas.bytes_per_space
        if most is not None and self._rows.size_of(self._space) > max(self._bytes, most):
            raise _too_large(self._space.name, most)


def _too_many(limit: int | None) -> QuotaExceeded:
    return QuotaExceeded(f"memories: at most {limit} memories in all spaces; forget some", NEXT_LOOK, "memories")


def _too_large(space: str, limit: int | None) -> QuotaExceeded:
    problem = f"bytes_per_space: at most {limit} bytes in the space {space!r}"
    return QuotaExceeded(f"{problem}; forget or delete something", NEXT_LOOK, "bytes_per_space")


def _until_midnight(now: datetime) -> timedelta:
    return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1) - now

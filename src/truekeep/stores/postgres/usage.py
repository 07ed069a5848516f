"""Usage: how much was used, by whom, of what, in which month or on which day."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from truekeep.model import Usage
from truekeep.stores.records import oldest_month

from .part import Part
from .session import Session

KEY = "tenant = %s AND subject = %s AND counter = %s AND period = %s"
ADD = """INSERT INTO usage AS u (tenant, subject, counter, period, count) VALUES (%s, %s, %s, %s, greatest(%s, 0))
    ON CONFLICT (tenant, subject, counter, period) DO UPDATE SET count = greatest(u.count + %s, 0)"""
# Changes nothing, but locks the count: whoever comes next waits for what we make of it.
HOLD = """INSERT INTO usage AS u (tenant, subject, counter, period, count) VALUES (%s, %s, %s, %s, 0)
    ON CONFLICT (tenant, subject, counter, period) DO UPDATE SET count = u.count RETURNING count"""
USED = """SELECT subject, counter, period, count FROM usage
    WHERE tenant = %s AND (%s::text[] IS NULL OR period = ANY(%s::text[])) AND count > 0
    ORDER BY period, subject, counter"""


class UsageRows(Part):
    """The port `Usages`."""

    def count_usage(self, tenant: str, counts: Mapping[tuple[str, str, str], int]) -> None:
        added = sorted((key, count) for key, count in counts.items() if count)  # in order: nobody waits in a circle

        def work(session: Session) -> None:
            session.query("SELECT 1")  # the first statement of a transaction cannot be made later
            for key, count in added:
                add_usage(session, (tenant, *key), count)

        if added:
            self._database.change(tenant, work)

    def lease_usage(self, tenant: str, subject: str, counter: str, period: str, *, want: int, limit: int) -> int:
        key = (tenant, subject, counter, period)

        def room(session: Session) -> int:
            return max(0, min(want, limit - used(session, key)))

        def work(session: Session) -> int:
            present: int = session.change_returning(HOLD, key)[0][0]
            granted = max(0, min(want, limit - present))
            add_usage(session, key, granted)
            return granted

        # Whoever used up all may ask often: only one for whom there is room goes on to take the lock.
        return self._database.change(tenant, work) if self._database.read(tenant, room) else 0

    def usage(self, tenant: str, *, periods: Collection[str] | None = None) -> list[Usage]:
        sought = None if periods is None else list(periods)
        rows = self._database.read(tenant, lambda session: session.query(USED, (tenant, sought, sought)))
        return [
            Usage(subject=subject, counter=counter, period=period, count=count)
            for subject, counter, period, count in rows
        ]

    def drop_old_usage(self, now: datetime) -> None:
        oldest = oldest_month(now)
        self._database.change(None, lambda session: session.change("DELETE FROM usage WHERE period < %s", (oldest,)))


def used(session: Session, key: tuple[str, str, str, str]) -> int:
    """The count of a tenant, subject, counter and period."""
    rows = session.query(f"SELECT count FROM usage WHERE {KEY}", key)
    return int(rows[0][0]) if rows else 0


def add_usage(session: Session, key: tuple[str, str, str, str], count: int) -> None:
    """Inside a write. A negative count gives back, but not more than was used."""
    session.change_later(ADD, (*key, count, count))

"""Charging: what a write into the database may not exceed, seen to within its own transaction."""

from __future__ import annotations

from collections.abc import Collection

from truekeep.ports import Charge
from truekeep.stores.charging import Bill

from .session import Session
from .spaces import Space
from .usage import add_usage, used

KNOWN = "SELECT count(*) FROM items WHERE space_id = %s AND id = ANY(%s)"
PAYLOADS = "SELECT coalesce(sum(octet_length(payload::text)), 0)::bigint FROM jobs WHERE space_id = %s"
OPEN_JOBS = "SELECT count(*) FROM jobs WHERE tenant = %s AND state IN ('waiting', 'running')"
# Writers of several spaces share this quota: one at a time counts and writes.
ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
ELSEWHERE = "SELECT coalesce(sum(items), 0)::bigint FROM spaces WHERE tenant = %s AND id <> %s"


class SpaceBooks:
    """Implements `stores.charging.Books`."""

    def __init__(self, session: Session, row: Space) -> None:
        self._session = session
        self._row = row
        self.tenant: str = row.tenant
        self.name: str = row.name

    def items(self) -> int:
        return self._row.items

    def bytes(self) -> int:
        return self._row.bytes

    def memories(self) -> int:
        self._session.query(ALONE, (f"truekeep memories {self.tenant}",))
        return int(self._session.query(ELSEWHERE, (self.tenant, self._row.id))[0][0]) + self._row.items

    def known(self, ids: Collection[str]) -> int:
        return int(self._session.query(KNOWN, (self._row.id, list(ids)))[0][0])

    def payloads(self) -> int:
        return int(self._session.query(PAYLOADS, (self._row.id,))[0][0])

    def open_jobs(self) -> int:
        return int(self._session.query(OPEN_JOBS, (self.tenant,))[0][0])

    def used(self, key: tuple[str, str, str, str]) -> int:
        return used(self._session, key)

    def add_usage(self, key: tuple[str, str, str, str], count: int) -> None:
        add_usage(self._session, key, count)


def bill_for(session: Session, row: Space, charge: Charge | None) -> Bill:
    return Bill(SpaceBooks(session, row), charge)

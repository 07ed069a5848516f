"""Usage: how much was used, by whom, of what, in which month or on which day."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

import apsw

from truekeep.model import Usage
from truekeep.stores.records import oldest_month

from .part import Part
from .rows import query, sealed, to_json, verified

COLUMNS = "tenant, subject, counter, period, count, checksum"
KEY = "tenant = ? AND subject = ? AND counter = ? AND period = ?"
AT_ONCE = 2000  # rows that one transaction of tidying removes


class UsageRows(Part):
    """The port `Usages`."""

    def count_usage(self, tenant: str, counts: Mapping[tuple[str, str, str], int]) -> None:
        added = {key: count for key, count in counts.items() if count}

        def work(connection: apsw.Connection) -> None:
            for key, count in added.items():
                add_usage(connection, (tenant, *key), count)

        if added:
            self._database.write(work)

    def lease_usage(self, tenant: str, subject: str, counter: str, period: str, *, want: int, limit: int) -> int:
        key = (tenant, subject, counter, period)

        def room(connection: apsw.Connection) -> int:
            return max(0, min(want, limit - used(connection, key)))

        def work(connection: apsw.Connection) -> int:
            granted = room(connection)
            if granted:
                add_usage(connection, key, granted)
            return granted

        # Whoever used up all may ask often: only one for whom there is room goes on to take the write lock.
        return self._database.write(work) if self._database.read(room) else 0

    def usage(self, tenant: str, *, periods: Collection[str] | None = None) -> list[Usage]:
        sought = None if periods is None else to_json(list(periods))
        statement = f"""SELECT {COLUMNS} FROM usage WHERE tenant = ?1
            AND (?2 IS NULL OR period IN (SELECT value FROM json_each(?2))) ORDER BY period, subject, counter"""
        rows = self._database.read(lambda connection: query(connection, statement, (tenant, sought)))
        return [
            Usage(subject=subject, counter=counter, period=period, count=count)
            for _, subject, counter, period, count, _ in (verified("usage", row, row[1]) for row in rows)
        ]

    def drop_old_usage(self, now: datetime) -> None:
        """In portions; without any, nothing is written."""
        oldest = oldest_month(now)
        found = f"SELECT tenant, subject, counter, period FROM usage WHERE period < ? LIMIT {AT_ONCE}"

        def work(connection: apsw.Connection) -> None:
            gone = query(connection, found, (oldest,))
            connection.executemany(f"DELETE FROM usage WHERE {KEY}", gone).fetchall()

        while self._database.read(lambda connection: query(connection, found, (oldest,))):
            self._database.write(work)


def used(connection: apsw.Connection, key: tuple[str, str, str, str]) -> int:
    """The count of a tenant, subject, counter and period."""
    rows = query(connection, f"SELECT {COLUMNS} FROM usage WHERE {KEY}", key)
    return int(verified("usage", rows[0], key[1])[4]) if rows else 0


def add_usage(connection: apsw.Connection, key: tuple[str, str, str, str], count: int) -> None:
    """Inside a write. A negative count gives back, but not more than was used."""
    total = used(connection, key) + count
    if total > 0:
        connection.execute("INSERT OR REPLACE INTO usage VALUES (?, ?, ?, ?, ?, ?)", sealed("usage", *key, total))
    else:
        connection.execute(f"DELETE FROM usage WHERE {KEY}", key)

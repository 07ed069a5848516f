"""Usage: how much was used, by whom, of what, in which month or on which day."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from truekeep.model import Usage

from .chapter import Chapter
from .rows import Rows

MONTHS_KEPT = 13  # of usage, before the one that is running


class Usages(Chapter):
    """The port `Usages`."""

    def count_usage(self, tenant: str, counts: Mapping[tuple[str, str, str], int]) -> None:
        added = sorted((key, count) for key, count in counts.items() if count)  # in order: nobody waits in a circle

        def work(rows: Rows) -> None:
            for key, count in added:
                rows.add_usage((tenant, *key), count)

        if added:
            self._driver.change(tenant, work)

    def lease_usage(self, tenant: str, subject: str, counter: str, period: str, *, want: int, limit: int) -> int:
        key = (tenant, subject, counter, period)

        def room(rows: Rows, *, hold: bool = False) -> int:
            return max(0, min(want, limit - rows.used(key, hold=hold)))

        def work(rows: Rows) -> int:
            granted = room(rows, hold=True)
            if granted:
                rows.add_usage(key, granted)
            return granted

        # Whoever used up all may ask often: only one for whom there is room goes on to write.
        return self._driver.change(tenant, work) if self._driver.read(tenant, room) else 0

    def usage(self, tenant: str, *, periods: Collection[str] | None = None) -> list[Usage]:
        found = self._driver.read(tenant, lambda rows: rows.usage(tenant, periods))
        return [
            Usage(subject=subject, counter=counter, period=period, count=count)
            for period, subject, counter, count in sorted((row[3], *row[1:3], row[4]) for row in found)
        ]

    def drop_old_usage(self, now: datetime) -> None:
        oldest = oldest_month(now)
        while self._driver.read(None, lambda rows: rows.has_usage_before(oldest)):
            self._driver.change(None, lambda rows: rows.drop_usage_before(oldest))


def oldest_month(now: datetime) -> str:
    """The oldest month whose usage is kept. Its days come after it in the order of texts, earlier ones before."""
    today = now.astimezone(UTC)
    months = today.year * 12 + today.month - 1 - MONTHS_KEPT
    return f"{months // 12:04}-{months % 12 + 1:02}"

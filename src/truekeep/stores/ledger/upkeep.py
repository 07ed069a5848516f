"""Upkeep: which spaces there are, and what is removed because it is old."""

from __future__ import annotations

from datetime import datetime, timedelta

from truekeep.model import SpaceId, SpaceSize
from truekeep.ports import Table
from truekeep.stores.records import microseconds

from .rows import Rows
from .snapshots import Snapshots
from .usage import Usages

MARKERS_KEPT = timedelta(days=7)
ANSWERS_KEPT = timedelta(days=30)
FINISHED_JOBS_KEPT = timedelta(days=7)
AT_ONCE = 2000  # rows that one transaction of tidying removes: writers wait no longer than that


class Upkeep(Snapshots, Usages):
    """What the port `Store` adds to its parts, as far as it is about rows."""

    def spaces(self, tenant: str) -> list[str]:
        return [one.name for one in self.overview(tenant, limit=-1)]

    def overview(self, tenant: str, *, after: str = "", limit: int = 1000) -> list[SpaceSize]:
        found = self._driver.read(tenant, lambda rows: rows.sizes(tenant, after=after, limit=limit), together=True)
        return [SpaceSize(name=name, items=items, values=values, bytes=size) for name, items, values, size in found]

    def tidy(self, *, now: datetime) -> None:
        self._purge("kept_values", now)
        self._purge("answers", now - ANSWERS_KEPT)
        self._purge("jobs", now - FINISHED_JOBS_KEPT)
        self._purge("markers", now - MARKERS_KEPT)
        self.drop_old_usage(now)
        self.remove_leftovers()
        self._driver.tidy()

    def _purge(self, table: Table, before: datetime) -> None:
        """Remove old rows in portions; without any, nothing is written."""
        at = microseconds(before)

        def work(rows: Rows, space: SpaceId) -> None:
            row = rows.find(space)
            gone = rows.old(table, at, limit=AT_ONCE, space=row)
            rows.drop(table, row, [name for _, name, _ in gone])
            row.floor = max([row.floor, *(seq for _, _, seq in gone)])  # below it, markers are missing

        while found := self._driver.read(None, lambda rows: rows.old(table, at, limit=AT_ONCE)):
            self._driver.write_each(sorted({space for space, _, _ in found}), work)

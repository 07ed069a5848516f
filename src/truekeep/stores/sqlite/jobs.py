"""Questions about values and jobs, and about what a space and its tenant hold."""

from __future__ import annotations

from collections.abc import Iterator

from truekeep.model import SpaceId
from truekeep.stores.ledger import Space

from .rows import Columns, cells_of, named, query
from .tables import Tables

KEYS = "SELECT key FROM kept_values WHERE space = ? AND (expires IS NULL OR expires > ?) ORDER BY key"
FREE = """WHERE state IN ('waiting', 'running') AND CASE state WHEN 'waiting' THEN not_before ELSE lease END <= ?
    ORDER BY created, row LIMIT 1"""
# Without INDEXED BY, SQLite may prefer to ask every space of the tenant.
OF_TENANT = """INDEXED BY jobs_by_id WHERE id = ?
    AND EXISTS (SELECT 1 FROM spaces WHERE spaces.id = jobs.space AND tenant = ?) ORDER BY row LIMIT 1"""
LATEST = "WHERE space IN (SELECT id FROM spaces WHERE tenant = ?) ORDER BY created DESC, row DESC LIMIT ?"
OPEN = "SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running')"


class JobTables(Tables):
    """Those methods of `ledger.Rows` that are about values and jobs."""

    def size_of(self, space: Space) -> int:
        return self.number("SELECT bytes FROM sizes WHERE space = ?", space.id)

    def payloads(self, space: Space) -> int:
        return self.number("SELECT sum(octet_length(payload)) FROM jobs WHERE space = ?", space.id)

    def memories(self, space: Space) -> int:
        return self.number("SELECT sum(items) FROM spaces WHERE tenant = ?", space.tenant)

    def open_jobs_of(self, tenant: str) -> int:
        return self.number(f"{OPEN} AND space IN (SELECT id FROM spaces WHERE tenant = ? AND jobs > 0)", tenant)

    def value_keys(self, space: Space, at: int) -> list[str]:
        self.miss("kept_values", space, any_number=True)
        return [key for (key,) in query(self.connection, KEYS, (space.id, at))]

    def free_job(self, at: int) -> tuple[SpaceId, Columns] | None:
        return next(self._jobs(FREE, at), None)

    def job_of(self, tenant: str, id: str) -> tuple[SpaceId, Columns] | None:
        return next(self._jobs(OF_TENANT, id, tenant), None)

    def latest_jobs(self, tenant: str, limit: int) -> list[tuple[SpaceId, Columns]]:
        return list(self._jobs(LATEST, tenant, limit))

    def _jobs(self, where: str, *sought: str | int) -> Iterator[tuple[SpaceId, Columns]]:
        for columns in query(self.connection, f"SELECT {named('jobs')} FROM jobs {where}", sought):
            space = self._spaces.by_id(self.connection, columns[0])
            yield SpaceId(space.tenant, space.name), cells_of("jobs", columns)

    def open_jobs(self, space: Space | None) -> int:
        return self.number(OPEN) if space is None else self.number(f"{OPEN} AND space = ?", space.id)

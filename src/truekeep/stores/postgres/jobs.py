"""Questions about values and jobs, and about what a space and its tenant hold."""

from __future__ import annotations

from collections.abc import Sequence

from truekeep.model import SpaceId
from truekeep.stores.ledger import Space
from truekeep.stores.tables import COLUMNS

from .session import Columns
from .tables import Tables

# Writers of several spaces share this quota: one at a time counts and writes.
ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
ELSEWHERE = "SELECT sum(items) FROM spaces WHERE tenant = %s AND id <> %s"
KEYS = "SELECT key FROM kept_values WHERE space_id = %s AND (expires IS NULL OR expires > %s) ORDER BY key"
JOBS = f"SELECT s.tenant, s.name, {', '.join(f'j.{name}' for name in COLUMNS['jobs'])}"
OF_TENANT = f"""{JOBS} FROM jobs AS j JOIN spaces AS s ON s.id = j.space_id
    WHERE j.tenant = %s AND j.id = %s ORDER BY j.added LIMIT 1"""
LATEST = f"""{JOBS} FROM jobs AS j JOIN spaces AS s ON s.id = j.space_id
    WHERE j.tenant = %s ORDER BY j.created DESC, j.added DESC LIMIT %s"""
# Whoever comes while another one takes the first job takes the second.
FREE = f"""{JOBS} FROM (
        SELECT * FROM jobs WHERE state IN ('waiting', 'running')
        AND CASE state WHEN 'waiting' THEN not_before ELSE lease END <= %s ORDER BY created, added LIMIT 1 {{}}
    ) AS j JOIN spaces AS s ON s.id = j.space_id"""
OPEN = "SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running')"


class JobTables(Tables):
    """Those methods of `ledger.Rows` that are about values and jobs."""

    def size_of(self, space: Space) -> int:
        return space.counts["bytes"]

    def payloads(self, space: Space) -> int:
        return self.number("SELECT sum(octet_length(payload::text)) FROM jobs WHERE space_id = %s", space.id)

    def memories(self, space: Space) -> int:
        self.session.query(ALONE, (f"truekeep memories {space.tenant}",))
        return self.number(ELSEWHERE, space.tenant, space.id) + space.counts["items"]

    def open_jobs_of(self, tenant: str) -> int:
        return self.number(f"{OPEN} AND tenant = %s", tenant)

    def value_keys(self, space: Space, at: int) -> list[str]:
        return [key for (key,) in self.session.query(KEYS, (space.id, at))]

    def free_job(self, at: int) -> tuple[SpaceId, Columns] | None:
        lock = "FOR UPDATE SKIP LOCKED" if self.session.is_writing else ""
        return _job(self.session.query(FREE.format(lock), (at,)))

    def job_of(self, tenant: str, id: str) -> tuple[SpaceId, Columns] | None:
        return _job(self.session.query(OF_TENANT, (tenant, id)))

    def latest_jobs(self, tenant: str, limit: int) -> list[tuple[SpaceId, Columns]]:
        return [(SpaceId(*row[:2]), row[2:]) for row in self.session.query(LATEST, (tenant, limit))]

    def open_jobs(self, space: Space | None) -> int:
        return self.number(OPEN) if space is None else self.number(f"{OPEN} AND space_id = %s", space.id)


def _job(found: Sequence[Columns]) -> tuple[SpaceId, Columns] | None:
    return (SpaceId(*found[0][:2]), found[0][2:]) if found else None

"""Jobs: durable work that any process on the file may take up."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import apsw

from truekeep.errors import Conflict
from truekeep.model import Job, SpaceId
from truekeep.ports import Charge, Withdrawn
from truekeep.stores.records import finished, is_claimed, job_fields, job_from, to_json

from .charging import bill_for
from .part import Part
from .rows import Column, Columns, microseconds, query, replaced_one, sealed, verified
from .spaces import Space

COLUMNS = "space, id, task, payload, state, attempts, result, error, created, updated, lease, not_before, checksum"
JOB = f"SELECT {COLUMNS} FROM jobs"
# Without INDEXED BY, SQLite may prefer to ask every space of the tenant.
OF_TENANT = f"""{JOB} INDEXED BY jobs_by_id WHERE id = ?
    AND EXISTS (SELECT 1 FROM spaces WHERE spaces.id = jobs.space AND tenant = ?) ORDER BY row LIMIT 1"""
LATEST = f"""{JOB} WHERE space IN (SELECT id FROM spaces WHERE tenant = ?) ORDER BY created DESC, row DESC LIMIT ?"""
FREE = """state IN ('waiting', 'running') AND CASE state WHEN 'waiting' THEN not_before ELSE lease END <= ?
    ORDER BY created, row LIMIT 1"""
OPEN = "SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running')"


class JobRows(Part):
    """The port `Jobs`."""

    def add_job(self, job: Job, *, charge: Charge | None = None) -> None:
        def work(connection: apsw.Connection) -> None:
            row = self._spaces.open(connection, job.space)
            if query(connection, f"{JOB} WHERE space = ? AND id = ?", (row.id, job.id)):
                raise Conflict(f"there is a job {job.id!r} already")
            columns = sealed("jobs", *_columns(row, job))
            bill_for(connection, row, charge).admit_job(len(to_json(job.payload).encode()))
            marks = ", ".join("?" * len(columns))
            connection.execute(f"INSERT INTO jobs ({COLUMNS}) VALUES ({marks})", columns)
            row.tally("jobs", added=columns[-1])
            self._spaces.save(connection, row)

        self._database.write(work)

    def job(self, space: SpaceId, id: str) -> Job | None:
        def fetch(connection: apsw.Connection) -> Job | None:
            row = self._spaces.find(connection, space)
            if row is None:
                return None
            found = query(connection, f"{JOB} WHERE space = ? AND id = ?", (row.id, id))
            if not found:
                self._spaces.count(connection, row, "jobs")
                return None
            return _job(found[0], space)

        return self._database.read_together(fetch)

    def find_job(self, tenant: str, id: str) -> Job | None:
        def fetch(connection: apsw.Connection) -> Job | None:
            for columns in query(connection, OF_TENANT, (id, tenant)):
                return _job(columns, SpaceId(tenant, self._spaces.by_id(connection, columns[0]).name))
            return None

        return self._database.read_together(fetch)

    def latest_jobs(self, tenant: str, *, limit: int = 100) -> list[Job]:
        def fetch(connection: apsw.Connection) -> list[Job]:
            found = query(connection, LATEST, (tenant, limit))
            return [_job(row, SpaceId(tenant, self._spaces.by_id(connection, row[0]).name)) for row in found]

        return self._database.read_together(fetch)

    def claim_job(self, *, now: datetime, lease: timedelta, max_attempts: int) -> Job | None:
        at = microseconds(now)

        def work(connection: apsw.Connection) -> Job | None:
            while found := query(connection, f"{JOB} WHERE {FREE}", (at,)):
                row = self._spaces.by_id(connection, found[0][0])
                job = _job(found[0], SpaceId(row.tenant, row.name))
                if job.attempts < max_attempts:
                    claimed = replace(job, state="running", attempts=job.attempts + 1, updated=now)
                    self._replace(connection, row, found[0], claimed, lease=microseconds(now + lease))
                    return claimed
                self._replace(connection, row, found[0], replace(job, state="failed", error="gave up", updated=now))
            return None

        # Idle processes ask often: only one that sees a job goes on to take the write lock.
        if not self._database.read(lambda connection: query(connection, f"{JOB} WHERE {FREE}", (at,))):
            return None
        return self._database.write(work)

    def finish_job(self, job: Job, *, now: datetime, again_at: datetime | None = None) -> None:
        rest = 0 if again_at is None or job.state != "waiting" else microseconds(again_at)

        def work(connection: apsw.Connection) -> None:
            row = self._spaces.find(connection, job.space)
            if row is None:
                return
            for old in query(connection, f"{JOB} WHERE space = ? AND id = ?", (row.id, job.id)):
                done = finished(_job(old, job.space), job, now)
                if done is not None:
                    self._replace(connection, row, old, done, not_before=rest)

        self._database.write(work)

    def waiting_jobs(self, space: SpaceId | None = None) -> int:
        def fetch(connection: apsw.Connection) -> int:
            if space is None:
                return int(query(connection, OPEN)[0][0])
            row = self._spaces.find(connection, space)
            return 0 if row is None else int(query(connection, f"{OPEN} AND space = ?", (row.id,))[0][0])

        return self._database.read_together(fetch)

    def _replace(
        self, connection: apsw.Connection, row: Space, old: Columns, job: Job, *, lease: int = 0, not_before: int = 0
    ) -> None:
        rewrite_job(connection, row, old, _columns(row, job, lease=lease, not_before=not_before))
        self._spaces.save(connection, row)


def see_claimed(connection: apsw.Connection, row: Space | None, job: Job) -> None:
    """Raise Withdrawn unless the job is still as it was claimed."""
    for columns in query(connection, f"{JOB} WHERE space = ? AND id = ?", (row and row.id, job.id)):
        if is_claimed(_job(columns, job.space), job):
            return
    raise Withdrawn(f"the job {job.id} is no longer ours")


def rewrite_job(connection: apsw.Connection, row: Space, old: Columns, columns: tuple[Column, ...]) -> None:
    """Put other columns in place of a job's row, and tally it. `old` is the row as it is now, or this fails."""
    new = sealed("jobs", *columns)
    connection.execute(
        f"UPDATE jobs SET ({COLUMNS}) = ({', '.join('?' * len(new))}) WHERE space = ? AND id = ? AND checksum = ?",
        (*new, row.id, old[1], old[-1]),
    )
    replaced_one(connection, "jobs")
    row.tally("jobs", added=new[-1], removed=old[-1])


def _columns(row: Space, job: Job, *, lease: int = 0, not_before: int = 0) -> tuple[Column, ...]:
    """All columns of a job but the checksum."""
    return (row.id, *job_fields(job), lease, not_before)


def _job(columns: Columns, space: SpaceId) -> Job:
    return job_from(space, *verified("jobs", columns, columns[1])[1:10])

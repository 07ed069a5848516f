"""Jobs: durable work that any process on the database may take up."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from truekeep.errors import Conflict
from truekeep.model import Job, SpaceId
from truekeep.ports import Charge, Withdrawn
from truekeep.stores.records import finished, is_claimed, job_fields, job_from, microseconds, to_json

from .charging import bill_for
from .part import Part
from .session import Columns, Session
from .spaces import Space, Writing

COLUMNS = "space_id, id, task, payload, state, attempts, result, error, created, updated"
JOB = f"SELECT {COLUMNS} FROM jobs"
ADD = f"""INSERT INTO jobs (tenant, {COLUMNS}, lease, not_before)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 0, 0) ON CONFLICT (space_id, id) DO NOTHING"""
REWRITE = """UPDATE jobs SET payload = %s, state = %s, attempts = %s, result = %s, error = %s, updated = %s, lease = %s,
    not_before = %s WHERE space_id = %s AND id = %s"""
OF_TENANT = f"""SELECT s.name, {", ".join(f"j.{name.strip()}" for name in COLUMNS.split(","))}
    FROM jobs AS j JOIN spaces AS s ON s.id = j.space_id WHERE j.tenant = %s AND j.id = %s ORDER BY j.added LIMIT 1"""
LATEST = f"""SELECT s.name, {", ".join(f"j.{name.strip()}" for name in COLUMNS.split(","))}
    FROM jobs AS j JOIN spaces AS s ON s.id = j.space_id WHERE j.tenant = %s
    ORDER BY j.created DESC, j.added DESC LIMIT %s"""
IS_FREE = "state IN ('waiting', 'running') AND CASE state WHEN 'waiting' THEN not_before ELSE lease END <= %s"
# Whoever comes while another one takes the first job takes the second.
FREE = f"""SELECT s.tenant, s.name, {", ".join(f"j.{name.strip()}" for name in COLUMNS.split(","))}
    FROM (SELECT * FROM jobs WHERE {IS_FREE} ORDER BY created, added LIMIT 1 FOR UPDATE SKIP LOCKED) AS j
    JOIN spaces AS s ON s.id = j.space_id"""
OPEN = "SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running')"


class JobRows(Part):
    """The port `Jobs`."""

    def add_job(self, job: Job, *, charge: Charge | None = None) -> None:
        def work(writing: Writing) -> None:
            row = writing.open()
            bill_for(writing.session, row, charge).admit_job(len(to_json(job.payload).encode()))
            if not writing.session.change(ADD, (row.tenant, row.id, *job_fields(job))):
                raise Conflict(f"there is a job {job.id!r} already")

        self._database.write(job.space, work)

    def job(self, space: SpaceId, id: str) -> Job | None:
        def fetch(session: Session) -> list[Columns]:
            return session.query(f"{JOB} WHERE space_id = %s AND id = %s", (self._number(session, space), id))

        rows = self._database.read(space.tenant, fetch)
        return job_from(space, *rows[0][1:]) if rows else None

    def find_job(self, tenant: str, id: str) -> Job | None:
        rows = self._database.read(tenant, lambda session: session.query(OF_TENANT, (tenant, id)))
        return job_from(SpaceId(tenant, rows[0][0]), *rows[0][2:]) if rows else None

    def latest_jobs(self, tenant: str, *, limit: int = 100) -> list[Job]:
        rows = self._database.read(tenant, lambda session: session.query(LATEST, (tenant, limit)))
        return [job_from(SpaceId(tenant, columns[0]), *columns[2:]) for columns in rows]

    def claim_job(self, *, now: datetime, lease: timedelta, max_attempts: int) -> Job | None:
        at = microseconds(now)

        def work(session: Session) -> Job | None:
            while found := session.query(FREE, (at,)):
                tenant, name, *columns = found[0]
                job = job_from(SpaceId(tenant, name), *columns[1:])
                if job.attempts < max_attempts:
                    claimed = replace(job, state="running", attempts=job.attempts + 1, updated=now)
                    rewrite_job(session, columns[0], claimed, lease=microseconds(now + lease))
                    return claimed
                rewrite_job(session, columns[0], replace(job, state="failed", error="gave up", updated=now))
            return None

        # Idle processes ask often: only one that sees a job goes on to write.
        seen = f"SELECT 1 FROM jobs WHERE {IS_FREE} LIMIT 1"
        if not self._database.read(None, lambda session: session.query(seen, (at,))):
            return None
        return self._database.change(None, work)

    def finish_job(self, job: Job, *, now: datetime, again_at: datetime | None = None) -> None:
        rest = 0 if again_at is None or job.state != "waiting" else microseconds(again_at)
        statement = f"{JOB} WHERE space_id = %s AND id = %s FOR UPDATE"

        def work(session: Session) -> None:
            for columns in session.query(statement, (self._number(session, job.space), job.id)):
                done = finished(job_from(job.space, *columns[1:]), job, now)
                if done is not None:
                    rewrite_job(session, columns[0], done, not_before=rest)

        self._database.change(job.space.tenant, work)

    def waiting_jobs(self, space: SpaceId | None = None) -> int:
        if space is None:
            return int(self._database.read(None, lambda session: session.query(OPEN))[0][0])

        def count(session: Session) -> int:
            return int(session.query(f"{OPEN} AND space_id = %s", (self._number(session, space),))[0][0])

        return self._database.read(space.tenant, count)


def jobs_of(session: Session, row: Space, *, lock: bool = True) -> list[Job]:
    """All jobs of a space; with `lock` nobody else changes them until the transaction is over."""
    rows = session.query(f"{JOB} WHERE space_id = %s ORDER BY added {'FOR UPDATE' if lock else ''}", (row.id,))
    return [job_from(SpaceId(row.tenant, row.name), *columns[1:]) for columns in rows]


def see_claimed(session: Session, row: Space | None, job: Job) -> None:
    """Raise Withdrawn unless the job is still as it was claimed. Whoever erases it waits for the row of the space."""
    for columns in session.query(f"{JOB} WHERE space_id = %s AND id = %s", (row and row.id, job.id)):
        if is_claimed(job_from(job.space, *columns[1:]), job):
            return
    raise Withdrawn(f"the job {job.id} is no longer ours")


def rewrite_job(session: Session, space: int, job: Job, *, lease: int = 0, not_before: int = 0) -> None:
    new = (to_json(job.payload), job.state, job.attempts, to_json(job.result), job.error, microseconds(job.updated))
    session.change(REWRITE, (*new, lease, not_before, space, job.id))

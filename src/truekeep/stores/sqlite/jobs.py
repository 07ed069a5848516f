"""Jobs: durable work that any process on the file may take up."""

from __future__ import annotations

import apsw

from truekeep.model import Job, SpaceId
from truekeep.ports import Withdrawn
from truekeep.stores.ledger.space import Space
from truekeep.stores.records import is_claimed, job_from

from .rows import Column, Columns, query, replaced_one, sealed, verified
from .spaces import tally

COLUMNS = "space, id, task, payload, state, attempts, result, error, created, updated, lease, not_before, checksum"
JOB = f"SELECT {COLUMNS} FROM jobs"


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
    tally(row, "jobs", added=new[-1], removed=old[-1])


def _job(columns: Columns, space: SpaceId) -> Job:
    return job_from(space, *verified("jobs", columns, columns[1])[1:10])

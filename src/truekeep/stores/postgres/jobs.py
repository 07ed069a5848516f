"""Jobs: durable work that any process on the database may take up."""

from __future__ import annotations

from truekeep.model import Job, SpaceId
from truekeep.ports import Withdrawn
from truekeep.stores.ledger.space import Space
from truekeep.stores.records import is_claimed, job_from

from .session import Session

COLUMNS = "space_id, id, task, payload, state, attempts, result, error, created, updated"
JOB = f"SELECT {COLUMNS} FROM jobs"


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

"""Jobs: durable work that any process may take up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import get_args

from truekeep.errors import Conflict
from truekeep.model import Job, JobState, SpaceId
from truekeep.ports import Charge, Withdrawn
from truekeep.stores.tables import microseconds, to_json

from .cells import Cells, Space, job_cells, job_of
from .driver import Chapter
from .quotas import Bill
from .rows import Rows


class Jobs(Chapter):
    """The port `Jobs`."""

    def add_job(self, job: Job, *, charge: Charge | None = None) -> None:
        def work(rows: Rows) -> None:
            row = rows.find(job.space, make=True)
            if rows.of("jobs", row, [job.id]):
                raise Conflict(f"there is a job {job.id!r} already")
            Bill(rows, row, charge).admit_job(len(to_json(job.payload).encode()))
            rows.keep("jobs", row, [job_cells(job)])

        self._driver.write(job.space, work)

    def job(self, space: SpaceId, id: str) -> Job | None:
        found = self._driver.read(space.tenant, lambda rows: rows.of("jobs", rows.seen(space), [id]))
        return job_of(space, found[0]) if found else None

    def find_job(self, tenant: str, id: str) -> Job | None:
        found = self._driver.read(tenant, lambda rows: rows.jobs_of(tenant, id=id, limit=1))
        return job_of(*found[0]) if found else None

    def latest_jobs(self, tenant: str, *, limit: int = 100) -> list[Job]:
        found = self._driver.read(tenant, lambda rows: rows.jobs_of(tenant, limit=limit))
        return [job_of(space, cells) for space, cells in found]

    def claim_job(self, *, now: datetime, lease: timedelta, max_attempts: int) -> Job | None:
        at = microseconds(now)

        def work(rows: Rows) -> Job | None:
            while (found := rows.free_job(at)) is not None:
                job = job_of(*found)
                if job.attempts < max_attempts:
                    claimed = replace(job, state="running", attempts=job.attempts + 1, updated=now)
                    _rewrite(rows, found, claimed, lease=microseconds(now + lease))
                    return claimed
                _rewrite(rows, found, replace(job, state="failed", error="gave up", updated=now))
            return None

        # Idle processes ask often: only one that sees a job goes on to write.
        if self._driver.read(None, lambda rows: rows.free_job(at)) is None:
            return None
        return self._driver.change(None, work)

    def finish_job(self, job: Job, *, now: datetime, again_at: datetime | None = None) -> None:
        rest = 0 if again_at is None or job.state != "waiting" else microseconds(again_at)

        def work(rows: Rows) -> None:
            for cells in rows.of("jobs", rows.seen(job.space), [job.id]):
                done = finished(job_of(job.space, cells), job, now)
                if done is not None:
                    _rewrite(rows, (job.space, cells), done, not_before=rest)

        self._driver.change(job.space.tenant, work)

    def erase_jobs(self, space: SpaceId, *, session: str) -> bool:
        def left(job: Job) -> Job | None:
            return None if job.payload.get("session") == session else job

        return not self.cut_jobs(space, left) or self._driver.clean()

    def cut_jobs(self, space: SpaceId, left: Callable[[Job], Job | None]) -> int:
        def work(rows: Rows) -> int:
            row = rows.find(space)
            found = [(cells, job, left(job)) for cells in rows.all("jobs", row) for job in [job_of(space, cells)]]
            gone = [job.id for _, job, rest in found if rest is None]
            if gone:
                rows.drop("jobs", row, gone)
            cut = [(cells, rest) for cells, job, rest in found if rest is not None and rest != job]
            new = [(*cells[:2], to_json(rest.payload), *cells[3:]) for cells, rest in cut]
            rows.keep("jobs", row, new, [cells for cells, _ in cut])
            return len(gone) + len(cut)

        return self._driver.erase(space, work)

    def jobs_by_state(self) -> dict[JobState, int]:
        found = self._driver.read(None, lambda rows: rows.jobs_by_state())
        return {state: found.get(state, 0) for state in get_args(JobState)}

    def waiting_jobs(self, space: SpaceId | None = None) -> int:
        if space is None:
            return self._driver.read(None, lambda rows: rows.open_jobs())
        return self._driver.read(space.tenant, lambda rows: rows.open_jobs(space=rows.seen(space)))


def see_claimed(rows: Rows, row: Space, job: Job) -> None:
    """Raise Withdrawn unless the job is still as it was claimed. Whoever erases it waits for the row of the space."""
    found = rows.of("jobs", row, [job.id])
    if not any(is_claimed(job_of(job.space, cells), job) for cells in found):
        raise Withdrawn(f"the job {job.id} is no longer ours")


def _rewrite(rows: Rows, old: tuple[SpaceId, Cells], job: Job, *, lease: int = 0, not_before: int = 0) -> None:
    space, cells = old
    rows.keep("jobs", rows.seen(space), [job_cells(job, lease=lease, not_before=not_before)], [cells])


def is_claimed(present: Job, job: Job) -> bool:
    """Whether a job is still as it was claimed: neither finished nor taken over by somebody else."""
    return (present.state, present.attempts) == ("running", job.attempts)


def finished(present: Job, job: Job, now: datetime) -> Job | None:
    """A claimed job as it is kept once it is done; None when somebody else has taken it over meanwhile."""
    if not is_claimed(present, job):
        return None
    done = replace(present, state=job.state, result=job.result, error=job.error, updated=now)
    return replace(done, payload={}) if job.state == "done" and job.error is None else done

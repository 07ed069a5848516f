"""The duties that nobody waits for: jobs, pending vectors and verdicts, expiry, access counts, snapshots."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from truekeep.engine.judge import AT_ONCE, judge_waiting
from truekeep.engine.parts import Parts
from truekeep.engine.vectorise import BATCH, PATIENCE, fill_pending
from truekeep.engine.verbs import extract
from truekeep.errors import EmbedderError, described
from truekeep.model import Job, JobState, SpaceId
from truekeep.ports import ReportingExtractor, Restricted, Withdrawn

log = logging.getLogger(__name__)

TIME_LIMIT = timedelta(minutes=2)  # of a job; one that takes longer is set aside
LEASE = TIME_LIMIT + timedelta(minutes=1)  # a job not finished by then is taken over by another process
MAX_ATTEMPTS = 5
LAST = 4  # items a commit of who is leaving: the last ones may begin at the last moment, on a machine that is busy
_FIRST_REST = timedelta(seconds=5)  # after a failure a job rests twice as long each time
_FIRST_JOB_AFTER = 3.0  # seconds: one that ended the process before this one must not keep this one from serving
_TIDY_EVERY = 600.0  # seconds
_SWEEP_EVERY = 60.0  # what has expired answers nothing anyway
_WIPE_EVERY = 30.0  # it looks at the whole file, for all that was erased since
_RETRY_VECTORS_AFTER = 30.0
_TASKS = {extract.TASK: extract.run_job}


class Upkeep:
    """Does the waiting work of one set of parts, a bounded piece at a time.

    One that `serves` leaves the jobs of earlier processes for a moment, until it is told to `begin`, or to drain.
    """

    def __init__(self, parts: Parts, *, serves: bool = False) -> None:
        self.parts = parts
        self.failures = 0
        self._is_idle = isinstance(parts.store, Restricted) and parts.store.is_read_only  # others may write
        self.heed: Callable[[Job], None] = lambda job: None  # told of jobs that were worked on
        self._jobs_from = time.monotonic() + _FIRST_JOB_AFTER if serves else 0.0
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        self._tidied = float("-inf")
        self._swept = float("-inf")
        self._wiped = float("-inf")
        self._vectors_from = 0.0  # after a failing embedder: not before this time
        self._patience = timedelta.max  # of who is leaving: jobs that may take longer are left

    def begin(self) -> None:
        """There is a job that somebody has just given us."""
        self._jobs_from = 0.0

    def run(self, patience: timedelta = PATIENCE) -> bool:
        """One round of all duties; whether more is waiting. `patience`: for an embedder that hangs."""
        return not self._is_idle and self._guarded(self._round, patience)  # the clock is the user's: it may fail too

    def _round(self, patience: timedelta) -> bool:
        parts, now = self.parts, self.parts.clock()
        more = self._guarded(self._run_job, now)
        more |= self._guarded(self._catch_up, patience, now)
        self._guarded(parts.accesses.flush, parts.store, now)
        if time.monotonic() - self._tidied > _TIDY_EVERY:
            self._tidied = time.monotonic()
            self._guarded(self._tidy, now)
        if time.monotonic() - self._swept > _SWEEP_EVERY:
            self._swept = time.monotonic()
            self._guarded(self._sweep, now)
        if time.monotonic() - self._wiped > _WIPE_EVERY:
            self._wiped = time.monotonic()
            self._guarded(parts.store.wipe)
        return more

    def drain(self, limit: timedelta, *, leaving: bool = False) -> bool:
        """Finish what is waiting, within a time limit; what remains is durable and done by a later process.

        Whoever is `leaving` does not begin a job that may take longer than the limit.
        """
        if self._is_idle:
            return False
        deadline = time.monotonic() + limit.total_seconds()
        self.begin()
        self._swept = float("-inf")
        self._vectors_from = 0.0
        self.parts.unfinished.hurry()
        self._patience = limit if leaving else timedelta.max
        while (more := self.run(min(limit, PATIENCE))) and time.monotonic() < deadline:
            pass
        self._patience = timedelta.max
        self._guarded(self.parts.indexes.save_snapshots)
        return self._guarded(self.parts.store.wipe) and not more

    @property
    def _is_leaving(self) -> bool:
        return self._patience < timedelta.max

    def _guarded(self, duty: object, *arguments: object) -> bool:
        """Run one duty. The thread that does this must outlive any failure, and no duty may starve the others."""
        try:
            return bool(duty(*arguments))  # type: ignore[operator]  # a callable, see `run`
        except Exception as error:
            self._note(error)
            return False

    def _note(self, error: Exception) -> None:
        self.failures += 1
        log.error("background work failed: %s", described(error), extra={"error": error})

    def _run_job(self, now: datetime) -> bool:
        extractor = self.parts.extractor
        takes = extractor.time_limit if isinstance(extractor, ReportingExtractor) else timedelta(0)
        if takes > self._patience or time.monotonic() < self._jobs_from:
            return False
        job = self.parts.store.claim_job(now=now, lease=LEASE + takes, max_attempts=MAX_ATTEMPTS)
        if job is None:
            return False
        again_at = now + _FIRST_REST * 2**job.attempts
        with suppress(Withdrawn):  # it was forgotten, or took so long that somebody else does it
            worked = self._worked(job, now)
            self.parts.store.finish_job(worked, now=now, again_at=again_at)
            self.heed(worked)
        return True

    def _worked(self, job: Job, now: datetime) -> Job:
        try:
            result = _TASKS[job.task](job, parts=self.parts, now=now, limit=TIME_LIMIT)
        except Withdrawn:
            raise
        except extract.TimeUp as error:  # as it would be the next time
            self.failures += 1
            log.error("job %s was set aside: it %s", job.id, error)
            return replace(job, state="failed", error=str(error))
        except Exception as error:
            self.failures += 1
            log.error("job %s failed at attempt %d: %s", job.id, job.attempts, described(error))
            state: JobState = "failed" if job.attempts >= MAX_ATTEMPTS else "waiting"
            return replace(job, state=state, error=type(error).__name__)  # the message could quote a memory
        return replace(job, state="done", result=result, error=extract.shortfall(result))

    def _catch_up(self, patience: timedelta, now: datetime) -> bool:
        """Some vectors, or else some verdicts, of the first space that lacks any; whether more is waiting.

        Spaces are served in turn.
        """
        unfinished = self.parts.unfinished
        for space in unfinished.due():
            unfinished.remove(space)  # first: whatever comes in meanwhile adds it again
            at_once = LAST if self._is_leaving else AT_ONCE
            try:
                more = self._made_vectors(space, patience) or judge_waiting(self.parts, space, now=now, limit=at_once)
            except Exception as error:  # a space that cannot be read or written must not starve the others
                unfinished.rest(space)
                self._note(error)
                continue
            if more:
                unfinished.add(space)
                return True
            if space not in unfinished and (due := self.parts.aside.due(space)) is not None:
                unfinished.add(space, due=due)
        return False

    def _made_vectors(self, space: SpaceId, patience: timedelta) -> bool:
        """Whether some were made; where the embedder is out of order, words alone must do for a while."""
        if time.monotonic() >= self._vectors_from:
            limit = LAST if self._is_leaving and self.parts.embedder.in_process else BATCH
            try:
                return fill_pending(self.parts, space, limit=limit, patience=patience)
            except EmbedderError as error:
                self._note(error)
                self._vectors_from = time.monotonic() + _RETRY_VECTORS_AFTER
        self.parts.unfinished.add(space, due=self._vectors_from)
        return False

    def _sweep(self, now: datetime) -> None:
        """Erase items of any space whose time has come. They may be said again: no tombstones."""
        while self.parts.store.erase_expired(now):
            pass

    def _tidy(self, now: datetime) -> None:
        self.parts.store.tidy(now=now)
        self.parts.indexes.save_snapshots()

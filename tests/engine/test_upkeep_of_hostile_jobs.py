"""A job that ended its process, or takes too long, keeps nobody from anything."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from truekeep import Memory, QuotaExceeded
from truekeep.assembly import open_parts
from truekeep.engine.runtime import upkeep
from truekeep.engine.runtime.opened import Opened
from truekeep.engine.runtime.upkeep import LEASE, MAX_ATTEMPTS, Upkeep
from truekeep.engine.verbs import extract
from truekeep.model import Draft, Job, Message, SpaceId
from truekeep.testing.fakes import FakeEmbedder, FixedClock

SPACE = SpaceId("local", "bot")


class Forgetful:
    """Raises what somebody's own extractor might: with a name in it."""

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        raise QuotaExceeded(f"no more writes: {messages[0].content}", retry_after=timedelta(days=1))


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock) -> Opened:
    return open_parts(at=tmp_path / "memory.db", embedder=FakeEmbedder(16), clock=clock, background=False)


def left_behind(opened: Opened, clock: FixedClock) -> Job:
    job = extract.new_job([Message(content="I prefer tea.", role="user")], session=None, space=SPACE, now=clock.now)
    opened.parts.store.add_job(job)
    return job


def state_of(opened: Opened, job: Job) -> tuple[str, str | None]:
    found = opened.parts.store.job(SPACE, job.id)
    assert found is not None
    return found.state, found.error


def test_whoever_serves_leaves_jobs_of_earlier_processes_for_a_moment(opened: Opened, clock: FixedClock) -> None:
    job = left_behind(opened, clock)
    serving = Upkeep(opened.parts, serves=True)

    serving.run()
    at_first = state_of(opened, job)
    serving.begin()
    serving.run()

    assert at_first == ("waiting", None)
    assert state_of(opened, job) == ("done", None)
    opened.close()


def test_a_job_that_takes_too_long_is_set_aside_at_once(
    opened: Opened, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "TIME_LIMIT", timedelta(0))
    job = left_behind(opened, clock)

    Upkeep(opened.parts).run()

    assert state_of(opened, job) == ("failed", "took longer than 0 seconds")
    assert [one.id for one in opened.parts.store.latest_jobs("local")] == [job.id]
    opened.close()


def test_a_job_that_ends_every_process_is_set_aside(opened: Opened, clock: FixedClock) -> None:
    job = left_behind(opened, clock)
    for _ in range(MAX_ATTEMPTS):  # each of which dies with it
        opened.parts.store.claim_job(now=clock.now, lease=LEASE, max_attempts=MAX_ATTEMPTS)
        clock.advance(LEASE)

    Upkeep(opened.parts).run()

    assert state_of(opened, job) == ("failed", "gave up")
    opened.close()


def test_the_log_tells_what_failed_and_never_whose(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, embedder = tmp_path / "memory.db", FakeEmbedder(16)
    with (
        caplog.at_level(logging.DEBUG),
        Memory("zqprivate", at=path, embedder=embedder, extractor=Forgetful(), background=False) as memory,
    ):
        memory.extract("Ana: I prefer zqtea.", wait=False)

    assert "QuotaExceeded" in caplog.text
    assert "zq" not in caplog.text

"""Jobs of an extractor that may take long: the end of a process does not wait for them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from pathlib import Path

from truekeep import ExtractorError, Memory
from truekeep.model import Draft, ExtractionReport, Message
from truekeep.ports import Account, Extracted, Extractor
from truekeep.testing.fakes import FakeEmbedder, FixedClock


class Slow:
    """May take a minute."""

    name = "slow"
    time_limit = timedelta(minutes=1)

    def __init__(self) -> None:
        self.runs = 0

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        raise NotImplementedError

    def extract_within(
        self, messages: Sequence[Message], *, account: Account, settled: Collection[int] = ()
    ) -> Extracted:
        self.runs += 1
        return Extracted([Draft(content=messages[0].content)], ExtractionReport(extractor=self.name))


class Broken:
    """Leaves every job waiting."""

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        raise ExtractorError("broken on purpose", retryable=True)


def test_a_memory_that_is_closed_leaves_a_job_that_may_take_long_to_a_later_one(tmp_path: Path) -> None:
    slow, clock = Slow(), FixedClock()

    def opened(extractor: Extractor) -> Memory:
        path, embedder = tmp_path / "memory.db", FakeEmbedder(16)
        return Memory("bot", at=path, embedder=embedder, extractor=extractor, clock=clock, background=False)

    with opened(Broken()) as memory:
        job = memory.extract(["Ana keeps bees"], wait=False).job
        assert job is not None
    clock.advance(timedelta(days=1))
    opened(slow).close()
    runs_at_the_end = slow.runs
    with opened(slow) as memory:
        done = memory.flush(timedelta(seconds=30))

        assert runs_at_the_end == 0
        assert (done, slow.runs, memory.job(job.id).state) == (True, 1, "done")

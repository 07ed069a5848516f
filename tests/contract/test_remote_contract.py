"""The contract of a memory, over a real socket: every test of the embedded memory, through a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.contract.memory_contract import MemoryContract, OpenMemory
from tests.contract.model_machine import MemoryMachine
from tests.remote.served import Served, served
from truekeep import Memory
from truekeep.assembly import open_parts
from truekeep.errors import ExtractorError
from truekeep.model import Draft, Redact
from truekeep.ports import Embedder, Extractor
from truekeep.testing.fakes import FakeEmbedder, FixedClock

CHAOS = os.environ.get("TEST_TRUEKEEP_CHAOS") == "1"


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as server:
        yield server


def opener(stack: ExitStack, server: Served, at: Path) -> OpenMemory:
    """Opens memories at servers of one file: one server for each way in which its parts are put together."""
    addresses: dict[object, str] = {}
    usual = FakeEmbedder()

    def open_memory(
        space: str = "bot",
        *,
        clock: Callable[[], datetime] | None = None,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        background: bool = False,
        redact: Redact | None = None,
    ) -> Memory:
        parts = (clock, embedder or usual, extractor, background, redact)
        if parts not in addresses:
            opened = open_parts(
                at=at,
                clock=clock,
                embedder=embedder or usual,
                extractor=extractor,
                background=background,
                redact=redact,
            )
            stack.callback(opened.close)
            addresses[parts] = server.add(opened)
            stack.callback(server.remove, addresses[parts])
        return stack.enter_context(Memory(space, at=addresses[parts]))

    return open_memory


class TestThroughAServer(MemoryContract):
    @pytest.fixture
    def open_memory(self, server: Served, tmp_path: Path) -> Iterator[OpenMemory]:
        with ExitStack() as stack:
            yield opener(stack, server, tmp_path / "memory.db")

    # Two tests hold in part: what stays with the server on purpose is not on this side.

    def test_a_job_whose_extractor_fails_is_told_and_tried_again(self, open_memory: OpenMemory) -> None:
        """As the contract has it, but for the payload: a transcript that was handed over does not come back."""

        class Broken:
            def extract(self, messages: object) -> list[Draft]:
                raise ExtractorError("broken on purpose", retryable=True)

        clock = FixedClock()
        memory = open_memory(extractor=Broken(), clock=clock)

        extraction = memory.extract("Ana: I prefer tea.", wait=False)
        assert extraction.job is not None
        memory.flush()
        resting = memory.job(extraction.job.id)
        for _ in range(10):
            clock.advance(timedelta(days=1))
            memory.flush()
        job = memory.job(extraction.job.id)

        assert (resting.state, resting.attempts) == ("waiting", 1)
        assert (job.state, job.error, job.payload) == ("failed", "ExtractorError", {})
        assert job.attempts > 1
        assert memory.stats().failures > 1

    def test_whatever_an_extractor_raises_is_an_extractor_error(self, open_memory: OpenMemory) -> None:
        """As the contract has it, but for the cause: an exception of the server's process stays there."""

        class Broken:
            def extract(self, messages: object) -> list[Draft]:
                raise KeyError("a text that nobody else shall read")

        memory = open_memory(extractor=Broken())

        with pytest.raises(ExtractorError, match="the extractor failed") as caught:
            memory.extract("Ana: I prefer tea.")

        assert "a text" not in str(caught.value)


class ThroughAServer(MemoryMachine):
    """Random operations on two handles of one server, compared with plain dicts."""

    server: Served

    def open_memory(self, space: str) -> Memory:
        if not hasattr(self, "url"):
            at = self.folder / "memory.db"
            self.opened = open_parts(at=at, clock=self.clock, embedder=FakeEmbedder(16), background=False)
            self.url = self.server.add(self.opened)
        return Memory(space, at=self.url)

    def teardown(self) -> None:
        if hasattr(self, "url"):
            self.server.remove(self.url)
            self.opened.close()
        super().teardown()


@pytest.fixture(scope="module", autouse=True)
def _serve_the_machine(server: Served) -> None:
    ThroughAServer.server = server


TestRandomOperations = pytest.mark.chaos(ThroughAServer.TestCase)
TestRandomOperations.settings = settings(
    max_examples=300 if CHAOS else 10,
    stateful_step_count=50 if CHAOS else 20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)

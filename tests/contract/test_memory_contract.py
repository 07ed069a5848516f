"""The contract of a memory, on a file, in memory, with the background thread, and with the model that ships."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import pytest

from tests.contract.memory_contract import MemoryContract, OpenMemory, SingleHandleContract
from truekeep import Memory
from truekeep.model import Redact
from truekeep.ports import Embedder, Extractor
from truekeep.testing.fakes import FakeEmbedder


def opener(stack: ExitStack, at: Path | str, *, thread: bool = False, model: bool = False) -> OpenMemory:
    def open_memory(
        space: str = "bot",
        *,
        clock: Callable[[], datetime] | None = None,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        background: bool = thread,
        redact: Redact | None = None,
    ) -> Memory:
        chosen = embedder or (None if model else FakeEmbedder())
        memory = Memory(
            space, at=at, clock=clock, embedder=chosen, extractor=extractor, background=background, redact=redact
        )
        return stack.enter_context(memory)

    return open_memory


class TestOnAFile(MemoryContract):
    @pytest.fixture
    def open_memory(self, tmp_path: Path) -> Iterator[OpenMemory]:
        with ExitStack() as stack:
            yield opener(stack, tmp_path / "memory.db")


class TestInMemory(SingleHandleContract):
    @pytest.fixture
    def open_memory(self) -> Iterator[OpenMemory]:
        with ExitStack() as stack:
            yield opener(stack, ":memory:")


class TestWithTheBackgroundThread:
    """A few of the contract's tests, where the thread may make a difference."""

    @pytest.fixture
    def open_memory(self, tmp_path: Path) -> Iterator[OpenMemory]:
        with ExitStack() as stack:
            yield opener(stack, tmp_path / "memory.db", thread=True)

    test_recalled_at_once = MemoryContract.test_what_is_remembered_is_recalled_at_once
    test_batches = MemoryContract.test_a_batch_has_its_vectors_once_the_work_is_flushed
    test_jobs = MemoryContract.test_extraction_as_a_job_ends_in_the_same_memories
    test_expiry = MemoryContract.test_what_has_expired_may_be_said_again
    test_two_handles = MemoryContract.test_two_handles_see_each_other_on_the_next_call
    test_outlives = MemoryContract.test_a_memory_outlives_its_handle
    test_embedder_fails = MemoryContract.test_a_failing_embedder_delays_meaning_and_never_the_write
    test_export = MemoryContract.test_an_export_restores_a_space_without_loss
    test_closed = MemoryContract.test_a_closed_memory_says_so


class TestWithTheModelThatShips:
    """A few of the contract's tests, and that meaning is found where no word is shared."""

    @pytest.fixture
    def open_memory(self, tmp_path: Path) -> Iterator[OpenMemory]:
        with ExitStack() as stack:
            yield opener(stack, tmp_path / "memory.db", model=True)

    test_recalled_at_once = MemoryContract.test_what_is_remembered_is_recalled_at_once
    test_lessons = MemoryContract.test_lessons_come_in_a_channel_of_their_own
    test_long_texts = MemoryContract.test_a_long_text_is_found_by_any_of_its_parts
    test_export = MemoryContract.test_an_export_restores_a_space_without_loss
    test_min_similarity = MemoryContract.test_min_similarity_is_about_similarity_alone

    def test_meaning_is_found_where_no_word_is_shared(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember_many(["The cat sleeps on the sofa", "Invoices are due on Monday", "The server is in Dublin"])

        found = memory.recall("when must bills be paid?")

        assert found[0].content == "Invoices are due on Monday"
        assert not found.degraded

"""The contract of a memory, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.contract.memory_contract import MemoryContract, OpenMemory

from .test_memory_contract import opener


class TestOnPostgres(MemoryContract):
    @pytest.fixture
    def open_memory(self, postgres_url: str) -> Iterator[OpenMemory]:
        with ExitStack() as stack:
            yield opener(stack, postgres_url)

"""Random operations on two handles of one file, compared with plain dicts."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.contract.model_machine import MemoryMachine
from truekeep import Memory
from truekeep.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.chaos
CHAOS = os.environ.get("TEST_TRUEKEEP_CHAOS") == "1"


class OnAFile(MemoryMachine):
    def open_memory(self, space: str) -> Memory:
        place = self.folder / "memory.db"
        return Memory(space, at=place, clock=self.clock, embedder=FakeEmbedder(16), background=False)


TestOnAFile = OnAFile.TestCase
TestOnAFile.settings = settings(
    max_examples=2000 if CHAOS else 80,
    stateful_step_count=50 if CHAOS else 30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)

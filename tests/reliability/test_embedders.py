"""Embedders that hang or fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from truekeep import Memory
from truekeep.testing.fakes import FailingEmbedder, HangingEmbedder

from .scenarios import embedders

pytestmark = pytest.mark.long


@pytest.mark.parametrize("kind", [FailingEmbedder, HangingEmbedder])
def test_an_embedder_out_of_order_delays_meaning_and_nothing_else(
    tmp_path: Path, kind: type[FailingEmbedder] | type[HangingEmbedder]
) -> None:
    found = embedders.violations(tmp_path / "wordy.db", kind(32))

    assert found == []


def test_closing_does_not_wait_for_an_embedder_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEKEEP_EXIT_SECONDS", "1")
    embedder = HangingEmbedder(32)
    memory = Memory("chaos", at=tmp_path / "stuck.db", embedder=embedder)
    memory.remember_many(["the ferry leaves at nine", "the harbour is old"])

    closing = embedders.tried(memory.close, patience=30)  # half of what upkeep grants a remote embedder
    hangs = closing.is_alive()
    embedder.release.set()
    closing.join()

    assert not hangs

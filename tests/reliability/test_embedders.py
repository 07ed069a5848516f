"""Embedders that hang or fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.testing.fakes import FailingEmbedder, HangingEmbedder

from .scenarios import embedders


@pytest.mark.parametrize("kind", [FailingEmbedder, HangingEmbedder])
def test_an_embedder_out_of_order_delays_meaning_and_nothing_else(
    tmp_path: Path, kind: type[FailingEmbedder] | type[HangingEmbedder]
) -> None:
    found = embedders.violations(tmp_path / "wordy.db", kind(32))

    assert found == []

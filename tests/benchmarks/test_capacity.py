"""The capacity model: its arithmetic, and that the page shows what it computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.capacity import BLOAT, ROW_BYTES, SERVER_INDEX_BYTES, Load, capacity, table

PAGE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "scale-out.md"


def test_disk_grows_with_the_number_of_memories() -> None:
    assert capacity(Load(memories=1e6)).disk == pytest.approx(1e6 * ROW_BYTES * BLOAT)
    assert capacity(Load(memories=1e9)).disk == pytest.approx(1000 * capacity(Load(memories=1e6)).disk)


def test_longer_texts_and_larger_vectors_take_more() -> None:
    usual = capacity(Load(memories=1))

    assert capacity(Load(memories=1, text_bytes=1085)).row_bytes == usual.row_bytes + 1000
    assert capacity(Load(memories=1, dimension=1536)).row_bytes == usual.row_bytes + 2 * (1536 - 384)
    assert capacity(Load(memories=1, dimension=1536)).memory > 2 * usual.memory


def test_there_are_as_many_servers_as_memory_or_recalls_ask_for() -> None:
    small = Load(memories=1000, recalls=1)

    assert capacity(small).servers == 1
    assert capacity(Load(memories=1000, recalls=1000)).servers == 10
    many = capacity(Load(memories=1e9, recalls=1, warm=1.0))
    assert (many.servers - 1) * SERVER_INDEX_BYTES < many.memory <= many.servers * SERVER_INDEX_BYTES


def test_no_partition_gets_too_large() -> None:
    assert capacity(Load(memories=1e9)).databases == 1
    assert capacity(Load(memories=1e10)).databases == 6


def test_the_page_shows_what_the_model_computes() -> None:
    shown = table([Load(memories=memories) for memories in (1e5, 1e6, 1e7, 1e8, 1e9)])

    assert shown in PAGE.read_text()

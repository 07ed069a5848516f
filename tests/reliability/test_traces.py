"""Forgotten text in the bytes of the files."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from .scenarios import traces
from .scenarios.handles import opened

pytestmark = pytest.mark.long


@pytest.mark.parametrize("way", traces.WAYS)
def test_forgetting_leaves_no_trace_in_any_file_or_process(tmp_path: Path, way: str) -> None:
    found = traces.violations(tmp_path, way)

    assert found == []


def test_what_has_expired_leaves_no_trace(tmp_path: Path) -> None:
    found = traces.violations_of_expiry(tmp_path)

    assert found == []


def test_a_reader_that_holds_the_log_is_told_of_and_its_pages_are_wiped_once_it_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "held.db"
    with opened(path, extractor=traces.BrokenExtractor()) as memory:
        secrets = traces.fill(memory)
        reader = apsw.Connection(str(path))
        reader.execute("BEGIN; SELECT count(*) FROM items").fetchall()

        held = memory.forget(kinds=["secret"])
        reader.close()
        memory.forget(memory.remember("something else").id)

        assert held.pending
        assert held.remaining == 0
        assert traces.traces(tmp_path, secrets.words.values()) == []


def test_a_forgotten_statement_leaves_nothing_in_a_backup_made_afterwards(tmp_path: Path) -> None:
    with opened(tmp_path / "original.db", extractor=traces.BrokenExtractor()) as memory:
        secrets = traces.fill(memory)

        memory.forget(kinds=["secret"])
        memory.backup(tmp_path / "copy.db")

    assert traces.traces(tmp_path, secrets.words.values()) == []

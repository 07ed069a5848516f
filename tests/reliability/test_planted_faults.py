"""The checks of this folder, each shown to fail: a fault is planted, and the check reports it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from truekeep.testing.fakes import HangingEmbedder

from .planted import planted
from .scenarios import clocks, crowds, disks, embedders, endings, flips, forks, freshness, kills, threads, traces

pytestmark = pytest.mark.long


def test_a_store_that_acknowledges_before_it_commits_is_caught_by_a_kill(tmp_path: Path) -> None:
    found = kills.violations(tmp_path, cycles=2, fault="acknowledges before it commits")

    assert any("lost item" in violation for violation in found)


def test_a_store_that_commits_a_batch_one_by_one_is_caught_by_a_kill(tmp_path: Path) -> None:
    found: list[str] = []
    for seed in range(8):  # a kill between two parts of a batch takes some luck
        (folder := tmp_path / str(seed)).mkdir()
        found += kills.violations(folder, cycles=3, fault="commits a batch one by one", seed=seed)
        if any("parts" in violation for violation in found):
            break

    assert any("parts" in violation for violation in found)


def test_a_store_that_does_not_wait_is_caught_by_a_crowd(tmp_path: Path) -> None:
    found = crowds.violations_of_writing(tmp_path, processes=4, count=8, fault="does not wait for other processes")

    assert any("an error reached a caller" in violation for violation in found)


def test_a_store_that_edits_values_outside_the_transaction_is_caught_by_a_crowd(tmp_path: Path) -> None:
    found = crowds.violations_of_writing(tmp_path, processes=4, count=8, fault="edits values outside the transaction")

    assert any("the counter shows" in violation for violation in found)


def test_a_store_that_does_not_notice_a_moved_head_is_caught_by_a_crowd(tmp_path: Path) -> None:
    found = crowds.violations_of_superseding(
        tmp_path, processes=4, count=8, fault="does not notice that the head moved"
    )

    assert any("the history has" in violation for violation in found)


def test_an_index_that_is_never_refreshed_is_caught_by_a_second_process(tmp_path: Path) -> None:
    found = freshness.violations(tmp_path, rounds=2, fault="never refreshes the index")

    assert any("what was remembered is not found" in violation for violation in found)


def test_a_store_that_believes_damaged_rows_is_caught_by_flipped_bytes(tmp_path: Path) -> None:
    found, _ = flips.violations(tmp_path, flips=400, fault="believes damaged rows")

    assert any("altered" in violation for violation in found)


@pytest.mark.parametrize("way", ["id", "everything"])
def test_erased_bytes_that_stay_in_the_log_are_caught_by_reading_the_files(tmp_path: Path, way: str) -> None:
    with planted("leaves erased bytes in the log"):
        found = traces.violations(tmp_path, way)

    assert any("can be read in forgetful.db" in violation for violation in found)


@pytest.mark.parametrize("way", endings.WAYS)
def test_jobs_that_are_kept_in_memory_only_are_caught_by_an_early_end(tmp_path: Path, way: str) -> None:
    found = endings.violations(tmp_path, way, fault="keeps jobs in memory only")

    assert found


def test_a_store_that_hides_a_failed_write_is_caught_by_a_full_disk(tmp_path: Path) -> None:
    found = disks.violations_of_filling(tmp_path, "fill_small_disk", fault="hides that it could not write")

    assert any("lost" in violation for violation in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_locks_that_are_kept_over_a_fork_are_caught_by_a_hang(tmp_path: Path) -> None:
    found = forks.violations(tmp_path, rounds=1, load="idle", fault="keeps locks over a fork", patience=8)

    assert any("hangs" in violation for violation in found)


def test_claims_in_the_order_of_the_clock_are_caught_by_a_jump(tmp_path: Path) -> None:
    with planted("trusts the clock"):
        found = clocks.violations_of_superseding(tmp_path)

    assert found


def test_handles_that_are_never_closed_are_caught_by_counting(tmp_path: Path) -> None:
    found = threads.violations_of_dropping(tmp_path, count=10, fault="never closes what was dropped")

    assert found


def test_an_embedder_without_a_deadline_is_caught_because_the_write_does_not_return(tmp_path: Path) -> None:
    unguarded = HangingEmbedder(32)
    unguarded.in_process = True  # the guard believes that it returns soon

    found = embedders.violations(tmp_path / "stuck.db", unguarded, patience=2)

    assert "remember does not return" in found

"""What was erased is in no file any more: the bytes are searched."""

from __future__ import annotations

import random
import re
import shutil
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from truekeep import Memory
from truekeep.model import Source, Value
from truekeep.ports import Answer, Snapshot, Store
from truekeep.stores.sqlite import SqliteStore, wipe
from truekeep.testing.fakes import FakeEmbedder
from truekeep.testing.samples import NOW, SPACE, job, keep, put

ITEMS = 300
VALUE = Value(key="", value="", version=0, created=NOW, updated=NOW)
SIZES = (10, 60, 200, 700, 1500, 5000, 60_000)


def needle(number: int, round: int) -> str:
    """A word that is nowhere else, long enough to be found in a fragment."""
    return f"qz{number:04d}r{round}zq"


def written(number: int, round: int, size: int) -> str:
    word = needle(number, round)
    return f"{word} " * max(1, size // (len(word) + 1))


def fill(store: Store, dice: random.Random) -> None:
    """Items of all sizes, changed several times, with everything that may tell of them."""
    order = [number for number in range(ITEMS) for _ in range(dice.randrange(1, 5))]
    dice.shuffle(order)
    rounds: dict[int, int] = {}
    for number in order:
        round = rounds[number] = rounds.get(number, -1) + 1
        word = needle(number, round)
        made = put(
            f"id{number}",
            written(number, round, dice.choice(SIZES)),
            tags=(f"tag-{word}",),
            metadata={f"key-{word}": [f"value-{word}"]},
            key=f"claim-{word}",
            source=Source(speaker=f"speaker-{word}", session=f"session-{word}"),
            reason=f"reason-{word}",
            version=round + 1,
            keep_previous=dice.random() < 0.5,
        )
        keep(store, made, answers={f"idempotency-{word}": Answer("hash", made.item.id, "added", ())})
    for number in dice.sample(range(ITEMS), 60):
        (present,) = store.get(SPACE, [f"id{number}"])
        store.add_job(job(f"job{number}", payload={"messages": [f"so: {present.content} indeed"]}))
    store.save_snapshot(SPACE, "index", Snapshot(store.head(SPACE).seq, {"words": b"posting " * 1000}))


def traces(folder: Path, erased: set[int]) -> set[str]:
    """Where needles of erased items still lie."""
    found = set()
    for file in folder.iterdir():
        for match in re.finditer(rb"qz(\d{4})r", file.read_bytes()):
            if int(match[1]) in erased:
                found.add(f"{file.name}: {match[1].decode()}")
    return found


def erase_half(store: Store, dice: random.Random) -> set[int]:
    erased = set(dice.sample(range(ITEMS), ITEMS // 2))
    rest = sorted(erased)
    while rest:
        some, rest = rest[:40], rest[40:]
        receipt = store.erase(SPACE, [f"id{number}" for number in some], now=NOW)
        assert (receipt.remaining, receipt.pending) == (0, False)
    return erased


@pytest.mark.parametrize("seed", [1, 2])
def test_no_trace_of_erased_items_is_left_in_any_file(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    store = SqliteStore(tmp_path / "store.db")
    fill(store, dice)

    erased = erase_half(store, dice)

    assert traces(tmp_path, erased) == set()
    survivors = [f"id{number}" for number in range(ITEMS) if number not in erased]
    assert [one.id for one in store.get(SPACE, survivors)] == survivors
    assert store.check() == []
    store.close()
    assert traces(tmp_path, erased) == set()


def test_the_search_finds_traces_when_gaps_are_not_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The remedy is needed: without it the same search fails."""
    monkeypatch.setattr(wipe, "_clear_gaps", lambda path, vfs, start: None)
    found: set[str] = set()
    for seed in range(1, 9):
        if found:
            break
        folder = tmp_path / str(seed)
        dice = random.Random(seed)
        store = SqliteStore(folder / "store.db")
        fill(store, dice)

        found = traces(folder, erase_half(store, dice))
        store.close()

    assert found


def test_nothing_of_an_erased_space_is_left_in_any_file(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    fill(store, random.Random(3))
    store.edit_value(SPACE, "profile", lambda _: needle(ITEMS + 1, 0), now=NOW, ttl=None)

    receipt = store.erase_space(SPACE)

    assert (len(receipt.ids), receipt.remaining, receipt.pending) == (ITEMS, 0, False)
    assert traces(tmp_path, set(range(ITEMS + 2))) == set()
    assert store.check() == []
    store.close()


def test_a_reader_that_holds_the_log_leaves_the_wiping_to_tidy(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    keep(store, put("id1", written(1, 0, 500)))
    reader = apsw.Connection(str(tmp_path / "store.db"))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM items").fetchall()

    receipt = store.erase(SPACE, ["id1"], now=NOW)

    assert (list(receipt.ids), receipt.remaining, receipt.pending) == (["id1"], 0, True)
    assert traces(tmp_path, {1})
    reader.execute("ROLLBACK")
    reader.close()
    store.tidy(now=NOW)
    assert traces(tmp_path, {1}) == set()
    store.close()


def test_what_a_large_file_has_erased_leaves_it_with_the_next_wipe_in_portions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others write between the portions, and what they write brings nothing back."""
    monkeypatch.setattr(wipe, "AT_ONCE", 0)
    monkeypatch.setattr(wipe, "PORTION", wipe.CHUNK)
    dice = random.Random(7)
    store, other = SqliteStore(tmp_path / "store.db"), SqliteStore(tmp_path / "store.db")
    fill(store, dice)
    erased = set(dice.sample(range(ITEMS), ITEMS // 2))

    receipt = store.erase(SPACE, [f"id{number}" for number in erased], now=NOW)
    clear, cleared = wipe._clear_gaps, []

    def clear_and_write(path: Path, vfs: str | None, start: int) -> int | None:
        cleared.append(start)
        return clear(path, vfs, start)

    monkeypatch.setattr(wipe, "_clear_gaps", clear_and_write)
    writing = threading.Thread(target=lambda: [keep(other, put("other", f"written {n}")) for n in range(100)])
    writing.start()
    while not store.wipe():
        pass
    writing.join()

    assert (receipt.remaining, receipt.pending) == (0, True)
    assert len(set(cleared)) > 1
    assert traces(tmp_path, erased) == set()
    assert store.check() == []
    other.close()
    store.close()
    assert traces(tmp_path, erased) == set()


def test_the_next_process_finishes_what_a_killed_one_left_to_wipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wipe, "AT_ONCE", 0)
    there, afterwards = tmp_path / "there", tmp_path / "afterwards"
    store = SqliteStore(there / "store.db")
    fill(store, random.Random(8))
    store.erase(SPACE, ["id1", "id2"], now=NOW)
    afterwards.mkdir()
    for name in ("store.db", "store.db-wal"):  # what a kill leaves behind
        shutil.copy(there / name, afterwards / name)
    store.close()

    with Memory("bot", at=afterwards / "store.db", embedder=FakeEmbedder(4), background=False) as memory:
        left = traces(afterwards, {1, 2})
        memory.flush()
        assert traces(afterwards, {1, 2}) == set()

    assert left


def test_an_erasure_while_the_file_is_wiped_is_wiped_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wipe, "AT_ONCE", 0)
    monkeypatch.setattr(wipe, "PORTION", wipe.CHUNK)
    store, other = SqliteStore(tmp_path / "store.db"), SqliteStore(tmp_path / "store.db")
    fill(store, random.Random(9))
    store.erase(SPACE, ["id1"], now=NOW)
    wipe_portion = wipe._wipe_portion

    def erase_in_between(*given: Any) -> Any:
        done = wipe_portion(*given)
        other.erase(SPACE, ["id2"], now=NOW)
        return done

    monkeypatch.setattr(wipe, "_wipe_portion", erase_in_between)
    first = store.wipe()
    monkeypatch.setattr(wipe, "_wipe_portion", wipe_portion)

    assert (first, store.wipe()) == (False, True)
    assert traces(tmp_path, {1, 2}) == set()
    other.close()
    store.close()


def test_values_that_were_deleted_or_replaced_leave_the_files_with_the_next_wipe(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    for number, end in ((1, None), (2, None), (3, NOW + timedelta(seconds=1))):
        store.restore_value(SPACE, replace(VALUE, key=f"k{number}", value=written(number, 0, 500), expires=end))
    store.edit_value(SPACE, "k1", lambda _: None, now=NOW, ttl=None)
    store.edit_value(SPACE, "k2", lambda _: "another", now=NOW, ttl=None)
    before = traces(tmp_path, {1, 2})

    wiped = store.wipe()
    store.tidy(now=NOW + timedelta(days=1))

    assert before
    assert wiped
    assert traces(tmp_path, {1, 2, 3}) == set()
    store.close()


def test_another_process_that_cached_old_pages_does_not_bring_the_text_back(tmp_path: Path) -> None:
    dice = random.Random(5)
    store, other = SqliteStore(tmp_path / "store.db"), SqliteStore(tmp_path / "store.db")
    fill(store, dice)
    keep(other, put("other", "warm the cache of the other writer"))
    other.changes(SPACE, after=0)

    erased = erase_half(store, dice)
    for number in range(ITEMS):
        if number not in erased:
            keep(other, put(f"id{number}", "replaced", version=9))

    assert traces(tmp_path, erased) == set()
    other.close()
    store.close()
    assert traces(tmp_path, erased) == set()

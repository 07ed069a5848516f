"""A power cut loses nothing that was acknowledged, and halves nothing."""

from __future__ import annotations

import random
from pathlib import Path

from tests.stores.powercut import power_cut
from truekeep.errors import StoreError
from truekeep.stores.sqlite import SqliteStore
from truekeep.stores.sqlite.connections import Durability
from truekeep.testing.samples import NOW, SPACE, keep, put

BATCH = 3
CUTS = 60


def write_until_the_cut(
    folder: Path, survived: Path, dice: random.Random, durable: Durability
) -> tuple[set[str], set[str]]:
    """Batches of three, one erased now and then; which ids were acknowledged, and which of them as erased."""
    kept: set[str] = set()
    erased: set[str] = set()
    with power_cut() as layer:
        store = SqliteStore(folder / "store.db", vfs=layer.name, durable=durable)
        keep(store, put("first"))
        layer.cuts_in = dice.randrange(1, 150)
        try:
            for batch in range(1000):
                puts = [put(f"{batch}.{n}", f"{batch}.{n} " + "x" * dice.choice([5, 500, 9000])) for n in range(BATCH)]
                keep(store, *puts)
                kept.update(one.item.id for one in puts)
                if dice.random() < 0.1:
                    gone = dice.choice(sorted(kept - erased))
                    erased.add(gone)  # from now on it may be gone
                    store.erase(SPACE, [gone], now=NOW)
        except StoreError:
            assert layer.is_off
        layer.survivors(survived, dice)
        layer.cuts_in = None  # what happens now reaches the old files only
        store.close()
    return kept, erased


def lost_or_halved(folder: Path, durable: Durability, seed: int) -> list[str]:
    """What is wrong after one cut."""
    dice = random.Random(seed)
    before, after = folder / f"before{seed}", folder / f"after{seed}"
    before.mkdir()
    after.mkdir()
    kept, erased = write_until_the_cut(before, after, dice, durable)
    store = SqliteStore(after / "store.db")
    found = {row.id for row in store.changes(SPACE, after=0).rows if row.item}
    wrong = [f"lost {id}" for id in kept - erased - found]
    for batch in {id.split(".")[0] for id in found | erased if "." in id}:
        members = {f"{batch}.{n}" for n in range(BATCH)}
        if len(members & (found | erased)) != BATCH:
            wrong.append(f"halved {batch}")
    wrong += store.check()
    store.close()
    return wrong


def test_nothing_acknowledged_is_lost_and_no_batch_is_halved(tmp_path: Path) -> None:
    wrong = {seed: lost_or_halved(tmp_path, "full", seed) for seed in range(CUTS)}

    assert {seed: found for seed, found in wrong.items() if found} == {}


def test_the_same_cuts_lose_acknowledged_writes_when_the_log_is_not_synced(tmp_path: Path) -> None:
    wrong = [found for seed in range(20) for found in lost_or_halved(tmp_path, "normal", seed)]

    assert any(problem.startswith("lost") for problem in wrong)

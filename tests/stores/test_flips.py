"""One flipped byte anywhere in the file: noticed or harmless, never another answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.stores.keys_contract import digest, key
from truekeep.errors import ConfigurationError, StoreError
from truekeep.model import SpaceId
from truekeep.ports import Answer, Saying, Snapshot, Store
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.samples import EMBEDDER, NOW, SPACE, job, keep, put

FLIPS = 300
OTHER = SpaceId("acme", "bot")


def fill(path: Path) -> None:
    store = SqliteStore(path)
    for number in range(12):
        once = {f"once{number}": Answer("hash", f"id{number}", "added", ())}
        text = f"statement {number} " * (number * 4 + 1)
        keep(store, put(f"id{number}", text, key=f"k{number}", vectors=b"v" * 64, tags=("t",)), answers=once)
    keep(store, put("id3", "statement 3, corrected", version=2, keep_previous=True))
    keep(store, put("id4", "statement 4, again", version=2, keep_previous=True, expires=NOW))
    keep(store, put("id5", "statement 5", superseded_by="id6", until=NOW, retired=NOW))
    keep(store, put("there", "elsewhere"), space=OTHER)
    store.erase(SPACE, ["id1"], now=NOW)
    for number in range(4):
        store.edit_value(SPACE, f"value{number}", partial(_constant, {"n": number}), now=NOW, ttl=None)
    store.add_job(job("open"))
    store.add_job(job("done", state="done", result={"ids": ["id2"]}))
    for number in range(3):
        store.add_access_key(key(f"key{number}"), digest(f"key{number}"))
    store.count_usage("acme", {("key:key0", "operations", f"2026-0{month}"): month for month in range(1, 9)})
    store.save_snapshot(SPACE, "index", Snapshot(store.head(SPACE).seq, {"words": b"w" * 3000}))
    store.close()


def _constant(value: Any, present: Any) -> Any:
    return value


def _value(key: str, store: Store) -> Any:
    return store.value(SPACE, key, now=NOW)


def _access_key(secret: str, store: Store) -> Any:
    return store.access_key(digest(secret))


def _about_item(number: int) -> Iterator[tuple[str, Callable[[Store], Any]]]:
    yield f"item {number}", lambda store: store.get(SPACE, [f"id{number}"])
    yield f"answer {number}", lambda store: store.look(SPACE, answers=[f"once{number}"]).answers
    yield f"key {number}", lambda store: store.look(SPACE, claims=[(f"k{number}", NOW)]).by_key


def questions() -> Iterator[tuple[str, Callable[[Store], Any]]]:
    """All that can be asked of the store, one by one: some answers may be refused while others are right."""
    yield "heads", lambda store: [store.head(space) for space in (SPACE, OTHER)]
    yield "changes", lambda store: store.changes(SPACE, after=0)
    yield "recent", lambda store: store.changes(SPACE, after=10).rows
    yield "elsewhere", lambda store: store.changes(OTHER, after=0)
    for number in range(12):
        yield from _about_item(number)
    said = [f"statement {number} " * (number * 4 + 1) for number in range(12)]
    yield "statements", lambda store: store.look(SPACE, sayings=[Saying(one) for one in said])
    yield "history", lambda store: store.history(SPACE, "id3")
    yield "versions", lambda store: list(store.versions(SPACE))
    for number in range(5):
        yield f"value {number}", partial(_value, f"value{number}")
    yield "keys", lambda store: store.keys(SPACE, now=NOW)
    yield "jobs", lambda store: [store.job(SPACE, id) for id in ("open", "done", "none")]
    yield "found job", lambda store: store.find_job(SPACE.tenant, "done")
    yield "spaces", lambda store: [store.spaces("local"), store.spaces("acme"), store.spaces("none")]
    yield "tombstone", lambda store: store.restore(SPACE, [put("again", "statement 1 " * 5)], [])
    for number in range(4):
        yield f"access key {number}", partial(_access_key, f"key{number}")
    yield "access keys", lambda store: store.access_keys(None)
    yield "has access keys", lambda store: store.has_access_keys()
    yield "usage", lambda store: store.usage("acme")
    yield "replaced", lambda store: store.replaced_by(SPACE, "id6")


def altered_answers(path: Path, right: dict[str, Any], dice: random.Random) -> tuple[list[str], bool]:
    """Questions that the file answers, but otherwise than before; and whether anything was refused."""
    altered, noticed = [], False
    try:
        store = SqliteStore(path)
    except (StoreError, ConfigurationError):
        return [], True
    order = list(questions())
    dice.shuffle(order)  # no answer may lean on an earlier check
    for name, ask in order:
        try:
            if ask(store) != right[name]:
                altered.append(name)
        except StoreError:
            noticed = True
    try:
        # What is derived may be missing, for it is made again; it may not be another.
        if {row.vectors for row in store.changes(SPACE, after=0, embedder=EMBEDDER).rows} - {None, b"v" * 64}:
            altered.append("vectors")
        snapshot = store.load_snapshot(SPACE, "index")
        if snapshot is not None and snapshot.parts != {"words": b"w" * 3000}:
            altered.append("snapshot")
        keep(store, put("new", "said after the damage"))
        if [one.content for one in store.get(SPACE, ["new"])] != ["said after the damage"]:
            altered.append("new")
    except StoreError:
        noticed = True
    store.close()
    return altered, noticed


def run_flips(folder: Path, flips: int, seed: int) -> tuple[dict[str, list[str]], int]:
    sound = folder / "sound.db"
    fill(sound)
    store = SqliteStore(sound)
    right = {name: ask(store) for name, ask in questions()}
    store.close()
    content = sound.read_bytes()
    dice = random.Random(seed)
    wrong: dict[str, list[str]] = {}
    noticed = 0
    for number in range(flips):
        place, change = dice.randrange(len(content)), dice.randrange(1, 256)
        damaged = folder / "damaged.db"
        damaged.write_bytes(content[:place] + bytes([content[place] ^ change]) + content[place + 1 :])
        altered, was_noticed = altered_answers(damaged, right, dice)
        noticed += was_noticed
        if altered:
            wrong[f"flip {number} at {place} by {change}"] = altered
        for file in folder.glob("damaged.db*"):
            file.unlink()
    return wrong, noticed


def test_a_flipped_byte_never_alters_an_answer(tmp_path: Path) -> None:
    wrong, noticed = run_flips(tmp_path, FLIPS, seed=1)

    assert wrong == {}
    assert noticed > FLIPS // 20  # most bytes of a small file are empty; some flips must have hit something

"""Power cuts under a whole memory: items, batches, claims, values, jobs and erasures."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from unittest.mock import patch

from tests.stores.powercut import power_cut
from truekeep import Memory, StoreError, assembly
from truekeep.stores.sqlite import SqliteStore
from truekeep.stores.sqlite.connections import Durability

from .handles import damages, opened
from .traces import BrokenExtractor, traces

BATCH = 3
FILE = "cut.db"


@dataclass
class Acknowledged:
    """What the memory said it did; what was under way at the cut may be there or not."""

    items: dict[str, str] = field(default_factory=dict)  # content → id
    forgotten: set[str] = field(default_factory=set)
    batches: list[int] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    jobs: list[str] = field(default_factory=list)
    claim: int = -1  # the last number said under the key
    under_way: str | None = None  # what is being forgotten


def _do_something(memory: Memory, said: Acknowledged, number: int, dice: Random) -> None:
    match dice.choice(("item", "item", "batch", "value", "claim", "job", "forget")):
        case "item":
            content = f"note{number}x says " + "something " * dice.choice([1, 50, 900])
            said.items[content] = memory.remember(content).id
        case "batch":
            memory.remember_many([f"batch {number} part {part} of the whole" for part in range(BATCH)])
            said.batches.append(number)
        case "value":
            memory.set(f"key {number % 5}", number)
            said.values[f"key {number % 5}"] = number
        case "claim":
            memory.remember(f"the claim is {number}", key="claim")
            said.claim = number
        case "job":
            job = memory.extract([f"I prefer colour {number}."], wait=False).job
            said.jobs.append(job.id if job else "no job")
        case "forget" if said.items:
            said.under_way = dice.choice(sorted(said.items))
            receipt = memory.forget(said.items.pop(said.under_way))
            if not receipt.pending:
                said.forgotten.add(said.under_way)
            said.under_way = None


def _until_the_cut(before: Path, after: Path, durable: Durability, dice: Random) -> Acknowledged:
    said = Acknowledged()
    with power_cut() as layer:

        def store(address: str) -> SqliteStore:
            return SqliteStore(Path(address), vfs=layer.name, durable=durable)

        with patch.object(assembly, "_store", store):
            memory = opened(before / FILE, extractor=BrokenExtractor())
        memory.remember("the power is on")
        layer.cuts_in = dice.randrange(1, 400)
        try:
            for number in range(1000):
                _do_something(memory, said, number, dice)
        except StoreError:
            assert layer.is_off
        layer.survivors(after, dice)
        layer.cuts_in = None  # what happens now reaches the old files only
        memory.close()
    return said


def violations(folder: Path, *, cuts: int, durable: Durability = "full") -> list[str]:
    found = []
    for seed in range(cuts):
        before, after = folder / f"before-{seed}", folder / f"after-{seed}"
        before.mkdir()
        after.mkdir()
        said = _until_the_cut(before, after, durable, Random(seed))
        words = [content.split()[0] for content in said.forgotten]
        problems = [f"after the cut, {trace}" for trace in traces(after, words)]
        found += [f"cut {seed}: {problem}" for problem in (*problems, *_problems(after / FILE, said))]
    return found


def _problems(path: Path, said: Acknowledged) -> list[str]:
    with opened(path, extractor=BrokenExtractor()) as memory:
        contents = {item.content for item in memory.items(limit=1000)}
        found = [f"lost {content[:12]!r}" for content in said.items if content not in contents]
        found += [f"{content[:12]!r} came back" for content in said.forgotten & contents]
        found += [f"lost {key}" for key, number in said.values.items() if memory.get(key, -1) < number]
        found += [f"lost job {job}" for job in said.jobs if not _has_job(memory, job)]
        claims = [int(item.content.split()[-1]) for item in memory.items() if item.key == "claim"]
    if said.claim >= 0 and (len(claims) != 1 or claims[0] < said.claim):
        found.append(f"lost claim: {claims} instead of {said.claim}")
    for batch in {*said.batches, *(int(content.split()[1]) for content in contents if content.startswith("batch"))}:
        there = sum(f"batch {batch} part {part} of the whole" in contents for part in range(BATCH))
        if there != BATCH:
            found.append(f"lost batch {batch}" if there == 0 else f"batch {batch} is halved")
    return found + damages(path)


def _has_job(memory: Memory, id: str) -> bool:
    try:
        memory.job(id)
    except LookupError:
        return False
    return True

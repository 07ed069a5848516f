"""A process that is killed while several of its threads write."""

from __future__ import annotations

import itertools
import re
import secrets
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

from tests.reliability.child import Child
from tests.reliability.children import say

from .handles import damages, exported, opened

BATCH = 5
CYCLES_A_FILE = 20  # later cycles meet what earlier ones left, and the file still stays small
_PART = re.compile(r"batch (\S+) part \d+")


def write(path: str) -> None:
    """In the child: write from several threads for ever, and acknowledge what was kept."""
    memory = opened(path, background=True)
    run = secrets.token_hex(4)

    def singly(thread: int) -> None:
        for number in itertools.count():
            text = f"note {run}-{thread}-{number} stands alone"
            memory.remember(text, key=f"note/{thread}" if number % 3 == 0 else None)
            say({"item": text})

    def in_batches(thread: int) -> None:
        for number in itertools.count():
            label = f"{run}-{thread}-{number}"
            texts = [f"batch {label} part {part} belongs to the whole" for part in range(BATCH)]
            # Records are not judged: the thread spends its time writing, which is where a kill shall meet it.
            memory.remember_many([{"content": text, "kind": "interaction"} for text in texts])
            say({"batch": label})

    def values(thread: int) -> None:
        for number in itertools.count():
            memory.set(f"value {run}-{thread}-{number}", number)
            say({"value": f"value {run}-{thread}-{number}"})

    work = (singly, singly, singly, in_batches, in_batches, values)
    with ThreadPoolExecutor(len(work)) as pool:
        list(pool.map(lambda thread: work[thread](thread), range(len(work))))


def violations(folder: Path, *, cycles: int, fault: str | None = None, seed: int = 1) -> list[str]:
    """Kill the writer `cycles` times; what was acknowledged and is not there, or is there by halves."""
    random = Random(seed)
    found: list[str] = []
    for cycle in range(cycles):
        path = folder / f"killed-{cycle // CYCLES_A_FILE}.db"
        if not path.exists():
            acknowledged: list[dict[str, str]] = []
        with Child("kills.write", path, fault=fault) as child:
            acknowledged += _heard(child, random.randint(1, 60), of_every_kind=cycle % 4 != 3)
            time.sleep(random.uniform(0, 0.02))  # into whatever it does next
            child.kill()
            acknowledged += child.rest()
        found += [f"cycle {cycle}: {problem}" for problem in _problems(path, acknowledged)]
    return found


def _heard(child: Child, count: int, *, of_every_kind: bool) -> list[dict[str, str]]:
    """At least `count` acknowledgements: some kills shall come early, most while all threads are at work."""
    heard: list[dict[str, str]] = []
    while len(heard) < count or (of_every_kind and len({kind for word in heard for kind in word}) < 3):
        heard.append(child.hear())
    return heard


def _problems(path: Path, acknowledged: list[dict[str, str]]) -> list[str]:
    records = exported(path)
    contents = [record["content"] for record in records if record["type"] == "item"]
    parts = Counter(match[1] for content in contents if (match := _PART.match(content)))
    problems = _lost(acknowledged, records, set(contents), parts)
    problems += [f"batch {label} has {count} of {BATCH} parts" for label, count in parts.items() if count != BATCH]
    problems += [f"{content!r} is there twice" for content, count in Counter(contents).items() if count > 1]
    return problems + damages(path)


def _lost(
    acknowledged: list[dict[str, str]], records: list[dict[str, Any]], contents: set[str], parts: Counter[str]
) -> list[str]:
    keys = {record["key"] for record in records if record["type"] == "value"}
    there = {"item": contents, "batch": parts, "value": keys}
    return [f"lost {kind} {name}" for word in acknowledged for kind, name in word.items() if name not in there[kind]]

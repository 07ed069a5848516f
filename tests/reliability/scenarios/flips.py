"""One byte of a file is another: every answer is the same as before, or says that something is wrong."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any, cast
from unittest.mock import patch

from tests.reliability.child import Child
from tests.reliability.children import say
from truekeep import ConfigurationError, Memory, StoreError
from truekeep.engine.runtime.local import Local
from truekeep.engine.verbs import extract
from truekeep.index import cache
from truekeep.model import Message, Recall, SpaceId
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.fakes import FixedClock

from .handles import SPACE, opened

WORKERS = 2
JOB = "job-1"
FORGOTTEN = "the safe opens with the number seven"
QUESTIONS = ("who waters the garden?", "the deadline of project 5", "unheard-of zebra")
Answers = dict[str, Any]


def build(path: Path) -> None:
    """A file with some of everything, closed and whole."""
    with opened(path, clock=FixedClock()) as memory:
        for number in range(30):
            memory.remember(
                f"project {number} has its deadline in week {number * 3} \N{EN DASH} see über-plan {number}",
                kind=("fact", "decision", "lesson")[number % 3],
                tags=[f"project-{number}", "plan"],
                metadata={"number": number, "note": "garden" * (number % 4)},
                session=f"session-{number % 5}",
                speaker=("Ana", "Ben")[number % 2],
                idempotency_key=f"request-{number}",
            )
        memory.remember("Ana waters the garden. " * 400, key="garden")  # over several pages
        for language in ("Perl", "Python", "Rust"):
            memory.remember(f"the language is {language}", key="language")
        corrected = memory.remember("the lab is in room 12")
        memory.correct(corrected.id, "the lab is in room 21")
        for number in range(12):
            memory.set(f"value-{number}", {"list": list(range(number)), "text": "x" * number * 30})
        memory.set("temporary", 1, ttl=timedelta(days=1))
        memory.forget(memory.remember(FORGOTTEN).id)
        memory.recall("garden")
        memory.flush()
        with patch.object(cache, "_WORTH_SAVING", 1):  # a snapshot as well, small as the space is
            cast(Local, memory._engine)._parts.indexes.save_snapshots(least_changes=0)
    store = SqliteStore(path)
    messages = [Message(content="I prefer the blue pen", role="user")]
    job = extract.new_job(messages, session=None, space=SpaceId("local", SPACE), now=FixedClock().now)
    store.add_job(replace(job, id=JOB, state="failed"))  # one that is kept, and not taken up by every reader
    store.close()


def _all(memory: Memory) -> list[Any]:
    return memory.items(limit=1000, include_superseded=True)


def _reads(ids: list[str], lines: list[str]) -> dict[str, Callable[[Memory], Any]]:
    """Everything that can be asked, by name; those that may write come last."""
    return {
        "recall": lambda memory: [_found(memory.recall(text)) for text in QUESTIONS],
        "items": _all,
        "sessions": lambda memory: memory.sessions(),
        "keys": lambda memory: memory.keys(),
        "values": lambda memory: [memory.value(f"value-{number}") for number in range(12)],
        "history": lambda memory: [memory.history(id) for id in ids],
        "export": lambda memory: [_without_accesses(line) for line in memory.export()],
        "job": lambda memory: memory.job(JOB),
        "replay": _replay,
        "import": lambda memory: memory.import_(lines),  # a forgotten statement: the tombstones are answers too
    }


def _found(recall: Recall) -> list[tuple[str, str]]:
    return [(match.id, match.content) for match in (*recall, *recall.lessons)]


def _without_accesses(line: str) -> Any:
    """A wrong access count does no harm, and is documented to be approximate."""
    record = json.loads(line)
    record.pop("accesses", None)
    return record


def _replay(memory: Memory) -> Any:
    item = memory.items(limit=1000, session="session-3")[-1]
    again = memory.remember(
        item.content,
        kind=item.kind,
        tags=item.tags,
        metadata=item.metadata,
        session=item.session,
        speaker=item.speaker,
        idempotency_key="request-3",
    )
    return again.id, again.replayed


def answers(path: Path, reads: dict[str, Callable[[Memory], Any]]) -> Answers:
    """What each read gives; a StoreError (or a refusal to open) counts as noticed, any other error as what it is."""
    try:
        memory = opened(path, clock=FixedClock())
    except (StoreError, ConfigurationError) as error:
        return dict.fromkeys(reads, error)
    found: Answers = {}
    try:
        for name, read in reads.items():
            try:
                found[name] = read(memory)
            except StoreError as error:
                found[name] = error
            except Exception as error:  # anything else is told as a violation
                found[name] = repr(error)
    finally:
        with suppress(StoreError):
            memory.close()
    return found


def examine(sound_file: str, folder: str, seed: str, first: str, last: str) -> None:
    """In a child: flip, ask everything, compare; one verdict a flip."""
    sound_path, copy = Path(sound_file), Path(folder) / f"flipped-{first}.db"
    sound = sound_path.read_bytes()
    copy.write_bytes(sound)
    reads = _known_reads(copy)
    copy.write_bytes(sound)
    expected = answers(copy, reads)
    for number in range(int(first), int(last)):
        random = Random(f"{seed}-{number}")
        offset, mask = random.randrange(len(sound)), random.randrange(1, 256)
        _flip(copy, sound, offset, mask)
        say({"at": offset, "mask": mask, **_verdict(answers(copy, reads), expected)})


def _known_reads(path: Path) -> dict[str, Callable[[Memory], Any]]:
    with opened(path, clock=FixedClock()) as memory:
        ids = [item.id for item in _all(memory) if item.key or item.version > 1]
        lines = list(memory.export())[:1]
        model = json.loads(next(line for line in memory.export() if '"type":"item"' in line))
    lines.append(json.dumps({**model, "id": "returned", "content": FORGOTTEN, "source": {}}))
    return _reads(ids, lines)


def _flip(copy: Path, sound: bytes, offset: int, mask: int) -> None:
    for leftover in copy.parent.glob(f"{copy.name}-*"):
        leftover.unlink()
    flipped = bytearray(sound)
    flipped[offset] ^= mask
    copy.write_bytes(flipped)


def _verdict(found: Answers, expected: Answers) -> dict[str, Any]:
    wrong = [name for name, answer in found.items() if not isinstance(answer, Exception) and answer != expected[name]]
    if wrong:
        told = {name: found[name][:300] if isinstance(found[name], str) else "altered" for name in wrong}
        return {"verdict": "violation", "told": told}
    noticed = any(isinstance(answer, Exception) for answer in found.values())
    return {"verdict": "noticed" if noticed else "harmless"}


def violations(folder: Path, *, flips: int, fault: str | None = None, seed: int = 1) -> tuple[list[str], Counter[str]]:
    """The violations, and how many flips ended how."""
    path = folder / "sound.db"
    build(path)
    share = -(-flips // WORKERS)
    verdicts: list[dict[str, Any]] = []
    found: list[str] = []
    with ExitStack() as stack:
        children = [
            stack.enter_context(
                Child("flips.examine", path, folder, seed, first, min(first + share, flips), fault=fault)
            )
            for first in range(0, flips, share)
        ]
        for child in children:
            verdicts += child.rest()
            if child.end() != 0:
                found.append(f"a process ended with {child.end()}: {child.errors()}")
    found += [f"byte {one['at']} ^ {one['mask']}: {one['told']}" for one in verdicts if one["verdict"] == "violation"]
    return found, Counter(one["verdict"] for one in verdicts)

"""Forgetting, and then searching the bytes of every file for what was forgotten."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from tests.reliability.child import Child
from truekeep import ExtractorError, Memory
from truekeep.engine.runtime.local import Local
from truekeep.index import cache
from truekeep.model import Draft, Message
from truekeep.testing.fakes import FixedClock

from .handles import opened

NEIGHBOURS = 60  # so that rows of others lie around those that go
PLACES = ("content", "first", "second", "tag", "metadata", "speaker", "session", "source", "key", "request")


class BrokenExtractor:
    """Fails for ever, so that transcripts stay in their jobs."""

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        raise ExtractorError("broken on purpose")


@dataclass(frozen=True)
class Secrets:
    """One word that occurs nowhere else for every place in which a text can be, and the ids that hold them."""

    words: Mapping[str, str]
    ids: tuple[str, ...]


def fill(memory: Memory, *, ttl: timedelta | None = None, label: str = "0") -> Secrets:
    """Items, former versions, a line of supersession, jobs, answers and access counts that tell of the secrets."""
    words = {place: f"Nadel{place}ü{label}q" for place in PLACES}
    given: dict[str, Any] = {
        "kind": "secret",
        "tags": [words["tag"]],
        "metadata": {"where": words["metadata"]},
        "speaker": words["speaker"],
        "session": words["session"],
        "source": words["source"],
        "key": words["key"],
        "ttl": ttl,
    }
    first = memory.remember(f"{words['first']} is what I said at first", **given, idempotency_key=words["request"])
    memory.correct(first.id, f"{words['second']} is what I meant " + f"{words['second']} " * 700)
    second = memory.remember(f"{words['content']} is what I say now", **given)
    memory.remember(f"{words['content']} is what I say now", **given)  # said again
    memory.extract([f"and then: {second.item.content}, as you know"], wait=False)
    memory.recall(words["content"])
    return Secrets(words, (first.id, second.id))


WAYS: dict[str, Callable[[Memory, Secrets], object]] = {
    "id": lambda memory, secrets: [memory.forget(id) for id in secrets.ids],
    "tags": lambda memory, secrets: memory.forget(tags=[secrets.words["tag"]]),
    "kinds": lambda memory, secrets: memory.forget(kinds=["secret"]),
    "session": lambda memory, secrets: memory.forget(session=secrets.words["session"]),
    "speaker": lambda memory, secrets: memory.forget(speaker=secrets.words["speaker"]),
    "source": lambda memory, secrets: memory.forget(source=secrets.words["source"]),
    "before": lambda memory, secrets: memory.forget(before=datetime(2100, 1, 1, tzinfo=UTC)),
    "everything": lambda memory, secrets: memory.forget(everything=True),
}


def _bytes(path: Path) -> bytes:
    """Read by another process: closing a file here would drop the locks that SQLite holds on it for this one."""
    return subprocess.run(["cat", path], check=True, capture_output=True).stdout


def traces(folder: Path, words: Iterable[str]) -> list[str]:
    """Where one of the words can still be read, as it is or as JSON may write it."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        bytes_ = _bytes(path)
        for word in words:
            spellings = {word.encode(), json.dumps(word)[1:-1].encode(), word.encode("utf-16-le")}
            if any(spelling in bytes_ for spelling in spellings):
                found.append(f"{word!r} can be read in {path.name}")
    return found


def _save_snapshot(memory: Memory) -> None:
    with patch.object(cache, "_WORTH_SAVING", 1):
        cast(Local, memory._engine)._parts.indexes.save_snapshots(least_changes=0)


def violations(folder: Path, way: str) -> list[str]:
    """Forget in one way, with a snapshot saved and a second process that knows all about it."""
    path = folder / "forgetful.db"
    with opened(path, extractor=BrokenExtractor()) as memory, Child("freshness.obey", path) as other:
        memory.remember_many([f"neighbour {number} drinks tea" for number in range(NEIGHBOURS)])
        secrets = fill(memory)
        memory.remember_many([f"neighbour {number} drinks coffee" for number in range(NEIGHBOURS)])
        memory.set("a value", secrets.words["content"] if way == "everything" else "plain")
        _save_snapshot(memory)
        assert other.ask({"do": "recall", "query": secrets.words["content"]}), "the other process knows it"
        assert len(traces(folder, secrets.words.values())) >= len(PLACES), "all of it can be read before"

        WAYS[way](memory, secrets)

        found = traces(folder, secrets.words.values())
        for word in secrets.words.values():
            found += [f"this process still finds {word!r}" for match in memory.recall(word) if word in match.content]
            heard = other.ask({"do": "recall", "query": word})
            found += [f"the other process still finds {word!r}" for content in heard if word in content]
        kept = len(memory.items(limit=1000))
    if kept != (0 if way in ("everything", "before") else 2 * NEIGHBOURS):
        found.append(f"{kept} neighbours are left")
    return found + traces(folder, secrets.words.values())


def violations_of_expiry(folder: Path) -> list[str]:
    """The time of the secrets comes; upkeep takes them away."""
    clock = FixedClock()
    with opened(folder / "mortal.db", clock=clock, extractor=BrokenExtractor()) as memory:
        memory.remember_many([f"neighbour {number} drinks tea" for number in range(NEIGHBOURS)])
        secrets = fill(memory, ttl=timedelta(hours=1))
        _save_snapshot(memory)
        assert len(traces(folder, secrets.words.values())) >= len(PLACES), "all of it can be read before"

        clock.advance(timedelta(hours=2))
        memory.flush()

        found = traces(folder, secrets.words.values())
    return found + traces(folder, secrets.words.values())

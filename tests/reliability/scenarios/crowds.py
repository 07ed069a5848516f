"""Several processes that write the same file at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

from tests.reliability.child import Child
from tests.reliability.children import commands, say
from truekeep import Memory, TruekeepError
from truekeep.model import MemoryItem

from .handles import damages, opened

KEY = "team/language"


def write(path: str, name: str, count: str) -> None:
    """In a child: singles, batches and values, as soon as all others are ready too."""
    _at_the_signal(path, lambda memory, number: _write_one(memory, name, number), int(count))


def _write_one(memory: Memory, name: str, number: int) -> None:
    memory.remember(f"writer {name} keeps note {number}")
    memory.remember_many([f"writer {name} keeps pair {number} {half}" for half in ("left", "right")])
    memory.increment("total")
    memory.append("log", f"{name}-{number}")


def supersede(path: str, name: str, count: str) -> None:
    """In a child: say one thing after the other under the same key."""
    _at_the_signal(path, lambda memory, number: memory.remember(f"{name} wants language {number}", key=KEY), int(count))


def _at_the_signal(path: str, work: Callable[[Memory, int], object], count: int) -> None:
    try:
        memory = opened(path, background=True)
    except TruekeepError as error:
        say({"error": repr(error)})
        return
    with memory:
        say("ready")
        next(commands())
        for number in range(count):
            try:
                work(memory, number)
            except Exception as error:  # the parent reports whatever reaches a caller
                say({"error": repr(error)})


def _crowd(role: str, path: Path, processes: int, count: int, fault: str | None) -> list[str]:
    """Let them all run; the errors that reached a caller."""
    with ExitStack() as stack:
        children = [
            stack.enter_context(Child(role, path, f"p{number}", count, fault=fault)) for number in range(processes)
        ]
        heard = [child.hear() for child in children]
        for child in children:
            child.tell("go")
        heard += [word for child in children for word in child.rest()]
        ended = Counter(child.end() for child in children)
    errors = [f"an error reached a caller: {word['error']}" for word in heard if isinstance(word, dict)]
    return errors if ended == {0: processes} else [*errors, f"exit statuses {dict(ended)}"]


def violations_of_writing(folder: Path, *, processes: int = 8, count: int = 12, fault: str | None = None) -> list[str]:
    path = folder / "crowd.db"
    found = _crowd("crowds.write", path, processes, count, fault)
    names = [(f"p{process}", number) for process in range(processes) for number in range(count)]
    expected = Counter(f"writer {name} keeps note {number}" for name, number in names)
    expected += Counter(
        f"writer {name} keeps pair {number} {half}" for name, number in names for half in ("left", "right")
    )
    with opened(path) as memory:
        contents = Counter(item.content for item in memory.items(limit=1000))
        total, log = memory.get("total"), memory.get("log", [])
    found += [f"lost {content!r}" for content in expected - contents]
    found += [f"never said, or twice: {content!r}" for content in contents - expected]
    if total != len(names):
        found.append(f"the counter shows {total}, not {len(names)}")
    if sorted(log) != sorted(f"{name}-{number}" for name, number in names):
        found.append(f"the list has {len(log)} entries, not the {len(names)} that were appended")
    return found + damages(path)


def violations_of_superseding(
    folder: Path, *, processes: int = 8, count: int = 12, fault: str | None = None
) -> list[str]:
    path = folder / "claims.db"
    found = _crowd("crowds.supersede", path, processes, count, fault)
    expected = {f"p{process} wants language {number}" for process in range(processes) for number in range(count)}
    with opened(path) as memory:
        items = memory.items(limit=1000, include_superseded=True)
        current = [item for item in items if item.is_current]
        history = memory.history(current[0].id) if current else []
    if len(current) != 1:
        found.append(f"{len(current)} items are current")
    if len(history) != len(expected) or {item.content for item in history} != expected:
        found.append(f"the history has {len(history)} of {len(expected)} statements")
    return found + breaks(history) + damages(path)


def breaks(history: Sequence[MemoryItem]) -> list[str]:
    """Where the history is not one chain, each superseded by the next."""
    return [
        f"{one.content!r} is followed by another than its successor"
        for one, two in pairwise(history)
        if one.superseded_by != two.id
    ]

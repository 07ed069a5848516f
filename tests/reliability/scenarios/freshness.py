"""Two long-lived processes: what one does, the other sees at its very next call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.reliability.child import Child
from tests.reliability.children import commands, say
from truekeep import Memory

from .handles import opened


def obey(path: str) -> None:
    """In a child: do what the parent tells, on a handle that stays open."""
    with opened(path, background=True) as memory:
        for call in commands():
            say(_done(memory, **call))


def _done(memory: Memory, do: str, **given: Any) -> Any:
    result = getattr(memory, do)(**given)
    match do:
        case "remember":
            return result.id
        case "recall":
            return [match.content for match in result]
        case "forget":
            return {"erased": len(result.erased), "remaining": result.remaining, "pending": result.pending}
        case "get":
            return result
    return None


def violations(folder: Path, *, rounds: int = 200, fault: str | None = None) -> list[str]:
    path = folder / "fresh.db"
    found: list[str] = []
    with Child("freshness.obey", path, fault=fault) as one, Child("freshness.obey", path, fault=fault) as two:
        for number in range(rounds):
            writer, reader = (one, two) if number % 2 else (two, one)
            found += [f"round {number}: {problem}" for problem in _round(writer, reader, number)]
        assert one.end() == two.end() == 0
    return found


def _round(writer: Child, reader: Child, number: int) -> list[str]:
    word, other = f"lamp{number:04}x", f"shade{number:04}x"
    question = {"do": "recall", "query": f"where is {word}?"}
    problems = []
    id = writer.ask({"do": "remember", "content": f"{word} stands in the hall"})
    if f"{word} stands in the hall" not in reader.ask(question):
        problems.append("what was remembered is not found")
    writer.ask({"do": "correct", "id": id, "content": f"{word} stands beside {other}"})
    if f"{word} stands beside {other}" not in reader.ask({"do": "recall", "query": f"{other}?"}):
        problems.append("what was corrected is not found in its new words")
    writer.ask({"do": "set", "key": "latest", "value": word})
    if reader.ask({"do": "get", "key": "latest"}) != word:
        problems.append("the value is an old one")
    writer.ask({"do": "forget", "id": id})
    if any(word in content for content in reader.ask(question)):
        problems.append("what was erased is still found")
    return problems

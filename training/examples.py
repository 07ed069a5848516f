"""What the judge learns from: one head, and the texts that are judged in its light."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

Task = Literal["relation", "relevance", "keep", "inference"]

STAY, CHANGE, SAME, PART = range(4)  # what a newer statement does to an older one
KINDS = ("preference", "decision", "fact", "lesson", "context")
UNKNOWN = -1  # a label that nobody gave: neither learned nor counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One input of the judge.

    relation: the head is the newer statement, the texts are older ones, nearest first; labels are STAY to PART.
    relevance: a question, and memories, nearest first; 1 where a memory is needed for the answer.
    keep: the message before and who speaks now, and the sentences of a message; 1 where one is worth keeping.
    inference: a hypothesis and a premise; 0 entailment, 1 contradiction, 2 neutral. It helps learning only.
    """

    task: Task
    source: str  # the author, the corpus or the public set
    world: str  # the scenario or conversation: what is drawn together when intervals are made
    head: str
    texts: tuple[str, ...]
    labels: tuple[int, ...]
    kinds: tuple[str, ...] = ()  # of the sentences to keep; "" for the others
    facts: tuple[Mapping[str, Any], ...] = ()  # what else is known of each text: cosine, days, what the rules say


def said(speaker: str, text: str) -> str:
    """A statement as the judge reads it: the user's own words bare, everybody else's with the name."""
    return text if speaker in ("", "user") else f"{speaker}: {text}"


def write(file: Path, examples: Iterable[Example]) -> int:
    """Write one example a line; returns how many."""
    file.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        for example in examples:
            lines.write(json.dumps(asdict(example), ensure_ascii=False) + "\n")
            count += 1
    return count


def read(file: Path) -> Iterator[Example]:
    """The examples of a file that `write` made."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields: dict[str, Any] = json.loads(line)
            for name in ("texts", "labels", "kinds", "facts"):
                fields[name] = tuple(fields[name])
            yield Example(**fields)

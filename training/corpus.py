"""The corpora of the repository that the rules were made with (`tests/corpus`), as examples.

`third` is for measuring and is not read. What their labels leave open stays unknown: they say what an answer must and
must not hold, not what every statement does to every other one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from truekeep.extractors.prose import own_words
from truekeep.language import sentences

from . import conversations
from .examples import CHANGE, PART, SAME, STAY, UNKNOWN, Example, said
from .rules import opinions
from .scenarios import Scenario, Statement, questions, relations
from .vectors import Vectors

FOLDER = Path(__file__).parent.parent / "tests/corpus"
NAMES = ("own", "more", "train")
_QUIET = ("coexist", "unrelated")  # categories in which everything stays
_SILENT = ("tool", "system", "function", "developer")


def load(vectors: Vectors) -> Iterator[Example]:
    """All examples of all corpora that may be learned from."""
    for name in NAMES:
        worlds = [_world(name, fields) for fields in _lines(f"belief_{name}.jsonl")]
        yield from relations(worlds, vectors)
        yield from questions(worlds, vectors)
        for fields in _lines(f"extract_{name}.jsonl"):
            yield from _messages(name, fields)


def pairs() -> Iterator[Example]:
    """Plain changes and plain look-alikes, a pair each: the corpora hold few of these, and life many."""
    for number, line in enumerate(
        (FOLDER.parent / "engine/belief/pairs.jsonl").read_text(encoding="utf-8").splitlines()
    ):
        told = json.loads(line)
        older = Statement(told["speaker"], date(2026, 3, 2), told["old"])
        newer = Statement(told["newer_speaker"], date(2026, 4, 1), told["new"])
        label = CHANGE if told["label"].startswith("change") else SAME if told["label"].startswith("again") else STAY
        yield Example(
            task="relation",
            source="pairs",
            world=f"pairs{number}",
            head=said(newer.speaker, newer.text),
            texts=(said(older.speaker, older.text),),
            labels=(label,),
            facts=tuple(opinions(newer, [older], [told["likeness"]])),
        )


def _lines(file: str) -> Iterator[Mapping[str, Any]]:
    yield from map(json.loads, filter(None, (FOLDER / file).read_text(encoding="utf-8").splitlines()))


def _world(name: str, fields: Mapping[str, Any]) -> Scenario:
    steps = [
        Statement(step.get("speaker") or "user", date.fromisoformat(step["at"][:10]), step["say"])
        for step in fields["steps"]
    ]
    plain = [_plain(step.text) for step in steps]

    def holding(parts: list[str]) -> set[int]:
        return {place for part in parts for place, text in enumerate(plain) if _plain(part) in text}

    asks = [] if fields["category"] == "bounded" else fields.get("asks", [])
    return Scenario(
        id=fields["id"],
        author=name,
        statements=steps,
        labels=_labels(fields, [(holding(ask["stale"]), holding(ask["current"])) for ask in asks], holding),
        questions=[(ask["query"], frozenset(holding(ask["current"]))) for ask in asks if ask["current"]],
    )


def _labels(
    fields: Mapping[str, Any], asks: list[tuple[set[int], set[int]]], holding: Any
) -> dict[tuple[int, int], int]:
    """The one newer statement that answers in the place of a stale one changed it; what must stay, stays."""
    count = len(fields["steps"])
    stay = holding(fields.get("must_stay", []))
    stale = {old for olds, _ in asks for old in olds}
    current = {new for _, news in asks for new in news}
    labels: dict[tuple[int, int], int] = {}
    for new in range(count):
        for old in range(new):
            if old in stale:
                known = new in stay and new not in current
            else:
                known = fields["category"] in _QUIET or old in stay or old in current
            labels[old, new] = STAY if known else UNKNOWN
    for olds, news in asks:
        for old in olds:
            later = {new for new in news if new > old} or set(range(old + 1, count)) - stay - olds
            if len(later) == 1:
                labels[old, later.pop()] = PART if fields["category"] == "partial" else CHANGE
    for group in fields.get("same", []):
        labels |= {(old, new): SAME for old in group for new in group if old < new}
    return labels


def _messages(name: str, fields: Mapping[str, Any]) -> Iterator[Example]:
    before = ""
    for place, message in enumerate(fields["messages"]):
        speaker = message.get("name") or message["role"]
        spoken = [] if message["role"] in _SILENT else list(sentences(own_words(message["content"])))
        if spoken:
            kinds = [_kind(fields, place, sentence) for sentence in spoken]
            yield conversations.example(name, fields["id"], before, speaker, spoken, kinds)
        before = f"{speaker}: {' '.join(message['content'].split())}"


def _kind(fields: Mapping[str, Any], place: int, sentence: str) -> str | None:
    text = _plain(sentence)
    for durable in fields.get("durable", []):
        if durable["message"] == place and any(_plain(part) in text for part in durable["must_contain"]):
            return str(durable["kind"])
    return "" if place in fields.get("transient", []) else None


def _plain(text: str) -> str:
    return " ".join(text.lower().split())

"""Topics that were said and asked in several languages, as sets of questions: one memory a language, asked in all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .datasets import Conversation, Doc, Question
from .lines import Fields
from .lines import read as read_lines
from .runner import Row

Table = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A fact and a question that it answers, by language."""

    id: str
    said: Mapping[str, str]
    asked: Mapping[str, str]


def read(path: Path, *, fold: int | None = None, folds: int = 2) -> list[Conversation]:
    """A memory a language, which is told every topic in it and asked in every language, as far as it is in the fold.

    Raises:
        InvalidInput: it cannot be read, or a line is not what the format says; the message names the line.
    """
    topics = read_lines(path, _topic)
    chosen = [number for number in range(len(topics)) if fold in (None, number % folds)]
    return [
        Conversation(
            id=code,
            docs=tuple(Doc(id=topic.id, text=topic.said[code]) for topic in topics),
            questions=tuple(
                Question(number=number, text=text, evidence=(topics[number].id,), category=asked)
                for number in chosen
                for asked, text in topics[number].asked.items()
            ),
        )
        for code in topics[0].said
    ]


def table(rows: Iterable[Row], k: int) -> Table:
    """How often a question finds what answers it among the first k: by its language, then by that of the memory."""
    found: dict[str, dict[str, list[bool]]] = {}
    for row in rows:
        answered = row.evidence[0] in row.ranked[:k]
        found.setdefault(row.category, {}).setdefault(row.conversation, []).append(answered)
    return {asked: {said: sum(each) / len(each) for said, each in cells.items()} for asked, cells in found.items()}


def across(found: Table, code: str) -> float:
    """The mean over all pairs of a language with another one, whichever of them is asked in."""
    pairs = [share for other in found if other != code for share in (found[code][other], found[other][code])]
    return sum(pairs) / len(pairs)


def _topic(line: Fields) -> Topic:
    topic = Topic(id=line.text("id"), said=line.named_texts("said"), asked=line.named_texts("asked"))
    if topic.said.keys() != topic.asked.keys():
        raise line.wrong("asked", "must be in the languages of 'said'")
    return topic

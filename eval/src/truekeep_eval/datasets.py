"""Sets of questions with known evidence: one conversation, or one space of short facts, a line of JSON."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from .lines import Fields
from .lines import read as read_lines

ABSTAIN = frozenset({"abstention", "unanswerable"})  # categories whose questions nothing in the set answers
UNCATEGORISED = "uncategorised"

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_CLOCK = r"(?:(?P<hour>\d{1,2}):(?P<minute>\d\d)\s*(?P<half>[ap]m)\s+on\s+)?"
_SPELLED = (
    re.compile(_CLOCK + r"(?P<day>\d{1,2})\s+(?P<month>[a-z]+),?\s+(?P<year>\d{4})", re.IGNORECASE),
    re.compile(r"(?P<month>[a-z]+)-(?P<day>\d{1,2})-(?P<year>\d{4})", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doc:
    """One thing that is remembered before questions are put."""

    id: str
    text: str
    when: datetime | None = None
    speaker: str | None = None
    session: str | None = None
    kind: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, and the ids of the docs that answer it."""

    number: int = 0  # among those of its conversation, also when others are left out
    text: str
    evidence: tuple[str, ...] = ()
    category: str = UNCATEGORISED
    now: datetime | None = None  # when it is put; without it, after all that was said


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What one memory is filled with and asked."""

    id: str
    docs: tuple[Doc, ...]
    questions: tuple[Question, ...]


def read(
    path: Path, *, limit: int | None = None, without: Collection[str] = (), kind: str | None = None
) -> list[Conversation]:
    """The conversations of a file, JSON Lines or the same gzipped.

    Args:
        path: the file.
        limit: only so many conversations.
        without: categories of questions to leave out.
        kind: that of all docs, whatever the set says.

    Raises:
        InvalidInput: it cannot be read, or a line is not what the format says; the message names the line.
    """
    return [
        replace(
            found,
            docs=tuple(replace(doc, kind=kind or doc.kind) for doc in found.docs),
            questions=tuple(question for question in found.questions if question.category not in without),
        )
        for found in read_lines(path, _conversation)[:limit]
    ]


def moment(text: str) -> datetime | None:
    """A date as sets write it: ISO 8601, "1:56 pm on 8 May, 2023", "March-15-2024"; None for any other form."""
    try:
        found = datetime.fromisoformat(text)
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    except ValueError:
        pass
    for form in _SPELLED:
        if parts := form.fullmatch(text.strip()):
            return _spelled(parts.groupdict())
    return None


def _spelled(parts: Mapping[str, str | None]) -> datetime | None:
    month = (parts["month"] or "").lower()
    if month not in _MONTHS:
        return None
    hour = int(parts.get("hour") or 12) % 12 + (12 if (parts.get("half") or "").lower() == "pm" else 0)
    day, minute, year = (int(parts.get(name) or 0) for name in ("day", "minute", "year"))
    try:
        return datetime(year, _MONTHS.index(month) + 1, day, hour, minute, tzinfo=UTC)
    except ValueError:  # 31 June
        return None


def _conversation(line: Fields) -> Conversation:
    """Both formats are one: what is a doc with a date in the one is a memory with an `at` in the other."""
    docs = tuple(map(_doc, line.objects("memories" if line.has("memories") else "docs")))
    if not docs:
        raise line.wrong("docs", "must hold a doc at least")
    known = {doc.id for doc in docs}
    if len(known) < len(docs):
        raise line.wrong("docs", "has two of the same id")
    if not line.has("queries"):
        raise line.wrong("queries", "is missing")
    asked = enumerate(line.objects("queries"))
    return Conversation(
        id=line.label("id", "space") or f"line-{line.line}",
        docs=docs,
        questions=tuple(_question(query, number, known, _moment(line, "now")) for number, query in asked),
    )


def _doc(fields: Fields) -> Doc:
    return Doc(
        id=fields.label("id") or fields.text("id"),
        text=fields.text("content" if fields.has("content") else "text"),
        when=_moment(fields, "date", "at"),
        speaker=fields.label("speaker"),
        session=fields.label("session"),
        kind=fields.label("kind"),
        tags=fields.labels("tags"),
    )


def _question(fields: Fields, number: int, known: Collection[str], now: datetime | None) -> Question:
    name = "answers" if fields.has("answers") else "evidence"
    if not fields.has(name):
        raise fields.wrong(name, "is missing")
    evidence = fields.labels(name)
    if strange := set(evidence).difference(known):
        raise fields.wrong(name, f"{min(strange)!r} is the id of no doc")
    return Question(
        number=number,
        text=fields.text("q"),
        evidence=evidence,
        category=fields.label("category") or UNCATEGORISED,
        now=_moment(fields, "now") or now,
    )


def _moment(fields: Fields, *names: str) -> datetime | None:
    found = fields.label(*names)
    return None if found is None else moment(found)

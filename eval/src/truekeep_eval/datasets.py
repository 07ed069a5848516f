"""Sets of questions with known evidence: one conversation, or one space of short facts, a line of JSON."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truekeep.errors import InvalidInput

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


def read(path: Path, *, limit: int | None = None, without: Collection[str] = ()) -> list[Conversation]:
    """The conversations of a file, JSON Lines or the same gzipped.

    Args:
        path: the file.
        limit: only so many conversations.
        without: categories of questions to leave out.

    Raises:
        InvalidInput: it cannot be read, or a line is not what the format says; the message names the line.
    """
    found: list[Conversation] = []
    for number, line in enumerate(_lines(path), start=1):
        if limit is not None and len(found) >= limit:
            break
        if line.strip():
            try:
                conversation = _conversation(json.loads(line), f"line-{number}")
            except (KeyError, TypeError, ValueError, RecursionError) as error:
                what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
                raise InvalidInput("DATA", f"line {number} of {path}: {what}") from error
            kept = tuple(question for question in conversation.questions if question.category not in without)
            found.append(replace(conversation, questions=kept))
    if not found:
        raise InvalidInput("DATA", f"{path} holds no conversation")
    if len({conversation.id for conversation in found}) < len(found):
        raise InvalidInput("DATA", f"{path} has two conversations of the same id")
    return found


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


def _lines(path: Path) -> Iterator[str]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            yield from file
    except UnicodeDecodeError as error:
        raise InvalidInput("DATA", f"{path} is not UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput("DATA", f"{path} cannot be read: {reason}") from error


def _conversation(record: Any, unnamed: str) -> Conversation:
    """Both formats are one: what is a doc with a date in the one is a memory with an `at` in the other."""
    if not isinstance(record, dict):
        raise ValueError("is no JSON object")
    now = _moment(record.get("now"))
    docs = tuple(_doc(doc) for doc in _list(_either(record, "docs", "memories"), "docs"))
    queries = _list(record["queries"], "queries")
    questions = tuple(_question(question, number, now) for number, question in enumerate(queries))
    known = {doc.id for doc in docs}
    if len(known) < len(docs):
        raise ValueError("two docs have the same id")
    for question in questions:
        if strange := set(question.evidence) - known:
            raise ValueError(f"evidence {min(strange)!r} is the id of no doc")
    return Conversation(id=str(record.get("id", record.get("space", unnamed))), docs=docs, questions=questions)


def _doc(record: Mapping[str, Any]) -> Doc:
    return Doc(
        id=str(record["id"]),
        text=_text(_either(record, "text", "content")),
        when=_moment(record.get("date", record.get("at"))),
        speaker=_name(record.get("speaker")),
        session=_name(record.get("session")),
        kind=_name(record.get("kind")),
        tags=tuple(map(str, _list(record.get("tags") or [], "tags"))),
    )


def _question(record: Mapping[str, Any], number: int, now: datetime | None) -> Question:
    evidence = _list(_either(record, "evidence", "answers"), "evidence")
    return Question(
        number=number,
        text=_text(record["q"]),
        evidence=tuple(dict.fromkeys(map(str, evidence))),
        category=str(record.get("category", UNCATEGORISED)),
        now=_moment(record.get("now")) or now,
    )


def _either(record: Mapping[str, Any], name: str, other: str) -> Any:
    return record[other] if other in record else record[name]


def _list(value: Any, name: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name} must be a list")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected a text, found {value!r:.40}")
    return value


def _name(value: Any) -> str | None:
    return None if value in (None, "") else str(value)


def _moment(value: Any) -> datetime | None:
    return moment(value) if isinstance(value, str) else None

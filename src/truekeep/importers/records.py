"""What an importer finds: statements to remember, values to set, what it has to leave out; and times of others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeAlias

from truekeep.model import JSON

# A number that is too large for seconds until the year 5138 counts thousandths of them, or millionths.
_SECONDS, _MILLISECONDS = 1e11, 1e14


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One statement as a source tells it, in our words; not checked yet."""

    where: str  # for people: "line 12"
    content: object
    id: str | None = None  # the source's own
    kind: str | None = None
    when: datetime | None = None
    expires: datetime | None = None
    speaker: str | None = None
    role: str | None = None
    session: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, JSON] = field(default_factory=dict)


def message(where: str, text: str, *, role: str, id: str, session: str | None, when: object) -> Found:
    """What somebody said in a conversation, where nothing tells more of the speaker than the role."""
    return Found(
        where=where,
        content=text,
        id=id,
        kind="interaction",
        when=moment_or_none(when),
        role=role,
        speaker=role,
        session=session,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing to remember: checked, and complete with an idempotency key."""

    where: str
    arguments: Mapping[str, Any]  # of `Memory.remember`


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """JSON to keep under a key."""

    where: str
    key: str
    value: JSON
    ttl: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What does not come in, and why; `is_bad` where somebody should look at the source."""

    where: str
    reason: str
    is_bad: bool = True


Record: TypeAlias = Statement | Entry | LeftOut
Raw: TypeAlias = Found | Entry | LeftOut  # what the importer of one source yields


def moment(value: object) -> datetime:
    """ISO 8601 (UTC if it names no zone), or a number of seconds, milliseconds or microseconds since 1970.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(value, datetime):
        return _aware(value)
    if isinstance(value, str):
        text = value.strip()
        return _since_1970(text) if _is_number(text) else _aware(datetime.fromisoformat(text))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _since_1970(value)
    raise ValueError("is no time")


def moment_or_none(value: object) -> datetime | None:
    """As `moment`, for times that a program wrote for itself: one that is none is as good as missing."""
    try:
        return moment(value)
    except ValueError:
        return None


def end(value: object) -> datetime:
    """As `moment`; a mere day counts until it is over."""
    if isinstance(value, str) and len(value.strip()) == len("2026-01-31"):
        day = date.fromisoformat(value.strip())
        return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)
    return moment(value)


def _aware(time: datetime) -> datetime:
    try:
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError as error:
        raise ValueError("is out of range") from error


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdecimal() and len(text) > len("20260131")


def _since_1970(value: str | float) -> datetime:
    try:
        number = float(value)
        if not math.isfinite(number):
            raise ValueError("is no time")
        scale = 1.0 if abs(number) < _SECONDS else 1e3 if abs(number) < _MILLISECONDS else 1e6
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=number / scale)
    except OverflowError as error:
        raise ValueError("is out of range") from error

"""What an importer finds: statements to remember, values to set, and what it has to leave out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from truekeep.model import JSON

from .times import moment_or_none


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

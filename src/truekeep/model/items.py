"""What is kept, and what it is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from .shown import call, cut

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"
Trust = Literal["unknown", "tool", "agent", "user"]
Outcome = Literal["added", "reinforced", "superseded", "refused"]
Judged = bool | Literal["now"]
Redact = Literal["on", "flag", "refuse", "off"]  # what is done about secrets in what is said

KINDS = ("preference", "decision", "fact", "lesson", "context", "interaction", "temporary")
TRUST_LEVELS: tuple[Trust, ...] = ("unknown", "tool", "agent", "user")  # least first

ROLE_TRUST: Mapping[str, Trust] = MappingProxyType(
    {
        "user": "user",
        "human": "user",
        "assistant": "agent",
        "ai": "agent",
        "bot": "agent",
        "agent": "agent",
        "system": "agent",
        "developer": "agent",
        "tool": "tool",
        "function": "tool",
    }
)

HIDDEN = "\x7f"  # no name that somebody gives begins with a control character
OWN = f"{HIDDEN}own"


def is_over(end: datetime | None, now: datetime) -> bool:
    """Whether the time of an item, a value or a key is over; None is no end."""
    return end is not None and end <= now


class SpaceId(NamedTuple):
    """One named memory of one tenant."""

    tenant: str
    name: str

    @classmethod
    def own(cls, tenant: str) -> SpaceId:
        """The tenant's own space, for what belongs to a tenant as a whole.

        Use it as any space of a store: `store.edit_value(SpaceId.own("acme"), "reader:crm", ...)`. It is made when
        something is first kept in it, holds values, jobs and tombstones but no items, and ends with its tenant. It is
        in backups and goes along when a store is migrated; it is not among the spaces that anybody sees, and no quota
        binds it: whoever keeps something there says how much of it there may be. A job in it is found by
        `store.job(space, id)` alone. Keys begin with the name of the part that they belong to, and a colon.
        """
        return cls(tenant, OWN)

    @property
    def is_hidden(self) -> bool:
        """Whether nobody sees it as a space: a tenant's own, or what is left of one that was erased."""
        return self.name.startswith(HIDDEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Who said it, where, and how far that is to be trusted.

    Without `trust`, the role tells; without a role, what has no name comes from the caller, who speaks for the user,
    and what has one ("crawler") is unknown.
    """

    name: str | None = None  # what can be rolled back as a whole: "crawler", "import:notes.txt"
    speaker: str | None = None
    role: str | None = None  # user, assistant, tool, system
    session: str | None = None
    message: str | None = None  # which message of the session
    trust: Trust = ""  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        if not self.trust:
            unnamed: Trust = "unknown" if self.name else "user"
            trust = unnamed if self.role is None else ROLE_TRUST.get(self.role, "unknown")
            object.__setattr__(self, "trust", trust)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryItem:
    """One thing remembered.

    It has two clocks: `when` to `until` is the time for which it is true, `created` to `retired` the time for
    which we believed so. `seq` says at which change of its space the item got its present state.
    """

    id: str
    content: str
    kind: str = "fact"
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    source: Source = Source()
    key: str | None = None  # the claim key: only an item with the same one can supersede this
    pinned: bool = False
    created: datetime
    updated: datetime
    when: datetime
    until: datetime | None = None
    retired: datetime | None = None
    expires: datetime | None = None
    superseded_by: str | None = None
    restated: bool = False  # what superseded it says the same
    suspected_by: tuple[str, ...] = ()  # newer items that may have replaced it: it stays, the doubt is shown
    quarantined: bool = False  # poses as an instruction and comes from nobody we trust: kept, never recalled
    reason: str | None = None  # why the item got its present state
    version: int = 1  # of the content; `correct` adds one
    reinforced: int = 0  # how often the same was said again
    redacted: tuple[str, ...] = ()
    unjudged: bool = False  # what it changes, or merely says again, is still to be found
    written_by: str | None = None  # the id of the key that wrote this version; None: whoever opened the store itself
    seq: int = 0

    def __repr__(self) -> str:
        return call("MemoryItem", cut(self.content), kind=self.kind, id=self.id, superseded_by=self.superseded_by)

    @property
    def speaker(self) -> str | None:
        return self.source.speaker

    @property
    def session(self) -> str | None:
        return self.source.session

    @property
    def is_current(self) -> bool:
        """Whether nothing has taken its place."""
        return self.superseded_by is None and self.retired is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What somebody wants remembered, before it is admitted."""

    content: str
    kind: str | None = None  # None: that of the item that says the same already, else "fact"
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    source: Source = Source()
    key: str | None = None
    ttl: timedelta | None = None
    pinned: bool = False
    when: datetime | None = None
    idempotency_key: str | None = None
    derived: bool = False  # extracted or recorded rather than said to us: a tombstone stops it
    judged: Judged = True  # look for what it changes and what it repeats
    redacted: tuple[str, ...] = ()
    quarantined: bool = False
    written_by: str | None = None  # the id of the key that says it, as the server knows it


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What a `remember` did."""

    item: MemoryItem
    outcome: Outcome
    superseded: tuple[MemoryItem, ...] = ()
    suspected: tuple[MemoryItem, ...] = ()  # older ones that it may have replaced: they stay, the doubt is shown
    replayed: bool = False  # the idempotency key had been used before: this is the earlier answer

    def __repr__(self) -> str:
        return call(
            "Remembered",
            repr(self.outcome),
            cut(self.item.content),
            kind=self.item.kind,
            id=self.id,
            superseded=len(self.superseded),
            suspected=len(self.suspected),
            redacted=self.redacted,
            replayed=self.replayed,
        )

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def redacted(self) -> tuple[str, ...]:
        return self.item.redacted


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """JSON under a key, with a version that only grows."""

    key: str
    value: JSON
    version: int
    created: datetime
    updated: datetime
    expires: datetime | None = None

    def __repr__(self) -> str:
        return call("Value", repr(self.key), cut(self.value), version=self.version, expires=self.expires)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation, as far as it is remembered."""

    name: str
    items: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation that is to be extracted from."""

    content: str
    role: str | None = None
    speaker: str | None = None
    id: str | None = None
    when: datetime | None = None

"""The audit: who did, or was told, what and when. Ids and names, never what they say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .shown import call, counted

# What an entry may say that was done.
AUDIT_VERBS = (
    *("remember", "extract", "correct", "resolve", "release", "forget", "import", "restore"),
    *("recall", "explain", "item", "items", "history", "review", "diff", "changes", "feed", "export", "context"),
    *("webhook", "erase", "admit", "fork", "backup", "get", "set", "delete"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One thing that was done with a key. A request that is about very many ids makes several."""

    at: datetime
    key: str  # its id
    verb: str  # one of AUDIT_VERBS
    space: str | None = None  # None: one that holds nothing, or nothing any more
    ids: tuple[str, ...] = ()  # of items that were told or changed
    request: str | None = None  # the id that the request was answered with
    outcome: str = "done"  # or why not: "not-found"

    def __repr__(self) -> str:
        told = (repr(self.verb), counted(len(self.ids), "id"), f"at={self.at:%Y-%m-%d %H:%M:%S}")
        return call("AuditEntry", *told, key=self.key, space=self.space, request=self.request, outcome=self.outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilters:
    """Which entries; None stands for any."""

    item: str | None = None
    key: str | None = None
    request: str | None = None
    space: str | None = None
    verb: str | None = None
    since: datetime | None = None  # then or later
    until: datetime | None = None  # before then


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """Some of the entries, latest first, and where to go on."""

    entries: tuple[AuditEntry, ...] = ()
    cursor: str | None = None  # for the next page; None when this was the last

    def __repr__(self) -> str:
        found = f"{len(self.entries):,} {'entry' if len(self.entries) == 1 else 'entries'}"
        return call("AuditPage", found, cursor=self.cursor)

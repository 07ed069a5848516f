"""What proves what was done: the audit (who did, or was told, what and when), and receipts of who was erased.

Ids, names and figures; never what a memory says.
"""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who is to be erased, as all spaces of a tenant know them."""

    speakers: tuple[str, ...]  # the names under which they spoke, each as it was written
    values: tuple[str, ...] = ()  # patterns of keys, such as "user:ana:*"
    sessions: tuple[str, ...] = ()  # patterns of names of sessions that go as a whole, whoever spoke in them
    names: tuple[str, ...] = ()  # looked for in what others said; what mentions one is put up for review


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """What one space holds of a person."""

    space: str
    items: int = 0
    values: int = 0
    jobs: int = 0
    mentions: int = 0  # items of others


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """The receipt of a person who was erased, found out by searching again: it is kept, and tells no name."""

    id: str
    tenant: str
    persons: tuple[str, ...]  # fingerprints of the speakers
    began: datetime
    ended: datetime | None = None  # None: it was interrupted; the same erasure again finishes it
    spaces: int = 0  # that were searched
    items: int = 0  # erased, with all that was derived from them
    values: int = 0
    jobs: int = 0  # that lost what the person said, or all of it
    mentions: int = 0  # items of others that were put up for review
    remaining: int = 0  # of the erased items, how many can still be found: 0 unless the store failed
    pending: tuple[str, ...] = ()  # where bytes of them still lay when it ended, and what ends that
    signature: str = ""  # by the secret of the store, over all the rest
    dry_run: bool = False  # nothing was erased: this is what would be
    found: tuple[Traces, ...] = ()  # of a dry run, where it would be
    alike: tuple[str, ...] = ()  # of a dry run: speakers whose names differ by case alone, and who would stay

    def __repr__(self) -> str:
        told = (f"{self.items:,} items", f"{self.values:,} values", f"{self.mentions:,} mentions")
        return call("Erasure", *told, id=self.id, tenant=self.tenant, pending=bool(self.pending), dry_run=self.dry_run)

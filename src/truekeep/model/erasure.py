"""Erasing a person: who is meant, and the receipt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .shown import call


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

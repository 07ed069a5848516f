"""Webhooks: readers whom a server tells of changes by itself, and what became of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from .shown import call


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Some events that are told together: where they stand in the feed, not what they say."""

    id: str
    events: int  # as it was sent first; what has changed since is told by a later one
    after: Mapping[str, int]  # by space: what comes behind this position ...
    upto: Mapping[str, int]  # ... up to this one; 0: that the space begins anew
    began: datetime
    attempts: int = 0  # that failed
    error: str = ""  # of the last one
    due: datetime | None = None  # when it is tried next; None: at once, or never where it was given up


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that a server tells of changes, and how far it has come."""

    id: str
    url: str
    spaces: tuple[str, ...]  # patterns such as "team-*"; none: every space
    state: Literal["active", "stopped"]
    behind: int  # spaces that have something to tell it
    delivered: int  # deliveries that it took
    failed: int  # attempts at which it did not
    dead: int  # deliveries that were given up
    last: datetime | None  # when it last took one
    due: datetime | None  # when one that failed is tried again
    error: str  # of the last attempt; empty when it was taken
    created: datetime

    def __repr__(self) -> str:
        return call("Webhook", repr(self.id), state=self.state, behind=self.behind, dead=self.dead)

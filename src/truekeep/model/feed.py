"""What is told of all spaces together, and to whom: readers who ask, and webhooks, whom a server tells by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from .items import MemoryItem
from .shown import call, counted


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEvent:
    """A change in one of several spaces: an item as it is now, one that was erased, or that a space begins anew."""

    space: str
    seq: int = 0
    id: str = ""
    item: MemoryItem | None = None

    @property
    def type(self) -> Literal["item", "erased", "reset"]:
        """After a "reset", drop what you know of the space: it is gone, or what it holds now is told from the first."""
        if not self.id:
            return "reset"
        return "erased" if self.item is None else "item"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """What changed in several spaces, of each in order."""

    events: tuple[FeedEvent, ...] = ()
    positions: Mapping[str, int] = field(default_factory=dict)  # by space: acknowledge them to be told what follows
    more: bool = False  # whether there is more already

    def __repr__(self) -> str:
        return call("Feed", counted(len(self.events), "event"), more=self.more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Somebody who follows the changes of all spaces."""

    name: str
    spaces: int  # in which it has a position
    behind: int  # spaces that have something to tell it
    created: datetime
    updated: datetime  # when it last acknowledged something


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

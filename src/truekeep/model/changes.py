"""What changes: in one space after a cursor, in all of them and to whom that is told, and between two moments.

Of all spaces readers ask, and webhooks are told by a server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from .items import MemoryItem, Value
from .shown import call, counted, cut


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The latest state of an item that changed; `item` is None when it was erased."""

    seq: int
    id: str
    item: MemoryItem | None = None

    @property
    def type(self) -> Literal["item", "erased"]:
        """What there is to tell of it, as the feed of a server calls it."""
        return "erased" if self.item is None else "item"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What changed in a space after a cursor, in order."""

    events: tuple[Event, ...] = ()
    cursor: int = 0  # ask for what comes after it
    more: bool = False  # whether the limit cut it short
    missed: bool = False  # erasures after the cursor were purged already: drop what you know, start again from 0

    def __repr__(self) -> str:
        told = (counted(len(self.events), "event"), f"cursor={self.cursor}")
        return call("Changes", *told, more=self.more, missed=self.missed)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A moment of a space, by its name."""

    name: str
    seq: int  # the last change by then
    at: datetime
    origin: str | None = None  # the space that was copied into this one at that moment

    def __repr__(self) -> str:
        return call("Checkpoint", repr(self.name), f"seq={self.seq}", f"at={self.at:%Y-%m-%d %H:%M:%S}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """An item that was believed at both moments, and not as the same."""

    before: MemoryItem
    after: MemoryItem

    def __repr__(self) -> str:
        return call("Edited", f"{cut(self.before.content)} -> {cut(self.after.content)}", id=self.id)

    @property
    def id(self) -> str:
        return self.after.id


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedValue:
    """A value that is not as it was; None where there was none, or is none."""

    key: str
    before: Value | None = None
    after: Value | None = None

    def __repr__(self) -> str:
        told = [cut(None if value is None else value.value) for value in (self.before, self.after)]
        return call("EditedValue", repr(self.key), " -> ".join(told))


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """How what is believed differs between two moments. What came and went in between is not told."""

    since: str  # the name of a checkpoint
    until: str | None = None  # likewise; None: now
    added: tuple[MemoryItem, ...] = ()
    superseded: tuple[MemoryItem, ...] = ()  # no longer believed, with what took their place
    revived: tuple[MemoryItem, ...] = ()  # believed again
    reinforced: tuple[MemoryItem, ...] = ()  # said again, and else as before
    changed: tuple[Edited, ...] = ()
    values: tuple[EditedValue, ...] = ()
    forgotten: int = 0  # items erased in between, or gone because their time was over

    def __repr__(self) -> str:
        named = ("added", "superseded", "revived", "reinforced", "changed")
        told = [f"{len(found):,} {name}" for name in named if (found := getattr(self, name))]
        told += [counted(len(self.values), "value")] if self.values else []
        told += [f"{self.forgotten:,} forgotten"] if self.forgotten else []
        return call("Diff", repr(self.since), *(told or ["nothing"]), until=self.until)

    @property
    def is_empty(self) -> bool:
        """Whether the same is believed at both moments."""
        return not (self.added or self.superseded or self.revived or self.reinforced or self.changed or self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """What a `restore` did, or with `dry_run` would do."""

    checkpoint: Checkpoint
    undone: Diff  # what had changed since the checkpoint, and is taken back
    refused: int = 0  # of the items, those that stay as they are: what they said was forgotten, or is over
    made: Checkpoint | None = None  # the moment before, to go back from here; None for a dry run, or nothing to do

    def __repr__(self) -> str:
        return call("Restoration", repr(self.checkpoint.name), repr(self.undone), refused=self.refused, made=self.made)

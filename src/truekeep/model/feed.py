"""What is told of all spaces together, and to whom."""

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

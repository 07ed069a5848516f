"""Moments of a memory, what differs between two of them, and what going back does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .items import MemoryItem, Value
from .shown import call, counted, cut


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

"""What a driver is asked about items: questions that need an index, or one way to a server for several."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from truekeep.model import SpaceId

from .cells import Cells, Place, Space


class Sought(NamedTuple):
    """What a decision is asked for."""

    claims: Collection[tuple[str, int]]  # keys and times
    said: Sequence[tuple[bytes, str, str | None]]  # fingerprints, sources, and speakers: None for any
    answers: Collection[str]


class Seen(NamedTuple):
    """What a decision depends on."""

    claims: Sequence[Cells]  # some perhaps more than once
    said: Sequence[Sequence[Cells]]  # for each that was asked for, last changed first
    answers: Sequence[Cells]
    forgotten: Collection[bytes]  # those of the fingerprints that have a tombstone


class Grounds(NamedTuple):
    """What a change names that was decided on what was there at `since`."""

    since: int
    ids: Sequence[str]
    said: Sequence[bytes]
    keys: Sequence[str]
    derived: Sequence[bytes]  # those of the statements that nobody said as they are
    answers: Sequence[str]


class Facts(NamedTuple):
    """What a change depends on."""

    present: Sequence[Cells]  # those of the items that are there
    has_moved: bool  # since then: an item has come that is current and says the same, or that has one of the keys; one
    # of the items was erased; where nothing was there, one of them is
    is_forgotten: bool  # a derived statement has a tombstone
    is_answered: bool  # one of the answers is there


class ItemRows(Protocol):
    """The part of `Rows` that is about items alone."""

    def found(self, space: SpaceId, ids: Sequence[str]) -> Sequence[tuple[Cells, int]]:
        """Those that are there, in any order, each with how often it was recalled. Fast: every recall asks this."""
        ...

    def changed(self, space: Space, after: int, *, embedder: str, limit: int) -> Sequence[tuple[Cells, bytes | None]]:
        """Items with a later seq, in order, with their vectors of that embedder ("": of none)."""
        ...

    def marked(self, space: Space, after: int, *, limit: int) -> Sequence[tuple[str, int]]:
        """Ids and seqs of markers with a later seq, in order, unless the item is there again."""
        ...

    def sight(self, space: Space, sought: Sought) -> Seen:
        """See `ports.Items.look`."""
        ...

    def facts(self, space: Space, grounds: Grounds) -> Facts: ...

    def superseded(self, space: Space, ids: Collection[str], *, limit: int | None = None) -> Sequence[Cells]:
        """Items that were superseded by one of these, the latest `when` first."""
        ...

    def in_doubt(self, space: Space) -> Sequence[Cells]:
        """Items that are suspected by others."""
        ...

    def versions_naming(self, space: Space, ids: Sequence[str]) -> Sequence[tuple[Place, Cells]]:
        """All former versions that name one of these as successor or suspect, and perhaps others."""
        ...

    def revise(self, space: Space, place: Place, version: Cells, old: Cells) -> None:
        """Put a former version in the place of one that `versions_naming` told."""
        ...

    def answers_naming(self, space: Space, ids: Sequence[str]) -> Sequence[Cells]:
        """All answers that name one of these among the superseded, and perhaps others."""
        ...

    def drop_answers_about(self, space: Space, ids: Sequence[str]) -> None:
        """Remove the answers whose item is one of these."""
        ...

    def have_vectors(self, space: Space, ids: Sequence[str], embedder: str) -> Collection[str]:
        """Those of the ids that have vectors of the embedder."""
        ...

    def remaining(self, space: Space, ids: Sequence[str]) -> int:
        """How many of the ids are still found in any table but that of markers."""
        ...

    def expired(self, at: int, limit: int) -> Sequence[tuple[SpaceId, str]]:
        """Items of any space that expire by then, the first to expire first."""
        ...

    def count_accesses(self, space: Space, counts: Mapping[str, int], *, at: int, days: tuple[str, str] | None) -> None:
        """Add to the counts of items that are there; with `days`, also for the first day, without those up to the
        second."""
        ...

"""What the engine asks of a store about items, their former states, and what is derived from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from truekeep.model import Checkpoint, Job, MemoryItem, SpaceId

from .changes import Applied, Change, Charge, Difference, Erased, Head, Page, Put, Restored, Saying, Sight, Snapshot


class Items(Protocol):
    """Rows of items. Every method is safe to call from any thread; reads see every commit of every process."""

    def head(self, space: SpaceId) -> Head:
        """`(0, 0)` for a space that holds nothing yet."""

    def heads(self, tenant: str) -> dict[str, Head]:
        """Those of all spaces of the tenant that ever held an item and were not erased, by name; not of its own."""

    def changes(self, space: SpaceId, *, after: int, embedder: str = "", limit: int = 10_000) -> Page:
        """The latest state of each item that changed after `after`, erasure markers included, by ascending seq.

        What is there again, since it was imported, is not told as erased. A damaged row raises DamagedStore. `after`
        below the floor misses erasures: the caller starts from 0 then.
        """

    def look(
        self,
        space: SpaceId,
        *,
        claims: Collection[tuple[str, datetime]] = (),
        sayings: Collection[Saying] = (),
        answers: Collection[str] = (),
    ) -> Sight:
        """All that a decision about these claims, sayings and idempotency keys depends on, and not much more.

        A claim is a key and a time. Of the items with that key: those that hold at that time or, where the latest
        begins later, at its beginning; those without an end; the latest; the last that began by that time and the
        first that began after it. However long the history of a key, these are few. Of the items with a saying's
        statement, source and speaker: the 16 that changed last, without retired and repeatable ones; where no speaker
        is asked for, 16 of any speakers, those without one first.
        """

    def apply(
        self,
        space: SpaceId,
        change: Change,
        *,
        based_on: int,
        charge: Charge | None = None,
        job: Job | None = None,
    ) -> Applied:
        """Keep the change durably, or nothing of it. Moved comes before QuotaExceeded.

        Raises Moved when, after `based_on`, a row with the claim key of one of the puts was written, or a current one
        with its statement (unless one of the two is repeatable), or a row that a put replaces changed or vanished;
        when an answer's idempotency key is taken; when a derived put's statement has a tombstone, or its speaker is
        barred (see `Persons`) and it is a new one. Unrelated changes
        do not matter. `based_on` 0 stands for a decision that saw nothing: all its puts are new.

        Raises Withdrawn, before all others, when the `job` that this is the work of was erased, or claimed again.
        """

    def get(self, space: SpaceId, ids: Sequence[str]) -> list[MemoryItem]:
        """The items in the order of the ids; missing ones are left out."""

    def found(self, space: SpaceId, ids: Sequence[str]) -> list[tuple[MemoryItem, int]]:
        """As `get`, each with how often it was recalled: all that a recall needs, in one reading."""

    def history(self, space: SpaceId, id: str) -> list[MemoryItem]:
        """Every version of every item in the chain of supersession through `id`, oldest first; [] if unknown."""

    def replaced_by(self, space: SpaceId, id: str, *, limit: int = 1) -> list[MemoryItem]:
        """What this item superseded, the latest `when` first."""

    def restore(
        self,
        space: SpaceId,
        puts: Sequence[Put],
        versions: Sequence[Put],
        *,
        charge: Charge | None = None,
        embedder: str = "",
    ) -> Restored:
        """Put rows and former versions back as they were (import), except for those whose statement has a tombstone,
        or whose speaker is barred (see `Persons`) and which were created by then.

        Vectors are kept where it is told whose they are.

        Items that are here already and at least as new stay as they are. That is looked up in the same transaction, so
        that nothing done meanwhile is undone. Versions of items that are not here, and those that are here already, are
        left out.
        """

    def versions(self, space: SpaceId) -> Iterator[MemoryItem]:
        """All former versions of the space's items (export)."""

    def erase(
        self,
        space: SpaceId,
        ids: Sequence[str],
        *,
        now: datetime,
        reopen: bool | Callable[[MemoryItem], bool] = False,
        along: Callable[[MemoryItem], bool] | None = None,
        wipe: bool = True,
    ) -> Erased:
        """Erase rows and all that was derived from them or tells of them, from the files too; leave tombstones.

        With them go the items that they superseded and for which `along` is true, and what those superseded in turn.

        Covers former versions, supersession records and suspicions of others that name them, vectors, access counts,
        idempotency answers, snapshots, and the erased texts wherever one stands as a whole in the payload of a job: it
        is cut out of a job that is still to be done; one that is done or failed loses its payload.

        What was superseded by an erased item stays retired. With `reopen` it is as if the erased had never been
        there: it takes over their successor and their end, and is current again where they had none; where `reopen` is
        asked of each, only what it is true for.

        Whoever erases again and again leaves the files to one `wipe` at the end: without it they are `pending`.
        """

    def erase_expired(self, now: datetime, *, limit: int = 1000) -> int:
        """Erase items of any space whose `expires` has come, in the same way but without tombstones; how many.

        What they superseded is reopened: a claim for a while gives way to the lasting one when it ends.
        """

    def erase_space(self, space: SpaceId) -> Erased:
        """Erase all that the space holds, values, jobs and tombstones included. Its seq goes on from where it was."""

    def accesses(self, space: SpaceId, ids: Sequence[str]) -> dict[str, int]:
        """How often each was recalled; ids never recalled are left out."""

    def accesses_by_day(self, space: SpaceId, id: str) -> dict[str, int]:
        """How often it was recalled on each day of UTC, "2026-11-15", of the month before it was last counted."""

    def count_accesses(
        self, counts: Mapping[SpaceId, Mapping[str, int]], *, now: datetime, is_past: bool = False
    ) -> None:
        """Add to the access counts of any number of spaces, all or none of them; does not change any seq.

        Spaces and ids that are gone are skipped. They count for the day, too, unless they are of a past that nobody
        knows by day, as those of an import.
        """


class Checkpoints(Protocol):
    """Names of moments. What changes after one is kept as it was then, so that it can be told, and come back."""

    def add_checkpoint(self, space: SpaceId, name: str, *, now: datetime, origin: str | None = None) -> Checkpoint:
        """Name the present moment. Conflict when the name is taken, or the space has a thousand of them.

        With `origin`, a space of the same tenant that was copied into this one, its tombstones count here, too.
        """

    def drop_checkpoint(self, space: SpaceId, name: str) -> None:
        """Let go of it, and of former values that only it knew. NotFound when there is none of that name."""

    def checkpoints(self, space: SpaceId) -> list[Checkpoint]:
        """The oldest moment first."""

    def difference(self, space: SpaceId, since: str, until: str | None = None) -> Difference:
        """What changed between two checkpoints, or since one; takes as long as there are changes.

        Erased items are counted, and told by nothing else. NotFound for a name that is none; InvalidInput where
        `until` is the earlier one.
        """


class Snapshots(Protocol):
    """Derived data of an index, kept beside the rows for fast opening."""

    def save_snapshot(self, space: SpaceId, name: str, snapshot: Snapshot) -> None:
        """Keep it in place of an earlier one; dropped again silently if an erasure happened after its seq."""

    def load_snapshot(self, space: SpaceId, name: str) -> Snapshot | None:
        """None when there is none, or when it is damaged."""

    def drop_derived(self) -> None:
        """Remove the vectors and snapshots of all spaces, damaged ones too: all of them can be made again."""

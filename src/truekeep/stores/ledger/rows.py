"""The port of a driver: rows of tables, within one transaction. It decides nothing.

What a driver adds to a row (the number of its space, a checksum, a place in an order) never shows. A row that is read
is what was written, or DamagedStore is raised.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from truekeep.model import SpaceId
from truekeep.ports import Table
from truekeep.stores.tables import Held

from .cells import Cells, Manifest, Name, Place, Space, UsageKey

ALL = 2**31  # rows: more than there are
SAME = 16  # items that say one thing that are told

Naming = Literal["items", "versions", "answers"]  # tables whose rows name others


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


class Rows(Protocol):
    """All that one transaction sees, and does."""

    # Spaces, and the rows that they hold

    def find(self, space: SpaceId) -> Space:
        """The space, which nobody else changes until a write is over; `unused` if it never held anything.

        Where a write finds none, another process may make it any time.
        """

    def seen(self, space: SpaceId) -> Space:
        """As `find`, to ask for rows only: it may be known from before, with other counters, and nobody is kept out."""

    def open(self, space: SpaceId) -> Space:
        """As `find`, made if need be."""

    def of(self, table: Held, space: Space, names: Collection[Name]) -> Sequence[Cells]:
        """The rows with one of these names (`tables.NAME`), versions in the order in which they were filed.

        In a write, jobs that are found stay as they are until it is over.
        """

    def all(self, table: Held, space: Space) -> Sequence[Cells]:
        """All rows of the space, as `of`."""

    def keep(self, table: Held, space: Space, rows: Sequence[Cells], old: Sequence[Cells] = ()) -> None:
        """Add rows, those with the name of an `old` one in its place. `old` ones are as they are now."""

    def page(self, table: Table, space: Space, *, after: Place, limit: int) -> Sequence[tuple[Place, Cells]]:
        """Rows after a place (() is before all), in the same order in every store (`tables.ORDER`), with their places.

        From the first page on, one that is lost is missed.
        """

    def drop(self, table: Held, space: Space, names: Collection[Name]) -> None:
        """Remove the rows with one of these names, which need not be there."""

    def count(self, table: Table, space: Space) -> int: ...

    def old(
        self, table: Table, at: int, *, limit: int, space: Space | None = None
    ) -> Sequence[tuple[SpaceId, Name, int]]:
        """Rows of the space, or for None of any, that are over by then: with their names, and markers with their seq.

        Items and values that expired, jobs that were done or failed, answers and markers that were kept.
        """

    def empty(self, space: Space) -> Sequence[str]:
        """Remove all rows of the space, derived ones and the note of a copy too; the ids of its items."""

    def hide(self, space: SpaceId) -> None:
        """Give it a hidden name; `find` knows it by its own, `open` gives that back."""

    # Questions about items that need an index, or one way to a server for several

    def found(self, space: SpaceId, ids: Sequence[str]) -> Sequence[tuple[Cells, int]]:
        """Those that are there, in any order, each with how often it was recalled. Fast: every recall asks this."""

    def sight(self, space: Space, sought: Sought) -> Seen:
        """See `ports.Items.look`."""

    def facts(self, space: Space, grounds: Grounds) -> Facts: ...

    def superseded(self, space: Space, ids: Collection[str], *, limit: int = ALL) -> Sequence[Cells]:
        """Items that were superseded by one of these, the latest `when` first."""

    def naming(self, table: Naming, space: Space, ids: Collection[str]) -> Sequence[Cells]:
        """All rows that name one of these beside their own: as successor or suspect, or as what was answered.

        Perhaps others, and perhaps one twice; items as `superseded` tells them, before those that are in doubt.
        """

    def remaining(self, space: Space, ids: Sequence[str]) -> int:
        """How many of the ids are still found in any table but that of markers."""

    def count_accesses(self, space: Space, counts: Mapping[str, int], *, at: int, days: tuple[str, str] | None) -> None:
        """Add to the counts of items that are there; with `days`, also for the first day, without those up to the
        second."""

    # Values of a space, and jobs of several

    def value_keys(self, space: Space, at: int) -> list[str]:
        """The keys of values that are not over by then, sorted."""

    def own_keys(self, begin: str) -> list[tuple[str, str]]:
        """Tenants, and keys that begin so in the own space of each; sorted."""

    def free_job(self, at: int) -> tuple[SpaceId, Cells] | None:
        """The oldest job of any space that may be claimed at that time. In a write, one that nobody else claims."""

    def jobs_of(self, tenant: str, *, id: str | None = None, limit: int) -> Sequence[tuple[SpaceId, Cells]]:
        """The jobs in all spaces of the tenant but its own, or those with that id; begun last come first."""

    def jobs_by_state(self) -> Mapping[str, int]:
        """Of all spaces; a state without any is not there."""

    def open_jobs(self, *, space: Space | None = None, tenant: str | None = None) -> int:
        """How many wait or run: in the space, in those of the tenant but its own, or in all."""

    # All spaces, what they may hold, and copies into them

    def spaces(self, tenant: str | None = None) -> Sequence[Space]:
        """All of the tenant, or for None of any, that ever held anything, erased ones under their hidden names; sorted.

        To be looked at only.
        """

    def holding(self, tenant: str, *, after: str, limit: int) -> Sequence[Space]:
        """As `spaces`, those that hold something, from the first name after `after` on; not the tenant's own."""

    def secret(self) -> bytes:
        """What keys the fingerprints. In a write, nobody else changes it until that is over."""

    def keep_secret(self, secret: bytes) -> None: ...

    def size_of(self, space: Space) -> int:
        """Bytes of its items, versions and values, as they are now."""

    def payloads(self, space: Space) -> int:
        """Bytes of what its jobs hold."""

    def memories(self, space: Space) -> int:
        """Items in all spaces of its tenant; nobody else adds any until the write is over."""

    # Snapshots: a row that names a saving, and the pieces of each saving, numbered from 0

    def snapshot(self, space: Space, name: str) -> tuple[int, int, Manifest] | None:
        """Its seq, its saving, and its parts; None also when the row is damaged."""

    def keep_snapshot(self, space: Space, name: str, seq: int, saving: int, manifest: Manifest) -> None: ...

    def drop_snapshots(self, space: Space) -> None:
        """All of the space, with their pieces."""

    def add_piece(self, space: Space, saving: int, number: int, data: bytes) -> None:
        """In the order of their numbers."""

    def pieces(self, space: Space, saving: int) -> Mapping[int, bytes]: ...

    def drop_piece(self, space: Space, saving: int) -> bool:
        """Remove one; whether there was any."""

    def leftovers(self) -> Sequence[tuple[SpaceId, int]]:
        """Savings that have pieces and that no snapshot names."""

    def drop_all(self, table: str) -> None:
        """All vectors, snapshots or pieces of all spaces."""

    # Usage, by tenant, subject, counter and period; and access keys

    def used(self, key: UsageKey, *, hold: bool = False) -> int:
        """The count; with `hold`, nobody else changes it until the write is over."""

    def add_usage(self, key: UsageKey, count: int) -> None:
        """A negative count gives back, but not more than was used."""

    def usage(self, tenant: str | None, periods: Collection[str] | None) -> Sequence[Cells]:
        """Rows (`tables.USAGE`) of the tenant, or for None of any, of all periods or of these; no zeros."""

    def was_used(self, of: tuple[str, str, str]) -> bool:
        """Whether any tenant has used this subject, counter and period."""

    def drop_usage(self, *, subject: str | None = None, tenant: str | None = None) -> None:
        """Of the subject and the tenant; None stands for any."""

    def has_usage_before(self, period: str) -> bool: ...

    def drop_usage_before(self, period: str) -> None:
        """As many rows as others can wait for."""

    def access_keys(self, tenant: str | None, *, id: str | None = None, digest: bytes | None = None) -> Sequence[Cells]:
        """Rows (`tables.KEY`) of the tenant, or for None of any, with that id or digest; oldest first."""

    def add_key(self, key: Cells) -> bool:
        """Whether its id and its digest were free."""

    def replace_key(self, old: Cells, new: Cells) -> bool:
        """Keep it as it is now, under the same id; False, and nothing may follow, if its digest is taken."""

    def drop_key(self, key: Cells) -> bool:
        """Whether it was still there."""

    def has_keys(self) -> bool: ...

    def note_key_use(self, times: Mapping[str, int]) -> None:
        """When keys were last used; an earlier time than the known one, or an unknown id, is skipped."""

    def tenants(self) -> Collection[str]:
        """Those that have a key, or a space that holds something."""

    # The audit: rows (`tables.AUDIT`) that are numbered as they come, and the items that each names

    def add_audit(self, entries: Sequence[Cells]) -> None: ...

    def audit(
        self, tenant: str, sought: Mapping[str, str | int], *, before: tuple[int, int] | None, limit: int
    ) -> Sequence[Cells]:
        """Rows of the tenant, latest first: the number, the cells, and the name of the space.

        `sought` may have key, request, verb and space as in the row, item, since and until; `before` is a time and a
        number.
        """

    def has_audit_before(self, at: int) -> bool: ...

    def drop_audit(self, *, tenant: str | None = None, before: int | None = None) -> None:
        """All of the tenant; or of that time and any tenant, as many rows as others can wait for."""

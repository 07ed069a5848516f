"""The port of a driver: rows of tables, within one transaction. It decides nothing.

What a driver adds to a row (the number of its space, a checksum, a place in an order) never shows. A row that is read
is what was written, or DamagedStore is raised.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from truekeep.model import SpaceId
from truekeep.ports import Head, Table
from truekeep.stores.tables import Book, Held

from .cells import Cells, Manifest, Name, Place, Space, UsageKey

ALL = 2**31  # rows: more than there are
SAME = 16  # items that say one thing that are told

Naming = Literal["items", "versions", "answers"]  # tables whose rows name others
Derived = Literal["vectors", "snapshots", "pieces"]  # tables that can be made again
Values = str | bytes | Collection[str] | None


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

    def find(self, space: SpaceId, *, make: bool = False) -> Space:
        """The space, which nobody else changes until a write is over; `unused` if it never held anything.

        Where a write finds none, another process may make it any time. With `make` it is made if need be, and one that
        was erased has its name again.
        """

    def seen(self, space: SpaceId) -> Space:
        """As `find`, to ask for rows only: it may be known from before, with other counters, and nobody is kept out."""

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

    def rename(self, space: Space, name: str) -> None:
        """Give it another name; `find` knows one that has its hidden name (`tables.hidden_name`) by its own, too."""

    # Questions about items that need an index, or one way to a server for several

    def found(self, space: SpaceId, ids: Sequence[str]) -> Sequence[tuple[Cells, int]]:
        """Those that are there, in any order, each with how often it was recalled. Fast: every recall asks this."""

    def erased(self, space: Space, after: int, *, limit: int = ALL) -> Sequence[Cells]:
        """Markers with a later seq, in order, but of items that are there again."""

    def vectors(self, space: Space, ids: Collection[str], embedder: str) -> Sequence[Cells]:
        """Rows of vectors that the embedder made of these; those that others made are not looked at."""

    def have_vectors(self, space: Space, ids: Collection[str], embedder: str) -> Collection[str]:
        """The ids of these rows, without looking at what they hold."""

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

    def spaces(self, tenant: str | None = None) -> Sequence[SpaceId]:
        """All of the tenant, or for None of any, that ever held anything, sorted; erased ones by their hidden names."""

    def heads(self, tenant: str) -> Mapping[str, Head]:
        """How far each of these that ever held an item has come, by name. Fast: feeds ask this ten times a second."""

    def holding(self, tenant: str, *, after: str, limit: int) -> Sequence[Space]:
        """Those that hold something, by name, from the first after `after` on; not its own. Only to be looked at."""

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

    def add_piece(self, space: Space, saving: int, number: int, data: bytes) -> None:
        """In the order of their numbers."""

    def pieces(self, space: Space, saving: int) -> Sequence[bytes]:
        """In that order."""

    def drop_piece(self, space: Space, saving: int) -> bool:
        """Remove one; whether there was any."""

    def leftovers(self) -> Sequence[tuple[SpaceId, int]]:
        """Savings that have pieces and that no snapshot names."""

    def clear(self, table: Derived, space: Space | None = None) -> None:
        """Remove all rows of the space, or for None of any."""

    # Books, whose rows belong to tenants: usage, access keys, and the audit, numbered as it comes

    def entries(self, book: Book, **sought: Values) -> Sequence[Cells]:
        """Rows of usage or access keys (`tables.USAGE`, `KEY`) with these values, or one of these; None asks for any.

        Keys oldest first, and no zeros of usage.
        """

    def strike(self, book: Book, **sought: str) -> None:
        """Remove the rows with these values: of usage, or of the audit."""

    def has_before(self, book: Book, before: str | int) -> bool:
        """Whether there is usage of an earlier period, or something in the audit of an earlier time."""

    def strike_before(self, book: Book, before: str | int) -> None:
        """Remove as many rows of it as others can wait for."""

    def used(self, key: UsageKey, *, hold: bool = False) -> int:
        """The count; with `hold`, nobody else changes it until the write is over."""

    def add_usage(self, key: UsageKey, count: int) -> None:
        """A negative count gives back, but not more than was used."""

    def keep_key(self, key: Cells, old: Cells | None = None) -> bool:
        """Add an access key, or keep one as it is now; False, and nothing may follow, if its id or digest is taken."""

    def drop_key(self, key: Cells) -> bool:
        """Whether it was still there."""

    def has_keys(self) -> bool: ...

    def note_key_use(self, times: Mapping[str, int]) -> None:
        """When keys were last used; an earlier time than the known one, or an unknown id, is skipped."""

    def tenants(self) -> Collection[str]:
        """Those that have a key, or a space that holds something."""

    def add_audit(self, entries: Sequence[Cells]) -> None: ...

    def audit(
        self, tenant: str, sought: Mapping[str, str | int], *, before: tuple[int, int] | None, limit: int
    ) -> Sequence[Cells]:
        """Rows of the tenant, latest first: the number, the cells, and the name of the space.

        `sought` may have key, request, verb and space as in the row, item, since and until; `before` is a time and a
        number.
        """

"""The port of a driver: rows of tables, within transactions. It decides nothing.

A row is its *cells*, as `stores.tables` names them: times are microseconds since 1970, JSON is the text that was kept,
a flag is 0 or 1. What a driver adds to a row (the number of its space, a checksum, a place in an order) never shows.
A row that is read is what was written, or DamagedStore is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from truekeep.model import SpaceId
from truekeep.ports import Head, Table

from .space import Space

T = TypeVar("T")
Cells: TypeAlias = "tuple[Any, ...]"
Name: TypeAlias = "str | bytes"
Manifest: TypeAlias = "Mapping[str, Sequence[tuple[int, int]]]"  # by part: numbers of pieces, and their CRC-32
UsageKey: TypeAlias = "tuple[str, str, str, str]"
Place: TypeAlias = "tuple[Any, ...]"  # of a row in the order of its table


class Seen(NamedTuple):
    """What a decision depends on."""

    claims: Sequence[Cells]  # some perhaps more than once
    said: Sequence[Sequence[Cells]]  # for each that was asked for, last changed first
    answers: Sequence[Cells]
    forgotten: Collection[bytes]  # those of the fingerprints that have a tombstone


class Facts(NamedTuple):
    """What a change depends on."""

    present: Sequence[Cells]  # those of the items that are there
    has_moved: bool  # since then: an item has come that is current and says the same, or that has one of the keys; one
    # of the items was erased; where nothing was there, one of them is
    is_forgotten: bool  # a derived statement has a tombstone
    is_answered: bool  # one of the answers is there


class Rows(Protocol):
    """The rows that one transaction sees, and what it does to them."""

    def find(self, space: SpaceId) -> Space | None:
        """The space, which nobody else changes until a write is over; None if it never held anything.

        Where a write finds none, another process may make it any time.
        """
        ...

    def seen(self, space: SpaceId) -> Space | None:
        """As `find`, to ask for rows only: it may be known from before, with other counters, and nobody is kept out."""
        ...

    def open(self, space: SpaceId) -> Space:
        """As `find`, made if need be."""
        ...

    def of(self, table: Table, space: Space, names: Collection[Name]) -> Sequence[Cells]:
        """The rows with one of these names (`tables.NAME`), versions in the order in which they were filed.

        In a write, jobs that are found stay as they are until it is over.
        """
        ...

    def all(self, table: Table, space: Space) -> Sequence[Cells]:
        """All rows of the space, as `of`."""
        ...

    def keep(self, table: Table, space: Space, rows: Sequence[Cells], old: Sequence[Cells] = ()) -> None:
        """Add rows, those with the name of an `old` one in its place. `old` ones are as they are now."""
        ...

    def page(self, table: Table, space: Space, *, after: Place, limit: int) -> Sequence[tuple[Place, Cells]]:
        """Rows after a place (() is before all), in the same order in every store (`tables.ORDER`), with their places.

        From the first page on, one that is lost is missed.
        """
        ...

    def drop(self, table: Table, space: Space, names: Collection[Name]) -> None:
        """Remove the rows with one of these names, which need not be there."""
        ...

    def count(self, table: Table, space: Space) -> int: ...

    def old(
        self, table: Table, at: int, *, limit: int, space: Space | None = None
    ) -> Sequence[tuple[SpaceId, Name, int]]:
        """Rows of the space, or for None of any, that are over by then: with their names, and markers with their seq.

        Values that expired, jobs that were done or failed, answers and markers that were kept.
        """
        ...

    def empty(self, space: Space) -> Sequence[str]:
        """Remove all rows of the space, derived ones and the note of a copy too; the ids of its items."""
        ...

    def hide(self, space: SpaceId) -> None:
        """Give it a hidden name; `find` knows it by its own, `open` gives that back."""
        ...

    # Items

    def found(self, space: SpaceId, ids: Sequence[str]) -> Sequence[tuple[Cells, int]]:
        """Those that are there, in any order, each with how often it was recalled. Fast: every recall asks this."""
        ...

    def changed(self, space: Space, after: int, *, embedder: str, limit: int) -> Sequence[tuple[Cells, bytes | None]]:
        """Items with a later seq, in order, with their vectors of that embedder ("": of none)."""
        ...

    def marked(self, space: Space, after: int, *, limit: int) -> Sequence[tuple[str, int]]:
        """Ids and seqs of markers with a later seq, in order, unless the item is there again."""
        ...

    def sight(
        self,
        space: Space,
        *,
        claims: Collection[tuple[str, int]],
        said: Sequence[tuple[bytes, str, str | None]],
        answers: Collection[str],
    ) -> Seen:
        """What a decision depends on, see `ports.Items.look`: of claims (key, time), and of those who say the same
        (fingerprint, source, speaker or None for any)."""
        ...

    def facts(
        self,
        space: Space,
        *,
        since: int,
        ids: Sequence[str],
        said: Sequence[bytes],
        keys: Sequence[str],
        derived: Sequence[bytes],
        answers: Sequence[str],
    ) -> Facts:
        """What a change depends on, that was decided on what was there at `since`."""
        ...

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

    # Values

    def value_keys(self, space: Space, at: int) -> list[str]:
        """The keys of values that are not over by then, sorted."""
        ...

    # Spaces, and copies into them

    def spaces(self) -> Sequence[SpaceId]:
        """All that ever held anything, erased ones under their hidden names; sorted."""
        ...

    def sizes(self, tenant: str, *, after: str, limit: int) -> Sequence[tuple[str, int, int, int]]:
        """Spaces of the tenant that hold something, by name, from the first after `after`; -1 is no limit.

        Each with how many items and values it holds, and its bytes.
        """
        ...

    def secret(self) -> bytes:
        """What keys the fingerprints. In a write, nobody else changes it until that is over."""
        ...

    def keep_secret(self, secret: bytes) -> None: ...

    def note(self, space: Space) -> str | None:
        """What was noted of a copy into the space that is not finished."""
        ...

    def keep_note(self, space: Space, note: str | None) -> None: ...

    # What a space may hold

    def size_of(self, space: Space) -> int:
        """Bytes of its items, versions and values, as they are now."""
        ...

    def payloads(self, space: Space) -> int:
        """Bytes of what its jobs hold."""
        ...

    def memories(self, space: Space) -> int:
        """Items in all spaces of its tenant; nobody else adds any until the write is over."""
        ...

    def open_jobs_of(self, tenant: str) -> int:
        """How many wait or run."""
        ...

    # Jobs of several spaces

    def free_job(self, at: int) -> tuple[SpaceId, Cells] | None:
        """The oldest job of any space that may be claimed at that time. In a write, one that nobody else claims."""
        ...

    def job_of(self, tenant: str, id: str) -> tuple[SpaceId, Cells] | None:
        """The job with that id, in whichever space of the tenant."""
        ...

    def latest_jobs(self, tenant: str, limit: int) -> Sequence[tuple[SpaceId, Cells]]:
        """Those begun last come first."""
        ...

    def open_jobs(self, space: Space | None) -> int:
        """How many wait or run, in the space or in all."""
        ...

    # Snapshots: a row that names a saving, and the pieces of each saving, numbered from 0

    def snapshot(self, space: Space, name: str) -> tuple[int, int, Manifest] | None:
        """Its seq, its saving, and its parts; None also when the row is damaged."""
        ...

    def keep_snapshot(self, space: Space, name: str, seq: int, saving: int, manifest: Manifest) -> None: ...

    def drop_snapshots(self, space: Space) -> None:
        """All of the space, with their pieces."""
        ...

    def add_piece(self, space: Space, saving: int, number: int, data: bytes) -> None:
        """In the order of their numbers."""
        ...

    def pieces(self, space: Space, saving: int) -> Mapping[int, bytes]: ...

    def drop_piece(self, space: Space, saving: int) -> bool:
        """Remove one; whether there was any."""
        ...

    def leftovers(self) -> Sequence[tuple[SpaceId, int]]:
        """Savings that have pieces and that no snapshot names."""
        ...

    def drop_all(self, table: str) -> None:
        """All vectors, snapshots or pieces of all spaces."""
        ...

    # Usage, by tenant, subject, counter and period

    def used(self, key: UsageKey, *, hold: bool = False) -> int:
        """The count; with `hold`, nobody else changes it until the write is over."""
        ...

    def add_usage(self, key: UsageKey, count: int) -> None:
        """A negative count gives back, but not more than was used."""
        ...

    def usage(self, tenant: str | None, periods: Collection[str] | None) -> Sequence[Cells]:
        """Rows (`tables.USAGE`) of the tenant, or for None of any, of all periods or of these; no zeros."""
        ...

    def was_used(self, of: tuple[str, str, str]) -> bool:
        """Whether any tenant has used this subject, counter and period."""
        ...

    def drop_usage(self, *, subject: str, tenant: str | None = None) -> None:
        """Of the tenant, or for None of all."""
        ...

    def has_usage_before(self, period: str) -> bool: ...

    def drop_usage_before(self, period: str) -> None:
        """As many rows as others can wait for."""
        ...

    # Access keys

    def access_keys(self, tenant: str | None, *, id: str | None = None, digest: bytes | None = None) -> Sequence[Cells]:
        """Rows (`tables.KEY`) of the tenant, or for None of any, with that id or digest; oldest first."""
        ...

    def add_key(self, key: Cells) -> bool:
        """Whether its id and its digest were free."""
        ...

    def rotate_key(self, key: Cells, digest: bytes) -> bool:
        """Give the key another digest; False, and nothing may follow in the transaction, if that is taken."""
        ...

    def drop_key(self, key: Cells) -> bool:
        """Whether it was still there."""
        ...

    def has_keys(self) -> bool: ...

    def note_key_use(self, times: Mapping[str, int]) -> None:
        """When keys were last used; an earlier time than the known one, or an unknown id, is skipped."""
        ...

    def tenants(self) -> Collection[str]:
        """Those that have a key, or a space that holds something."""
        ...


class Driver(Protocol):
    """Transactions on the tables of one store. Whose rows: those of a tenant, or for None of all.

    What `work` returns may be based on rows; it may run more than once, and its rows are its own only while it runs.
    """

    @property
    def secret(self) -> bytes:
        """What keys the fingerprints of the store."""
        ...

    def head(self, space: SpaceId) -> Head:
        """How far the space has come. Fast: every recall asks this."""
        ...

    def read(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        """Read one thing; several need not agree."""
        ...

    def read_together(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        """Read several things of one moment."""
        ...

    def write(self, space: SpaceId, work: Callable[[Rows], T], size: int = 0) -> T:
        """Write into one space, in a transaction shared with others; durable when it returns. `size`: its bytes.

        What `work` raises undoes its own changes and nobody else's.
        """
        ...

    def change(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        """Write what does not change the counters of a space; durable when it returns."""
        ...

    def write_each(self, spaces: Sequence[SpaceId], work: Callable[[Rows, SpaceId], T]) -> list[T]:
        """Write into each of the spaces, in one transaction or in several."""
        ...

    def viewed(self) -> AbstractContextManager[Rows]:
        """All rows as they are now, for as long as it takes, while others read and write."""
        ...

    def learn_secret(self, secret: bytes) -> None:
        """It is this one now."""
        ...

    def tidy(self) -> None:
        """House-keeping of the driver's own."""
        ...

    def clean(self) -> bool:
        """Clear what was dropped out of the files, if that is soon done; whether nothing is left."""
        ...

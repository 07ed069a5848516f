"""The ports: what the engine asks of a store, an embedder and an extractor.

The docstring of a method is its contract (order, empty input, errors, atomicity); `recollect.testing` holds the same
as test classes that any implementation can run. The store keeps rows and knows no ranking. It works in statements
only to recognise them: a *statement* is the normalised text of an item (`engine.statement`), and the store keeps
nothing of it but a keyed hash under its own secret, the *fingerprint*.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from .model import (
    JSON,
    AccessKey,
    Draft,
    ExtractionReport,
    Job,
    MemoryItem,
    Message,
    Outcome,
    Quotas,
    SpaceId,
    SpaceSize,
    Usage,
    Value,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


class Moved(Exception):
    """What a change was based on is no longer so: look again and decide again. Never reaches a user."""


class Head(NamedTuple):
    """How far a space has come: its last `seq`, and the `floor` below which erasure markers were purged."""

    seq: int
    floor: int


class Row(NamedTuple):
    """The latest state of one item, as an index learns it. `item` is None when it was erased."""

    seq: int
    id: str
    item: MemoryItem | None
    vectors: bytes | None  # float16, [passages, dimension] of the embedder that was asked for; None while pending


class Page(NamedTuple):
    """Changes of a space in order of `seq`."""

    head: Head
    rows: Sequence[Row]
    more: bool  # whether the limit cut it short


class Answer(NamedTuple):
    """What was answered under an idempotency key."""

    request: str  # a hash of the request, to tell a retry from another use of the key
    id: str  # of the item; "" when a value was edited under the key, or a conversation was read
    outcome: Outcome
    superseded: tuple[str, ...]


class Sight(NamedTuple):
    """What a decision is based on, read in one transaction."""

    head: Head
    by_key: Mapping[str, Sequence[MemoryItem]]  # claims with that key, retired ones too, oldest `when` first
    by_statement: Mapping[str, Sequence[MemoryItem]]  # current items with that statement, last changed first
    answers: Mapping[str, Answer]
    tombstoned: frozenset[str]  # those of the statements that were forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """One row as it shall be. An `item` whose id is there already replaces it."""

    item: MemoryItem  # its `seq` is ignored; the store gives the next one
    statement: str
    vectors: bytes | None = None  # None: those of the same text stay, if there are any
    keep_previous: bool = False  # file the replaced row under the item's history
    derived: bool = False  # refuse when the statement has a tombstone
    lifts: bool = True  # somebody says it on purpose: lift the tombstone of the statement, unless it is derived
    repeatable: bool = False  # a record of what was said: any number of equal statements may stand side by side


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVectors:
    """Vectors made later for a row that is still as it was when they were made."""

    id: str
    version: int
    vectors: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Everything that one decision changes; applied as a whole or not at all."""

    puts: Sequence[Put] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    vectors: Sequence[NewVectors] = ()  # skipped one by one where the item is gone or its content is another version
    embedder: str = ""  # whose vectors these are
    at: datetime | None = None  # when it was decided, for answers of a change without puts


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What a write may not exceed, and when it is made: checked and counted within the write's own transaction.

    A write that exceeds it raises QuotaExceeded and changes nothing; `retry_after` is the time until the next day of
    UTC begins, or an hour where only somebody's deleting makes room. Of the quotas a write is bound by:

    - `writes_per_day`: puts that are not superseded, and values set, into one space. Counted as the usage of
      "space:NAME", "writes" and the day, also without a limit. Deleting neither counts nor is refused.
    - `memories`: items in all spaces of the tenant. Only a change that adds items is refused.
    - `bytes_per_space`: octets of the contents and the other fields of items and former versions, and of values.
      Only a change that makes the space larger is refused.
    """

    now: datetime
    quotas: Quotas


class Applied(NamedTuple):
    """What `apply` did: the items as they are now kept (with their `seq`), in the order of the puts."""

    head: Head
    items: Sequence[MemoryItem]


class Restored(NamedTuple):
    """What `restore` did."""

    refused: Sequence[str]  # ids of the items that a tombstone stopped
    versions: int  # former versions that were put back
    refused_versions: int  # and those that a tombstone stopped


class Erased(NamedTuple):
    ids: Sequence[str]  # those that were there
    remaining: int  # found by searching again
    pending: bool  # a reader still holds the log


class Snapshot(NamedTuple):
    seq: int
    parts: Mapping[str, bytes]


class Items(Protocol):
    """Rows of items. Every method is safe to call from any thread; reads see every commit of every process."""

    def head(self, space: SpaceId) -> Head:
        """`(0, 0)` for a space that holds nothing yet."""
        ...

    def changes(self, space: SpaceId, *, after: int, embedder: str = "", limit: int = 10_000) -> Page:
        """The latest state of each item that changed after `after`, erasure markers included, by ascending seq.

        A damaged row raises DamagedStore. `after` below the floor misses erasures: the caller starts from 0 then.
        """
        ...

    def look(
        self,
        space: SpaceId,
        *,
        claims: Collection[tuple[str, datetime]] = (),
        statements: Collection[str] = (),
        answers: Collection[str] = (),
    ) -> Sight:
        """All that a decision about these claims, statements and idempotency keys depends on, and not much more.

        A claim is a key and a time. Of the items with that key: those that hold at that time or, where the latest
        begins later, at its beginning; those without an end; the latest; the last that began by that time and the
        first that began after it. However long the history of a key, these are few. Of the items with a statement:
        the 16 that changed last, without retired and repeatable ones.
        """
        ...

    def apply(self, space: SpaceId, change: Change, *, based_on: int, charge: Charge | None = None) -> Applied:
        """Keep the change durably, or nothing of it. Moved comes before QuotaExceeded.

        Raises Moved when, after `based_on`, a row with the claim key of one of the puts was written, or a current one
        with its statement (unless one of the two is repeatable), or a row that a put replaces changed or vanished;
        when an answer's idempotency key is taken; when a derived put's statement has a tombstone. Unrelated changes
        do not matter. `based_on` 0 stands for a decision that saw nothing: all its puts are new.
        """
        ...

    def get(self, space: SpaceId, ids: Sequence[str]) -> list[MemoryItem]:
        """The items in the order of the ids; missing ones are left out."""
        ...

    def found(self, space: SpaceId, ids: Sequence[str]) -> list[tuple[MemoryItem, int]]:
        """As `get`, each with how often it was recalled: all that a recall needs, in one reading."""
        ...

    def history(self, space: SpaceId, id: str) -> list[MemoryItem]:
        """Every version of every item in the chain of supersession through `id`, oldest first; [] if unknown."""
        ...

    def replaced_by(self, space: SpaceId, id: str, *, limit: int = 1) -> list[MemoryItem]:
        """What this item superseded, the latest `when` first."""
        ...

    def restore(
        self, space: SpaceId, puts: Sequence[Put], versions: Sequence[Put], *, charge: Charge | None = None
    ) -> Restored:
        """Put rows and former versions back as they were (import), except for those whose statement has a tombstone.

        Versions of items that are not here, and those that are here already, are left out.
        """
        ...

    def versions(self, space: SpaceId) -> Iterator[MemoryItem]:
        """All former versions of the space's items (export)."""
        ...

    def erase(self, space: SpaceId, ids: Sequence[str], *, now: datetime, reopen: bool = False) -> Erased:
        """Erase rows and all that was derived from them or tells of them, from the files too; leave tombstones.

        Covers former versions, supersession records and suspicions of others that name them, vectors, access counts,
        idempotency answers, snapshots, and the erased texts wherever one stands as a whole in the payload of a job: it
        is cut out of a job that is still to be done; one that is done or failed loses its payload.

        What was superseded by an erased item stays retired. With `reopen` it is as if the erased had never been
        there: it takes over their successor and their end, and is current again where they had none.
        """
        ...

    def erase_expired(self, now: datetime, *, limit: int = 1000) -> int:
        """Erase items of any space whose `expires` has come, in the same way but without tombstones; how many."""
        ...

    def erase_space(self, space: SpaceId) -> Erased:
        """Erase all that the space holds, values, jobs and tombstones included. Its seq goes on from where it was."""
        ...

    def accesses(self, space: SpaceId, ids: Sequence[str]) -> dict[str, int]:
        """How often each was recalled; ids never recalled are left out."""
        ...

    def accesses_by_day(self, space: SpaceId, id: str) -> dict[str, int]:
        """How often it was recalled on each day of UTC, "2026-11-15", of the month before it was last counted."""
        ...

    def count_accesses(
        self, space: SpaceId, counts: Mapping[str, int], *, now: datetime, is_past: bool = False
    ) -> None:
        """Add to the access counts; ids that are gone are skipped. Does not change any seq.

        They count for the day, too, unless they are of a past that nobody knows by day, as those of an import.
        """
        ...


class Values(Protocol):
    """JSON under keys, with versions that only grow (gaps are normal, a deleted key does not start again)."""

    def value(self, space: SpaceId, key: str, *, now: datetime) -> Value | None:
        """None when missing or expired."""
        ...

    def keys(self, space: SpaceId, *, now: datetime) -> list[str]:
        """Sorted; expired ones are left out."""
        ...

    def edit_value(
        self,
        space: SpaceId,
        key: str,
        edit: Callable[[Value | None], JSON],
        *,
        now: datetime,
        ttl: timedelta | None,
        charge: Charge | None = None,
        answer: tuple[str, str] | None = None,
    ) -> Value | None:
        """Replace the value by what `edit` makes of the present one, in one transaction; None deletes.

        `edit` runs inside the transaction, may run more than once, and may raise: then nothing changes. `ttl` None
        keeps the present expiry of a value that stays, so `append` does not make a temporary list permanent; use
        `timedelta.max` to clear it.

        `answer` is an idempotency key, in the same book as those of items, and a hash of the request. If the key was
        answered before with the same hash, nothing happens and the present value is returned (None if there is none
        any more); with another hash Conflict is raised; otherwise the edit is noted under it.
        """
        ...

    def restore_value(self, space: SpaceId, value: Value, *, charge: Charge | None = None) -> None:
        """Put a value back with its times (import), in place of one under the same key; the version is a new one."""
        ...


class Jobs(Protocol):
    """Durable work. A job that was claimed and not finished within its lease can be claimed again."""

    def add_job(self, job: Job) -> None: ...

    def job(self, space: SpaceId, id: str) -> Job | None: ...

    def find_job(self, tenant: str, id: str) -> Job | None:
        """The job in whichever space of the tenant it is."""
        ...

    def latest_jobs(self, tenant: str, *, limit: int = 100) -> list[Job]:
        """The jobs of all spaces of the tenant, whatever their state; those begun last come first."""
        ...

    def claim_job(self, *, now: datetime, lease: timedelta, max_attempts: int) -> Job | None:
        """The oldest waiting job of any space, or one whose lease ran out; its `attempts` has grown by one.

        One that was claimed `max_attempts` times already becomes "failed" with the error "gave up" instead: it may be
        what ended the processes that took it.
        """
        ...

    def finish_job(self, job: Job, *, now: datetime, again_at: datetime | None = None) -> None:
        """Keep `state`, `result` and `error` of a claimed job; one that is `done` and has no error loses its payload.

        A job put back as "waiting" is not claimed before `again_at`. Nothing happens when the job was claimed again
        by somebody else meanwhile, or erased.
        """
        ...

    def erase_jobs(self, space: SpaceId, *, session: str) -> bool:
        """Erase jobs whose payload names this session, from the files too; False while a reader holds the log."""
        ...

    def waiting_jobs(self, space: SpaceId | None = None) -> int:
        """How many jobs are waiting or running."""
        ...


class Snapshots(Protocol):
    """Derived data of an index, kept beside the rows for fast opening."""

    def save_snapshot(self, space: SpaceId, name: str, snapshot: Snapshot) -> None:
        """Keep it in place of an earlier one; dropped again silently if an erasure happened after its seq."""
        ...

    def load_snapshot(self, space: SpaceId, name: str) -> Snapshot | None:
        """None when there is none, or when it is damaged."""
        ...

    def drop_derived(self) -> None:
        """Remove the vectors and snapshots of all spaces, damaged ones too: all of them can be made again."""
        ...


class Keys(Protocol):
    """Access keys. Of a key's secret nothing is kept but its SHA-256 digest. Keys outlive the spaces they open.

    Where a tenant is asked for, None stands for any; the key of another tenant is not there.
    """

    def add_access_key(self, key: AccessKey, digest: bytes) -> None:
        """Conflict when its id or its digest is taken. `last_used` is not kept: see `note_key_use`."""
        ...

    def access_key(self, digest: bytes) -> AccessKey | None:
        """The key with this digest, also when it has expired: the caller judges."""
        ...

    def access_keys(self, tenant: str | None) -> list[AccessKey]:
        """Oldest first."""
        ...

    def rotate_access_key(self, tenant: str | None, id: str, digest: bytes) -> AccessKey | None:
        """Give the key another secret; the former one stops working at once. None when there is no such key.

        Conflict when the digest is taken.
        """
        ...

    def remove_access_key(self, tenant: str | None, id: str) -> bool:
        """Whether it was there."""
        ...

    def has_access_keys(self) -> bool:
        """Whether there is any, expired or not."""
        ...

    def note_key_use(self, used: Mapping[str, datetime]) -> None:
        """When keys were last used, by id. A time that is earlier than the known one, or an unknown id, is skipped."""
        ...

    def tenants(self) -> list[str]:
        """Those that have a key, or a space that holds something; sorted."""
        ...


class Usages(Protocol):
    """How much was used: counts by tenant, subject, counter and period (see `Usage`). Erasing does not change them."""

    def count_usage(self, tenant: str, counts: Mapping[tuple[str, str, str], int]) -> None:
        """Add to the counts by (subject, counter, period), all at once; negative ones give back, never below zero."""
        ...

    def lease_usage(self, tenant: str, subject: str, counter: str, period: str, *, want: int, limit: int) -> int:
        """Count up to `want` more, as far as that does not exceed the limit; how much was granted, 0 when used up."""
        ...

    def usage(self, tenant: str, *, periods: Collection[str] | None = None) -> list[Usage]:
        """What was used, of all periods or of these; sorted by period, subject, counter. Zeros are left out."""
        ...


class Store(Items, Values, Jobs, Snapshots, Keys, Usages, Protocol):
    """All of it, behind one place."""

    @property
    def location(self) -> str:
        """Where it is, in the user's words: a path, or an address without its password."""
        ...

    def spaces(self, tenant: str) -> list[str]:
        """Names of the spaces that hold something, sorted."""
        ...

    def overview(self, tenant: str, *, after: str = "", limit: int = 1000) -> list[SpaceSize]:
        """The same spaces with their sizes, by name, from the first name after `after` on."""
        ...

    def size(self) -> int:
        """Bytes that the store takes."""
        ...

    def backup(self, target: Path) -> None:
        """A complete, consistent copy in one new file, while others read and write."""
        ...

    def check(self) -> list[str]:
        """Read everything and tell what is damaged, in the user's words; [] when sound."""
        ...

    def tidy(self, *, now: datetime) -> None:
        """House-keeping: expired values, old erasure markers (raising the floor), old answers and finished jobs.

        Usage is kept for the month that is running and the thirteen before it.
        """
        ...

    def close(self) -> None:
        """Release everything; harmless when called twice."""
        ...


class Ear(Protocol):
    """Somebody who listens."""

    @property
    def hears(self) -> bool:
        """Whether changes are told, so that there is little need to look."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class Waking(Protocol):
    """A store that tells of changes that other processes make. It may tell too often, too late, or not at all."""

    def mark(self, space: SpaceId) -> str:
        """What stands for the space in what is told."""
        ...

    def listen(self, heard: Callable[[str], None]) -> Ear:
        """Call `heard`, in a thread of the store's, with the mark of a space that has changed."""
        ...


Table = Literal[
    "items", "versions", "vectors", "markers", "tombstones", "answers", "accesses", "kept_values", "jobs"
]  # what a space consists of, in the order in which it is copied
Cells: TypeAlias = "tuple[str | int | bytes | None, ...]"  # one row, as `stores.moving.COLUMNS` says


class Counters(NamedTuple):
    """What a space counts up, apart from its rows."""

    head: int
    floor: int
    value_head: int


class View(Protocol):
    """One state of a whole store, row by row, in a form that every other store can keep as it is."""

    @property
    def secret(self) -> bytes:
        """What keys the fingerprints."""
        ...

    def spaces(self) -> list[SpaceId]:
        """All that ever held anything, sorted."""
        ...

    def counters(self, space: SpaceId) -> Counters: ...

    def counts(self, space: SpaceId) -> dict[Table, int]:
        """How many rows there are, in each table; zeros for a space that is not there."""
        ...

    def rows(self, space: SpaceId, table: Table) -> Iterator[Sequence[Cells]]:
        """All rows by pages, in the same order in every store. A damaged row raises DamagedStore."""
        ...

    def access_keys(self) -> list[Cells]:
        """By id."""
        ...

    def usage(self) -> list[Cells]: ...


@runtime_checkable
class Movable(Protocol):
    """A store that can be copied from and to as it is: with every number, time, vector and tombstone.

    A copy into a space carries a *note* until it is finished: whoever copies says what it has done so far, in the same
    transaction, and goes on from there when it was interrupted.
    """

    def viewed(self) -> AbstractContextManager[View]:
        """What is there now, for as long as it takes, while others read and write. A lost connection ends it."""
        ...

    @property
    def location(self) -> str:
        """Where it is, in the user's words."""
        ...

    def erase_space(self, space: SpaceId) -> Erased:
        """As of `Items`; the note of a copy goes, too."""
        ...

    def adopt_secret(self, secret: bytes) -> bool:
        """Key fingerprints by this one, if there is no space yet that was keyed by another; whether that is so."""
        ...

    def unfinished(self, space: SpaceId) -> str | None:
        """The note of a copy that was begun; None when there is none."""
        ...

    def take_in(self, space: SpaceId, table: Table, rows: Sequence[Cells], *, based_on: str | None, note: str) -> None:
        """Add rows and leave the note, as a whole or not at all.

        Conflict unless the note that is there is the one that this is `based_on`; None: unless the space holds nothing.
        """
        ...

    def finish(self, space: SpaceId, counters: Counters, *, based_on: str) -> None:
        """Set what the space counts up, and remove the note. Conflict as for `take_in`."""
        ...

    def take_in_keys(self, keys: Sequence[Cells]) -> None:
        """Keep access keys, all or none. Those that are here already stay; Conflict when they are not the same."""
        ...

    def take_in_usage(self, usage: Sequence[Cells]) -> None:
        """Raise counts to these; larger ones stay."""
        ...


class Embedder(Protocol):
    """Turns text into meaning."""

    @property
    def name(self) -> str:
        """Vectors are kept under this name: it changes whenever the vectors do."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def in_process(self) -> bool:
        """Whether `embed` always returns soon (a local model); others are called with a deadline, in a thread."""
        ...

    def passages(self, text: str) -> list[str]:
        """The text as overlapping pieces that `embed` sees whole; [text] for a short one."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a text, in order; an empty input gives shape (0, dimension). Raises EmbedderError."""
        ...


class ContextualEmbedder(Embedder, Protocol):
    """An embedder that can also tell what a part of a text means within it, at no cost after embedding the text."""

    def embed_within(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """One unit vector for all these stretches of characters together. Raises EmbedderError."""
        ...


class Extractor(Protocol):
    """Reads what is durable out of a conversation."""

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        """Drafts in the order of the messages, each citing its message in `source`. Raises ExtractorError."""
        ...


Span = Literal["day", "month"]


class Account(Protocol):
    """What is used on behalf of one space, kept durably by the day or the month of UTC."""

    def take(self, counter: str, want: int, *, limit: int | None, per: Span) -> bool:
        """Count this many more, or none of them where that would exceed the limit; whether they were counted."""
        ...

    def settle(self, counter: str, more: int, *, per: Span) -> None:
        """Correct what was taken: that many more, or fewer where it is negative."""
        ...


class Extracted(NamedTuple):
    """What an extractor found, and what that cost."""

    drafts: Sequence[Draft]
    report: ExtractionReport


@runtime_checkable
class ReportingExtractor(Extractor, Protocol):
    """An extractor that costs something, and so works within an account and says what it used."""

    @property
    def name(self) -> str:
        """What it has read is noted under this name, and not read again."""
        ...

    @property
    def time_limit(self) -> timedelta:
        """Longer than this it never takes."""
        ...

    def extract_within(
        self, messages: Sequence[Message], *, account: Account, settled: Collection[int] = ()
    ) -> Extracted:
        """As `extract`. Messages at the `settled` places were read before: they may be looked at and not cited.

        A report with a `fallback` says that it did not go as it should; the messages may then be read again later.
        """
        ...

"""What goes into a store and comes out of it: rows, changes, and what they were based on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from truekeep.model import MemoryItem, Outcome, Quotas, Value


class Moved(Exception):
    """What a change was based on is no longer so: look again and decide again. Never reaches a user."""


class Withdrawn(Exception):
    """The job on whose behalf a change was made is gone, or somebody else has taken it over. Never reaches a user."""


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


class Saying(NamedTuple):
    """A statement and whose it is: from another source, or said by another, it is another memory."""

    statement: str
    source: str | None = None  # its name
    speaker: str | None = None  # None: whoever said it


class Sight(NamedTuple):
    """What a decision is based on, read in one transaction."""

    head: Head
    by_key: Mapping[str, Sequence[MemoryItem]]  # claims with that key, retired ones too, oldest `when` first
    by_saying: Mapping[Saying, Sequence[MemoryItem]]  # current items that say it, last changed first
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
    """Vectors made later for an item that still has the text of which they were made."""

    id: str
    content: str
    vectors: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Everything that one decision changes; applied as a whole or not at all."""

    puts: Sequence[Put] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    vectors: Sequence[NewVectors] = ()  # skipped one by one where the item is gone, has another text, or has vectors
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
    vectors: int = 0  # how many of those made later were kept


class Restored(NamedTuple):
    """What `restore` did."""

    refused: Sequence[str]  # ids of the items that a tombstone stopped
    versions: int  # former versions that were put back
    refused_versions: int  # and those that a tombstone stopped
    unchanged: Sequence[str]  # ids of the items that are here already and at least as new


class Difference(NamedTuple):
    """What changed between two moments: items and values as they were at the one, and at the other; None: not there."""

    head: Head  # when it was looked
    items: Sequence[tuple[MemoryItem | None, MemoryItem | None]]
    values: Sequence[tuple[str, Value | None, Value | None]]  # with their keys
    erased: int  # items that were erased in between, whether or not they were there at first


class Erased(NamedTuple):
    ids: Sequence[str]  # those that were there
    remaining: int  # found by searching again
    pending: bool  # bytes of theirs may still lie in the files, until `wipe`


class Snapshot(NamedTuple):
    seq: int
    parts: Mapping[str, bytes]

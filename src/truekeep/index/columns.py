"""What the index knows of items besides their words and meanings: the columns that filters and ranking read; sums.

Filters become a mask over rows: which items may answer.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from truekeep.model import TRUST_LEVELS, Filters, MemoryItem

from .arrays import Array, Schema
from .postings import PostingsView
from .tokens import tag_term

DEAD = 1  # erased, or replaced by a later row of the same item
RETIRED = 2
PINNED = 4
BOUNDED = 8  # `until` or `expires` is set
TRUST_SHIFT = 4  # the two bits above hold the place in TRUST_LEVELS
TRUST_MASK = 3
QUARANTINED = 64
SUSPECTED = 128
UNJUDGED = 256
MORTAL = DEAD | RETIRED | BOUNDED | QUARANTINED  # what a recall without filters must leave out, now or some day

NEVER = np.iinfo(np.int64).max
NONE_YET = -1  # in `first`: no vectors so far

SCHEMA: Schema = {
    "high": (np.uint64, ()),  # the two halves of the id
    "low": (np.uint64, ()),
    "print": (np.uint64, ()),  # of what the postings were made from
    "vector_print": (np.uint32, ()),
    "seq": (np.int64, ()),
    "when": (np.int64, ()),  # times are microseconds since 1970
    "created": (np.int64, ()),
    "until": (np.int64, ()),
    "retired": (np.int64, ()),
    "expires": (np.int64, ()),
    "first": (np.int32, ()),  # of its passages
    "passages": (np.int32, ()),
    "length": (np.float32, ()),  # in terms
    "kind": (np.int32, ()),  # codes of `Names`
    "speaker": (np.int32, ()),
    "session": (np.int32, ()),
    "source": (np.int32, ()),
    "flags": (np.uint16, ()),
}

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(moment: datetime | None) -> int:
    if moment is None:
        return NEVER
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def moment(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def content_print(item: MemoryItem) -> int:
    """Tells whether the postings of an item are still right."""
    said = f"{item.when:%Y-%m-%d}"  # "yesterday" is filed under a date
    text = "\x00".join([said, item.content, *item.tags])
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def vector_print(vectors: bytes | None) -> int:
    return 0 if vectors is None else zlib.crc32(vectors)


def flags(item: MemoryItem) -> int:
    value = TRUST_LEVELS.index(item.source.trust) << TRUST_SHIFT
    if not item.is_current:
        value |= RETIRED
    if item.pinned:
        value |= PINNED
    if item.until is not None or item.expires is not None:
        value |= BOUNDED
    if item.quarantined:
        value |= QUARANTINED
    if item.suspected_by:
        value |= SUSPECTED
    if item.unjudged:
        value |= UNJUDGED
    return value


@dataclass(slots=True, kw_only=True)
class Counts:
    """Sums that every query needs, kept up to date rather than counted; over live rows, but for `dead` and `mortal`."""

    live: int = 0
    dead: int = 0
    mortal: int = 0  # rows that are dead, retired, or bound to end: without any, no mask is needed
    pending: int = 0  # without vectors
    unjudged: int = 0
    passages: int = 0
    length: int = 0  # in terms

    def copy(self) -> Counts:
        return replace(self)


class Names:
    """Strings as small numbers; 0 stands for None. Numbers are given once and stay."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names: list[str | None] = [None, *names]
        self._codes: dict[str | None, int] = {name: code for code, name in enumerate(self._names)}

    @property
    def nbytes(self) -> int:
        return 150 * len(self._names)  # a guess at a short string, its dict entry and its number

    def add(self, name: str | None) -> int:
        code = self._codes.get(name)
        if code is None:
            code = len(self._names)
            self._names.append(name)  # first the name, then its code: readers may come in between
            self._codes[name] = code
        return code

    def code(self, name: str | None) -> int:
        """-1, which no row has, when the name is unknown."""
        return self._codes.get(name, -1)

    def __getitem__(self, code: int) -> str | None:
        return self._names[code]


NAMED = ("kind", "speaker", "session", "source")


Mask: TypeAlias = NDArray[np.bool_] | None  # None: every row


def select(
    filters: Filters,
    now: int,
    *,
    column: Callable[[str], Array],
    names: Mapping[str, Names],
    postings: PostingsView,
) -> NDArray[np.bool_]:
    """The rows that pass: alive, not expired, valid at the time in question, and as the filters want them."""
    flags = column("flags")
    hidden = DEAD if filters.include_quarantined else DEAD | QUARANTINED
    if filters.as_of is None and filters.known_at is None and not filters.include_superseded:
        hidden |= RETIRED
    mask: NDArray[np.bool_] = (flags & hidden) == 0
    if filters.known_at is not None:
        mask &= column("created") <= microseconds(filters.known_at)
    _drop_bounded(mask, filters, now, column)
    _narrow(mask, filters, column, names)
    for tag in filters.tags or ():
        tagged = np.zeros(len(mask), np.bool_)
        tagged[postings.find([tag_term(tag)])[0].rows] = True
        mask &= tagged
    return mask


def _drop_bounded(mask: NDArray[np.bool_], filters: Filters, now: int, column: Callable[[str], Array]) -> None:
    """Expired items never answer; others not outside the time for which they are true."""
    asked = filters.as_of or filters.known_at
    at = now if asked is None else microseconds(asked)
    bounded = np.flatnonzero(column("flags") & BOUNDED)  # few: only they cost a look at the times
    if len(bounded):
        fits = column("expires")[bounded] > now
        if asked is not None or not filters.include_superseded:
            true = column("until")[bounded] > at
            if filters.known_at is not None:  # what was retired later had no end yet, as far as anybody knew
                retired = column("retired")[bounded]
                true |= (retired > microseconds(filters.known_at)) & (retired != NEVER)
            fits &= true
        mask[bounded] &= fits
    if asked is not None:
        mask &= column("when") <= at


def _narrow(
    mask: NDArray[np.bool_], filters: Filters, column: Callable[[str], Array], names: Mapping[str, Names]
) -> None:
    if filters.kinds:
        _narrow_kinds(mask, filters.kinds, column("kind"), names["kind"])
    for name in ("session", "speaker", "source"):
        if (wanted := getattr(filters, name)) is not None:
            mask &= column(name) == names[name].code(wanted)
    if filters.since is not None:
        mask &= column("when") >= microseconds(filters.since)
    if filters.until is not None:
        mask &= column("when") < microseconds(filters.until)
    if filters.before is not None:
        mask &= column("created") < microseconds(filters.before)
    if filters.min_trust is not None:
        mask &= ((column("flags") >> TRUST_SHIFT) & TRUST_MASK) >= TRUST_LEVELS.index(filters.min_trust)


def _narrow_kinds(mask: NDArray[np.bool_], kinds: frozenset[str], column: Array, names: Names) -> None:
    unwanted = {kind for kind in kinds if kind.startswith("-")}
    if wanted := kinds - unwanted:
        mask &= np.logical_or.reduce([column == names.code(kind) for kind in wanted])
    for kind in unwanted:
        mask &= column != names.code(kind[1:])

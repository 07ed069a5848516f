"""What the index knows of items besides their words and meanings: the columns that filters and ranking read; sums."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

import numpy as np

from truekeep.model import TRUST_LEVELS, MemoryItem

from .arrays import Schema

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

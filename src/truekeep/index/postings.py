"""Which rows hold a term, how often, and what that is worth (BM25).

Terms are 64-bit hashes. Most postings lie in a few *segments*: sorted terms, and for each its rows in ascending order.
Rows added since the last segment wait in a plain dict, where adding one costs microseconds. Segments are merged so that
each is at least four times as large as the one after it: a posting is copied a few times in its life, and a query looks
into a handful of places. Rows only ever grow, so the parts of one term put end to end are sorted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Array, Rows, ranges

_WAITING_ROWS = 256  # more in the dict would make common terms slow to read
_BULK_ROWS = 32  # from here on building a segment is cheaper than filling the dict
_RATIO = 4
_MOST = 255  # how often a term counts at most; BM25 is saturated long before

K1 = 0.9
B = 0.4
_LONGEST = 4  # times the average length: a pasted file among short facts must still be found by its words


class Posting(NamedTuple):
    """Rows that hold a term, ascending, and how often each of them does."""

    rows: Rows
    counts: NDArray[np.uint8]


class Segment(NamedTuple):
    terms: NDArray[np.uint64]
    offsets: NDArray[np.int64]  # where the rows of each term begin, and one end more
    rows: Rows
    counts: NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        return self.terms.nbytes + self.offsets.nbytes + self.rows.nbytes + self.counts.nbytes


NOTHING = Posting(np.empty(0, np.int32), np.empty(0, np.uint8))


def term_weight(items: int, found: int) -> float:
    """What a term is worth that so many of the items hold; no item gets all of it."""
    return math.log1p((items - found + 0.5) / (found + 0.5)) * (K1 + 1)


def length_norms(lengths: Array, average: float) -> NDArray[np.float32]:
    """What is added to a term's count in the denominator."""
    result = np.minimum(lengths, np.float32(_LONGEST * (average or 1.0)))
    result *= np.float32(K1 * B / (average or 1.0))
    result += np.float32(K1 * (1 - B))
    return result


class Postings:
    """The inverted index, as its only writer sees it."""

    def __init__(self, segment: Segment | None = None) -> None:
        self._segments: tuple[Segment, ...] = (segment,) if segment and len(segment.rows) else ()
        self._waiting: dict[int, list[int]] = {}  # term to row * 256 + count
        self._waiting_rows = 0
        self._waiting_postings = 0

    @property
    def nbytes(self) -> int:
        # Measured: a list with one small int in a dict takes about 200 bytes.
        return sum(segment.nbytes for segment in self._segments) + 200 * self._waiting_postings

    def add(self, rows: Sequence[int], terms: Sequence[Sequence[int]]) -> None:
        """File the terms of new rows. Rows ascend, also from call to call."""
        if len(rows) >= _BULK_ROWS:
            self._flush()
            self._push(_segment_of(rows, terms))
            return
        for row, row_terms in zip(rows, terms, strict=True):
            for term, count in Counter(row_terms).items():
                self._waiting.setdefault(term, []).append(row << 8 | min(count, _MOST))
                self._waiting_postings += 1
        self._waiting_rows += len(rows)
        if self._waiting_rows >= _WAITING_ROWS:
            self._flush()

    def view(self, size: int) -> PostingsView:
        return PostingsView(self._segments, self._waiting, size)

    def _flush(self) -> None:
        if self._waiting:
            self._push(_segment_of_waiting(self._waiting))
            self._waiting = {}  # a new one: views go on reading the old
            self._waiting_rows = self._waiting_postings = 0

    def _push(self, segment: Segment) -> None:
        if not len(segment.rows):
            return
        segments = [*self._segments, segment]
        while len(segments) > 1 and len(segments[-2].rows) < _RATIO * len(segments[-1].rows):
            segments[-2:] = [merged(segments[-2:])]
        self._segments = tuple(segments)


class PostingsView:
    """The postings of the first `size` rows; later ones may be there and are not seen."""

    def __init__(self, segments: tuple[Segment, ...], waiting: Mapping[int, list[int]], size: int) -> None:
        self._segments = segments
        self._waiting = waiting
        self._size = size

    def find(self, terms: Sequence[int]) -> list[Posting]:
        """The posting of each term, in the order asked."""
        found: list[list[Posting]] = [[] for _ in terms]
        wanted = np.array(terms, np.uint64)
        for segment in self._segments:
            places = segment.terms.searchsorted(wanted)
            hits = segment.terms.take(places, mode="clip") == wanted
            for number, (place, is_hit) in enumerate(zip(places.tolist(), hits.tolist(), strict=True)):
                if is_hit:
                    start, end = segment.offsets[place : place + 2].tolist()
                    found[number].append(Posting(segment.rows[start:end], segment.counts[start:end]))
        for number, term in enumerate(terms):
            if packed := self._waiting.get(term):
                found[number].append(self._unpacked(packed))
        return [_joined(parts) for parts in found]

    def whole(self) -> Segment:
        """All of it as one segment."""
        waiting = {}
        for term in list(self._waiting):
            if packed := [entry for entry in self._waiting[term] if entry >> 8 < self._size]:
                waiting[term] = packed
        segments = [*self._segments, *([_segment_of_waiting(waiting)] if waiting else [])]
        return merged(segments) if segments else _segment_of([], [])

    def _unpacked(self, packed: list[int]) -> Posting:
        entries = np.array(packed, np.int64)
        rows = (entries >> 8).astype(np.int32)
        seen = len(rows) if rows[-1] < self._size else int(np.searchsorted(rows, self._size))
        return Posting(rows[:seen], (entries[:seen] & 255).astype(np.uint8))


def either(one: Posting, other: Posting) -> Posting:
    """The rows of both; a row that is in both counts as in the first."""
    more = ~np.isin(other.rows, one.rows)
    rows = np.concatenate([one.rows, other.rows[more]])
    order = rows.argsort()
    return Posting(rows[order], np.concatenate([one.counts, other.counts[more]])[order])


def _joined(parts: list[Posting]) -> Posting:
    if not parts:
        return NOTHING
    if len(parts) == 1:
        return parts[0]
    return Posting(np.concatenate([part.rows for part in parts]), np.concatenate([part.counts for part in parts]))


def _segment_of(rows: Sequence[int], terms: Sequence[Sequence[int]]) -> Segment:
    lengths = [len(row_terms) for row_terms in terms]
    flat = np.fromiter(chain.from_iterable(terms), np.uint64, count=sum(lengths))
    owners = np.repeat(np.array(rows, np.int32), lengths)
    order = np.argsort(flat, kind="stable")  # stable: rows stay ascending within a term
    flat, owners = flat[order], owners[order]
    starts = _starts((flat[1:] != flat[:-1]) | (owners[1:] != owners[:-1]), len(flat))
    counts = np.minimum(np.diff(np.append(starts, len(flat))), _MOST).astype(np.uint8)
    return _grouped(flat[starts], owners[starts], counts)


def _segment_of_waiting(waiting: Mapping[int, list[int]]) -> Segment:
    terms = sorted(waiting)
    sizes = [len(waiting[term]) for term in terms]
    packed = np.fromiter(chain.from_iterable(waiting[term] for term in terms), np.int64, count=sum(sizes))
    flat = np.repeat(np.array(terms, np.uint64), sizes)
    return _grouped(flat, (packed >> 8).astype(np.int32), (packed & 255).astype(np.uint8))


def merged(segments: Sequence[Segment]) -> Segment:
    """One segment out of several; the rows of a later one come after those of an earlier."""
    if len(segments) == 1:
        return segments[0]
    terms = np.concatenate([segment.terms for segment in segments])
    sizes = np.concatenate([np.diff(segment.offsets) for segment in segments])
    bases = np.cumsum([0, *(len(segment.rows) for segment in segments[:-1])])
    begins = np.concatenate([segment.offsets[:-1] + base for segment, base in zip(segments, bases, strict=True)])
    order = np.argsort(terms, kind="stable")
    terms, sizes = terms[order], sizes[order]
    places = ranges(begins[order], sizes)
    firsts = _starts(terms[1:] != terms[:-1], len(terms))
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return Segment(
        terms[firsts],
        np.append(ends[firsts], ends[-1]).astype(np.int64),
        np.concatenate([segment.rows for segment in segments])[places],
        np.concatenate([segment.counts for segment in segments])[places],
    )


def kept(segment: Segment, renumbered: Rows) -> Segment:
    """The segment with rows renumbered; those that become -1, and terms left without any row, go."""
    rows = renumbered[segment.rows]
    stay = rows >= 0
    flat = np.repeat(segment.terms, np.diff(segment.offsets))
    return _grouped(flat[stay], rows[stay], segment.counts[stay])


def _grouped(flat: Array, rows: Rows, counts: NDArray[np.uint8]) -> Segment:
    firsts = _starts(flat[1:] != flat[:-1], len(flat))
    return Segment(flat[firsts], np.append(firsts, len(flat)).astype(np.int64), rows, counts)


def _starts(differs: NDArray[np.bool_], size: int) -> NDArray[np.int64]:
    """Where runs of equal elements begin, given where neighbours differ."""
    return np.flatnonzero(np.concatenate([[size > 0], differs]))

"""What was said next to what: the items of each session in their order, whatever rows they lie in.

In a conversation the words of an answer often stand in the question before it, or in the sentence after. So a turn is
also scored together with its neighbours, and a session by its best place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Array, Rows
from .postings import Posting, length_norms

Scores = NDArray[np.float32]


class Turns(NamedTuple):
    """The turns of all sessions, one session after another; a place is a position in this order."""

    rows: Rows  # by place
    places: NDArray[np.int32]  # by row; -1 for what was said in no session
    follows: Scores  # 1 where a turn has one before it in the same session, else 0
    starts: NDArray[np.intp]  # places where sessions begin
    sessions: NDArray[np.intp]  # by place: the number of its session
    norms: Scores  # what BM25 divides by, for a turn with its neighbours

    def together(self, postings: Sequence[Posting], factors: Sequence[float]) -> Scores:
        """BM25 of each place over three turns, its own and its two neighbours'. Terms are added in their order."""
        scores = np.zeros(len(self.rows), np.float32)
        for posting, factor in zip(postings, factors, strict=True):
            places = self.places.take(posting.rows)
            said = places >= 0
            counts = np.zeros(len(self.rows), np.float32)
            counts[places[said]] = posting.counts[said]
            near = _summed(counts, self.follows)
            near /= near + self.norms
            near *= np.float32(factor)
            scores += near
        return scores

    def best(self, scores: Scores) -> Scores:
        """The best score of each session."""
        return np.maximum.reduceat(scores, self.starts)


def turns(*, session: Array, when: Array, seq: Array, length: Array, among: Array) -> Turns | None:
    """The turns among these rows; None where no two were said in one session.

    `among`: a mask of the rows that may lend. The order is by time, then by seq, so that it is the same in every
    process.
    """
    said = np.flatnonzero((session > 0) & among)
    rows = said[np.lexsort((seq[said], when[said], session[said]))].astype(np.int32)
    codes = session[rows]
    follows = np.zeros(len(rows), np.float32)
    follows[1:] = codes[1:] == codes[:-1]
    if not follows.any():
        return None
    places = np.full(len(session), -1, np.int32)
    places[rows] = np.arange(len(rows), dtype=np.int32)
    lengths = _summed(length[rows], follows)
    norms = length_norms(lengths, float(lengths.mean(dtype=np.float64)))
    return Turns(rows, places, follows, np.flatnonzero(follows == 0), np.cumsum(follows == 0) - 1, norms)


def _summed(values: Scores, follows: Scores) -> Scores:
    """Each value with those of its neighbours in the same session."""
    total = values.copy()
    total[1:] += values[:-1] * follows[1:]
    total[:-1] += values[1:] * follows[1:]
    return total

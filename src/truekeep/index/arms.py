"""The arms of recall: each scores items by one thing, words or meaning, and nominates its best.

Ties are broken by what the items are, never by where their rows lie: the newer first, then by id. So a ranking is the
same in every process, whatever it has seen of the space's past.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from truekeep.lazy import lazy

from .arrays import Array, Rows, ranges, smallest, smallest_unsorted
from .columns import Mask
from .compounds import ANY, cuts, part_term
from .postings import NOTHING, Posting, PostingsView, either, length_norms, term_weight
from .tokens import Term, query_terms, stop_words_of
from .vectors import Query

if TYPE_CHECKING:
    from .view import View

_FEW = 500  # passages: scoring all costs less than picking out those that are asked for
_LARGE = 200_000  # from so many items on, words that nearly every item holds are left out
_BUDGET = 400_000  # ... when the rarer ones together have been found so often
# A text of many passages has a near one by chance: its best is worth so much less for each e-fold of their number.
_LUCK = 0.06
_MOST_LUCK = 16  # passages: a book must not be out of reach


class Words:
    """BM25 over the terms of a query. Only items that hold one of them are nominated.

    `ceiling` is the score of an item that held every term, unknown ones too, as often as could be.
    """

    def __init__(self, view: View, text: str, mask: Mask = None) -> None:
        self._view = view
        self._mask = view.allowed(mask)
        self._terms, self._postings = _found(view.postings, query_terms(text, stop_words_of(text)))
        frequencies = [self._frequency(posting) for posting in self._postings]
        self._weights = [term_weight(view.live, found) for found in frequencies]
        self.ceiling = sum(self._weights)
        skipped = _beyond_budget(frequencies) if view.live > _LARGE else ()
        self._used = [number for number, found in enumerate(frequencies) if found and number not in skipped]
        self._scores = self._summed()

    def top(self, k: int) -> tuple[Rows, NDArray[np.float32]]:
        """The best allowed rows and their scores, best first."""
        return _best(self._view, *self._matching(), k)

    def nominate(self, k: int) -> Rows:
        """The same rows in no particular order, which is all that fusion needs."""
        return _nominated(self._view, *self._matching(), k)

    def of(self, rows: Array) -> NDArray[np.float32]:
        """The score of any rows, allowed or not; 0 where the arm knows nothing."""
        return self._scores.take(rows)

    def nominate_together(self, k: int) -> Rows:
        """The rows that are best together with what was said before and after them; none outside of sessions."""
        turns, together = self._view.turns, self._together
        if turns is None or together is None:
            return np.empty(0, np.int32)
        places = (together > 0).nonzero()[0]
        rows = turns.rows.take(places)
        if self._mask is not None:
            places, rows = places[allowed := self._mask.take(rows)], rows[allowed]
        return _nominated(self._view, rows, together.take(places), k)

    def lent(self, rows: Array) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the neighbours of each row add to its score, and the best score of a place in its session."""
        turns, together = self._view.turns, self._together
        if turns is None or together is None:
            return np.zeros(len(rows), np.float32), np.zeros(len(rows), np.float32)
        places = turns.places.take(rows)
        said = places >= 0
        near = np.maximum(together.take(places) - self.of(rows), np.float32(0))
        return near * said, self._sessions.take(turns.sessions.take(places)) * said

    def terms_of(self, rows: Array) -> list[list[str]]:
        """Which words of the query each row holds, as they were asked for."""
        held: list[list[str]] = [[] for _ in rows]
        for term, posting in zip(self._terms, self._postings, strict=True):
            if len(posting.rows):
                holds = posting.rows.take(posting.rows.searchsorted(rows), mode="clip") == rows
                for labels in compress(held, holds.tolist()):
                    if term.label not in labels:  # two parts of one word
                        labels.append(term.label)
        return held

    def _matching(self) -> tuple[Array, NDArray[np.float32]]:
        rows = (self._scores > 0).nonzero()[0]
        if self._mask is not None:
            rows = rows[self._mask.take(rows)]
        return rows, self._scores.take(rows)

    def _frequency(self, posting: Posting) -> int:
        if not self._view.counts.dead:
            return len(posting.rows)
        return int(np.count_nonzero(self._view.alive.take(posting.rows)))

    def _summed(self) -> NDArray[np.float32]:
        """The score of every row. The terms are added in the order of the query, so that sums agree to the last bit."""
        scores = np.zeros(self._view.size, np.float32)
        if not self._used:
            return scores
        postings = [self._postings[number] for number in self._used]
        rows = np.concatenate([posting.rows for posting in postings])
        counts = np.concatenate([posting.counts for posting in postings])
        factors = np.array([self._weights[number] for number in self._used], np.float32)
        impacts = counts * factors.repeat([len(posting.rows) for posting in postings])
        # Computed now rather than kept: the average length moves with every write, and a score must not depend on
        # when its row came in.
        norms = length_norms(self._view.column("length").take(rows), self._view.counts.length / self._view.live)
        norms += counts
        impacts /= norms
        np.add.at(scores, rows, impacts)
        return scores

    @lazy
    def _together(self) -> NDArray[np.float32] | None:
        """The score of every turn together with its neighbours, by place; None where there are no sessions."""
        turns = self._view.turns
        if turns is None or self._view.live > _LARGE:
            return None
        used = self._used
        return turns.together([self._postings[at] for at in used], [self._weights[at] for at in used])

    @lazy
    def _sessions(self) -> NDArray[np.float32]:
        """The best of these in each session."""
        turns, together = self._view.turns, self._together
        return np.empty(0, np.float32) if turns is None or together is None else turns.best(together)


class Meaning:
    """The cosine of the query's vector with an item's best passage. Asked in the same way as `Words`."""

    def __init__(self, view: View, vector: NDArray[np.float32], mask: Mask = None) -> None:
        self._view = view
        self._query = Query.of(vector)
        self._mask = view.allowed(mask)
        self._scored: NDArray[np.float32] | None = None  # every passage's score, once `top` had to look at all

    def top(self, k: int) -> tuple[Rows, NDArray[np.float32]]:
        return _best(self._view, *self._nearest(k), k)

    def nominate(self, k: int, *, hasty: bool = False) -> Rows:
        rows, scores = self._nearest(k, hasty=hasty)
        return _nominated(self._view, rows, scores - self.luck(rows), k)

    def luck(self, rows: Array) -> NDArray[np.float32]:
        """How much of each row's score is to be expected by chance, for having many passages."""
        if self._view.counts.passages == self._view.counts.live:
            return np.zeros(len(rows), np.float32)
        passages = np.clip(self._view.column("passages").take(rows), 1, _MOST_LUCK)
        return np.asarray(np.float32(_LUCK) * np.log(passages, dtype=np.float32))

    def of(self, rows: Array) -> NDArray[np.float32]:
        firsts, counts = self._view.column("first").take(rows), self._view.column("passages").take(rows)
        if np.count_nonzero(counts == 1) == len(rows):
            return self._scores(firsts)
        known = np.flatnonzero(counts)  # none while pending
        result = np.zeros(len(rows), np.float32)
        if len(known):
            counts = counts[known]
            scores = self._scores(ranges(firsts[known], counts))
            result[known] = np.maximum.reduceat(scores, np.cumsum(counts) - counts)
        return result

    def nearest_passage(self, row: int) -> int:
        """Which passage of a row is nearest to the query, from 0."""
        first, count = self._view.column("first").item(row), self._view.column("passages").item(row)
        return int(self._scores(np.arange(first, first + count)).argmax()) if count > 1 else 0

    def _nearest(self, k: int, *, hasty: bool = False) -> tuple[Array, NDArray[np.float32]]:
        passages = self._view.passages
        owners = passages.columns["owner"][: passages.size]
        allowed = None if self._mask is None else self._mask.take(owners)
        counts = self._view.counts
        items = max(1, counts.live - counts.pending)
        found, scores = passages.nearest(self._query, allowed, k * -(-counts.passages // items), hasty=hasty)
        self._scored = scores if found is None else None
        rows = owners if found is None else owners.take(found)
        return (rows, scores) if counts.passages == items else _best_passages(rows, scores)

    def _scores(self, passages: Array) -> NDArray[np.float32]:
        everything = self._view.passages
        if self._scored is None and everything.size <= min(_FEW, 8 * len(passages)):
            self._scored = everything.scores(self._query, None)
        return everything.scores(self._query, passages) if self._scored is None else self._scored.take(passages)


def _found(postings: PostingsView, terms: list[Term]) -> tuple[list[Term], list[Posting]]:
    """The terms and where they are; a German word is also found inside of others, and an unknown one by its parts."""
    words = [term for term in terms if len(term.label) > 3 and term.label.isalpha()]
    found = postings.find([*(term.hash for term in terms), ANY, *(part_term(term.label) for term in words)])
    if not len(found[len(terms)].rows):
        return terms, found[: len(terms)]
    inside = dict(zip(words, found[len(terms) + 1 :], strict=True))
    known: list[tuple[Term, Posting]] = []
    for term, posting in zip(terms, found, strict=False):
        whole = either(posting, inside.get(term, NOTHING))
        known += [(term, whole)] if len(whole.rows) else _known_parts(postings, term) or [(term, whole)]
    return [term for term, _ in known], [posting for _, posting in known]


def _known_parts(postings: PostingsView, term: Term) -> list[tuple[Term, Posting]]:
    """The first cut of a word into two that the space knows."""
    pairs = cuts(term.label)
    found = postings.find([part for pair in pairs for part in pair]) if pairs else []
    for place, pair in enumerate(pairs):
        heads, tails = found[2 * place : 2 * place + 2]
        if len(heads.rows) and len(tails.rows):
            return [(Term(term.label, hash), posting) for hash, posting in zip(pair, (heads, tails), strict=True)]
    return []


def _beyond_budget(frequencies: list[int]) -> set[int]:
    """The most common terms, as far as the rarer ones alone use up what may be spent."""
    spent = 0
    skipped = set()
    for number in sorted(range(len(frequencies)), key=frequencies.__getitem__):
        if spent and spent + frequencies[number] > _BUDGET:
            skipped.add(number)
        spent += frequencies[number]
    return skipped


def _best(view: View, rows: Array, scores: NDArray[np.float32], k: int) -> tuple[Rows, NDArray[np.float32]]:
    best = smallest(_keys(view, rows, scores), np.arange(len(rows)), k)
    return rows[best].astype(np.int32, copy=False), scores[best]


def _nominated(view: View, rows: Array, scores: NDArray[np.float32], k: int) -> Rows:
    return rows[smallest_unsorted(_keys(view, rows, scores), np.arange(len(rows)), k)].astype(np.int32, copy=False)


def _keys(view: View, rows: Array, scores: NDArray[np.float32]) -> list[Callable[[Array], Array]]:
    when, high, low = view.column("when"), view.column("high"), view.column("low")
    return [
        lambda at: -scores[at],
        lambda at: -when[rows[at]],
        lambda at: high[rows[at]],
        lambda at: low[rows[at]],
    ]


def _best_passages(rows: Array, scores: NDArray[np.float32]) -> tuple[Array, NDArray[np.float32]]:
    order = np.lexsort((-scores, rows))
    rows, scores = rows[order], scores[order]
    first = np.concatenate([[True], rows[1:] != rows[:-1]])[: len(rows)]
    return rows[first], scores[first]

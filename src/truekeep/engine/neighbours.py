"""Finding the items that speak of something like an item."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from truekeep.index.arrays import united
from truekeep.model import Filters, MemoryItem

if TYPE_CHECKING:
    from truekeep.index.view import View

NEAREST = 3  # what a statement changed was among the nearest two in every space that was looked at
LARGE = 100_000  # in a space of so many items words nominate: a look at every vector would cost more than the verdict
LEAST_COVERAGE = 0.2  # of the item's words, where there are no vectors to compare
LEAST_SIMILARITY = 0.2  # a fifth of all changes that authors wrote by hand lies between this and 0.35
_JUDGED = Filters(kinds=frozenset({"-interaction"}))


class Neighbourhood:
    """Who is near whom, in one state of the index.

    Those that wait to be judged are asked for in the order in which they were said, and none knows of those after it:
    each pair is met by the later one, and what is said in a burst does not hide what was there before.
    """

    def __init__(self, view: View, now: datetime, *, first: MemoryItem) -> None:
        self._view = view
        self._known = view.before(first.created, first.id, view.select(_JUDGED, now))

    def of(self, item: MemoryItem) -> Mapping[str, float | None]:
        """The ids of the items near this one, and how similar each is (None: unknown)."""
        row = self._view.row_of(item.id)
        if row is None:
            return {}
        found = self._by_meaning(item, row) if self._view.column("passages").item(row) else self._by_words(item)
        self._known[row] = True
        return found

    def _by_words(self, item: MemoryItem) -> Mapping[str, float | None]:
        words = self._view.words(item.content, self._known)
        rows = words.nominate(NEAREST)
        return dict.fromkeys(self._view.ids(rows[words.of(rows) >= LEAST_COVERAGE * words.ceiling]))

    def _by_meaning(self, item: MemoryItem, row: int) -> Mapping[str, float | None]:
        view = self._view
        first = view.column("first").take([row])  # what a text begins with
        meaning = view.meaning(view.passages.units(first)[0], self._known)
        if view.live > LARGE:
            rows = view.words(item.content, self._known).nominate(NEAREST)
        else:
            rows = meaning.nominate(NEAREST, hasty=True)
        if view.pending_count:  # what has no vector yet is found by its words
            rows = united([rows, view.words(item.content, self._known).nominate(NEAREST)])
        similarity = meaning.of(rows)
        has_vectors = view.has_vectors(rows)
        near = (similarity >= LEAST_SIMILARITY) | ~has_vectors
        found = zip(view.ids(rows[near]), similarity[near].tolist(), has_vectors[near].tolist(), strict=True)
        return {id: score if has else None for id, score, has in found}

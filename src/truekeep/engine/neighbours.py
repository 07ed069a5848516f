"""Finding the items that speak of something like a draft."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truekeep.index.arrays import united
from truekeep.model import Draft, Filters, SpaceId

from .believe import Near
from .parts import Parts

if TYPE_CHECKING:
    from truekeep.index.view import View

NEAREST = 3  # what a statement changed was among the nearest two in every space that was looked at
LARGE = 100_000  # in a space of so many items words nominate: a look at every vector would cost more than the write
LEAST_COVERAGE = 0.2  # of the draft's words, where there are no vectors to compare
LEAST_SIMILARITY = 0.35
_JUDGED = Filters(kinds=frozenset({"-interaction"}))


class Neighbourhood(NamedTuple):
    """The items near each of some drafts, read once."""

    seq: int | None  # of the space when they were looked for; None when nobody looked
    items: Sequence[Sequence[Near]]

    @property
    def ids(self) -> Iterator[str]:
        return (near.item.id for items in self.items for near in items)


def neighbourhood(
    sought: Sequence[tuple[Draft, bytes | None] | None], *, parts: Parts, space: SpaceId, now: datetime
) -> Neighbourhood:
    """The items near each draft, whose vectors come with it, oldest first; for None there are none."""
    view = parts.indexes.refreshed(space)
    dimension = parts.embedder.dimension
    found = [_neighbours(*one, view, dimension, now) if one else {} for one in sought]
    ids = dict.fromkeys(id for one in found for id in one)
    items = parts.store.get(space, list(ids)) if ids else []  # what was erased meanwhile drops out
    items = sorted(items, key=lambda item: (item.when, item.id))
    return Neighbourhood(view.seq, [[Near(item, one[item.id]) for item in items if item.id in one] for one in found])


def _neighbours(
    draft: Draft, vectors: bytes | None, view: View, dimension: int, now: datetime
) -> dict[str, float | None]:
    """The ids of items near the draft, and how similar each is (None: unknown)."""
    if not view.live:
        return {}
    mask = view.select(_JUDGED, now)
    if vectors is None:
        words = view.words(draft.content, mask)
        rows = words.nominate(NEAREST)
        return dict.fromkeys(view.ids(rows[words.of(rows) >= LEAST_COVERAGE * words.ceiling]))
    first = np.frombuffer(vectors, np.float16)[:dimension].astype(np.float32)  # what a text begins with
    meaning = view.meaning(first, mask)
    if view.live > LARGE:
        rows = view.words(draft.content, mask).nominate(NEAREST)
    else:
        rows = meaning.nominate(NEAREST, hasty=True)
    if view.pending_count:  # what has no vector yet is found by its words
        rows = united([rows, view.words(draft.content, mask).nominate(NEAREST)])
    similarity = meaning.of(rows)
    has_vectors = view.has_vectors(rows)
    near = (similarity >= LEAST_SIMILARITY) | ~has_vectors
    found = zip(view.ids(rows[near]), similarity[near].tolist(), has_vectors[near].tolist(), strict=True)
    return {id: score if has else None for id, score, has in found}

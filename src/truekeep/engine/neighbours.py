"""Finding the items that speak of something like a draft."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from truekeep.model import Draft, Filters, SpaceId

from .believe import Near
from .parts import Parts

NEAREST = 3  # what a statement changed was among the nearest two in every space that was looked at
LARGE = 100_000  # in a space of so many items words nominate: a look at every vector would cost more than the write
LEAST_COVERAGE = 0.2  # of the draft's words, where there are no vectors to compare
LEAST_SIMILARITY = 0.35
_JUDGED = Filters(kinds=frozenset({"-interaction"}))


def neighbours(
    draft: Draft, vectors: bytes | None, *, parts: Parts, space: SpaceId, now: datetime
) -> dict[str, float | None]:
    """The ids of items near the draft, and how similar each is (None: unknown)."""
    view = parts.indexes.refreshed(space)
    if not view.live:
        return {}
    mask = view.select(_JUDGED, now)
    if vectors is None:
        words = view.words(draft.content, mask)
        rows = words.nominate(NEAREST)
        return dict.fromkeys(view.ids(rows[words.of(rows) >= LEAST_COVERAGE * words.ceiling]))
    first = np.frombuffer(vectors, np.float16)[: parts.embedder.dimension].astype(np.float32)  # what a text begins with
    meaning = view.meaning(first, mask)
    if view.live > LARGE:
        rows = view.words(draft.content, mask).nominate(NEAREST)
    else:
        rows = meaning.nominate(NEAREST, hasty=True)
    if view.pending_count:  # what has no vector yet is found by its words
        rows = np.unique(np.concatenate([rows, view.words(draft.content, mask).nominate(NEAREST)]))
    similarity = meaning.of(rows)
    has_vectors = view.has_vectors(rows)
    near = (similarity >= LEAST_SIMILARITY) | ~has_vectors
    found = zip(view.ids(rows[near]), similarity[near].tolist(), has_vectors[near].tolist(), strict=True)
    return {id: score if has else None for id, score, has in found}


def read(found: dict[str, float | None], *, parts: Parts, space: SpaceId) -> Sequence[Near]:
    """The items themselves, oldest first; what was erased meanwhile drops out."""
    items = parts.store.get(space, list(found))
    return sorted((Near(item, found[item.id]) for item in items), key=lambda near: (near.item.when, near.item.id))

"""Making the vectors of items: at once for single writes, later for batches, long texts and after a failure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

import numpy as np

from truekeep.errors import EmbedderError
from truekeep.model import MemoryItem, SpaceId
from truekeep.ports import Change, NewVectors

from .parts import Parts, SafeEmbedder

BATCH = 64  # items a commit: a crash loses little, and a reader sees progress
MOST_PASSAGES = 64  # of a batch: a text of 64 KiB has a hundred and takes seconds, and somebody may wait for the end
PROMPT_PASSAGES = 16  # while a caller waits
PATIENCE = timedelta(seconds=60)  # for a remote embedder when nobody waits

Pieces = tuple[MemoryItem, list[str]]  # an item and the passages of its text


def vectors_of(text: str, embedder: SafeEmbedder) -> bytes | None:
    """The vectors of one text as the store keeps them; None when it is too long to wait for. Raises EmbedderError."""
    passages = embedder.passages(text)
    if len(passages) > PROMPT_PASSAGES:
        return None
    return embedder.embed(passages).astype(np.float16).tobytes()


def fill_pending(
    parts: Parts, space: SpaceId, *, limit: int = BATCH, prompt: bool = False, patience: timedelta = PATIENCE
) -> int:
    """Make some of the missing vectors of a space; how many, 0 when nothing is left to do. Raises EmbedderError.

    With `prompt`, a caller waits: texts that would take long are left for the background.
    """
    waiting = parts.indexes.refreshed(space).pending(limit + len(parts.refused))
    ids = [id for id in waiting if (space, id) not in parts.refused][:limit]
    found = _first(parts.store.get(space, ids), parts.embedder, prompt=prompt)
    if not found:
        return 0
    vectors = _embedded(found, parts, space, None if prompt else patience)
    if vectors:
        parts.store.apply(space, Change(vectors=vectors, embedder=parts.embedder.name), based_on=0)
    return len(found)


def _first(items: Iterable[MemoryItem], embedder: SafeEmbedder, *, prompt: bool) -> list[Pieces]:
    """As many of the items as have no more passages together than one go may have; at least one, unless `prompt`."""
    chosen: list[Pieces] = []
    room = PROMPT_PASSAGES if prompt else MOST_PASSAGES
    for item in items:
        passages = embedder.passages(item.content)
        if len(passages) <= room or not (chosen or prompt):
            chosen.append((item, passages))
            room -= len(passages)
        if room <= 0:
            break
    return chosen


def _embedded(found: list[Pieces], parts: Parts, space: SpaceId, deadline: timedelta | None) -> list[NewVectors]:
    """The vectors of the items. One that the embedder refuses is set aside, so that it holds up no other."""
    try:
        vectors = parts.embedder.embed([piece for _, pieces in found for piece in pieces], deadline=deadline)
    except EmbedderError as error:
        if error.retryable:
            raise
        if len(found) == 1:
            parts.refused.add((space, found[0][0].id))
            return []
        return [made for one in found for made in _embedded([one], parts, space, deadline)]
    ends = np.cumsum([len(pieces) for _, pieces in found])
    return [
        NewVectors(id=item.id, version=item.version, vectors=part.astype(np.float16).tobytes())
        for (item, _), part in zip(found, np.split(vectors, ends[:-1]), strict=True)
    ]

"""Making the vectors of items: at once for single writes, later for batches, long texts and after a failure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import numpy as np

from recollect.model import MemoryItem, SpaceId
from recollect.ports import Change, NewVectors

from .parts import Parts, SafeEmbedder

BATCH = 64  # items a commit: a crash loses little, and a reader sees progress
PROMPT_PASSAGES = 16  # while somebody waits: a text of 64 KiB has a hundred passages and takes seconds
PATIENCE = timedelta(seconds=60)  # for a remote embedder when nobody waits


def vectors_of(text: str, embedder: SafeEmbedder) -> bytes | None:
    """The vectors of one text as the store keeps them; None when it is too long to wait for. Raises EmbedderError."""
    passages = embedder.passages(text)
    if len(passages) > PROMPT_PASSAGES:
        return None
    return embedder.embed(passages).astype(np.float16).tobytes()


def fill_pending(
    parts: Parts, space: SpaceId, *, limit: int = BATCH, prompt: bool = False, patience: timedelta = PATIENCE
) -> int:
    """Make up to `limit` missing vectors of a space; how many were made. Raises EmbedderError.

    With `prompt`, somebody waits: texts that would take long are left for the background.
    """
    ids = parts.indexes.refreshed(space).pending(limit)
    found = [(item, parts.embedder.passages(item.content)) for item in parts.store.get(space, ids)]
    if prompt:
        found = _first(found, PROMPT_PASSAGES)
    if not found:
        return 0
    vectors = _embedded(found, parts.embedder, None if prompt else patience)
    parts.store.apply(space, Change(vectors=vectors, embedder=parts.embedder.name), based_on=0)
    return len(found)


def _first(found: list[tuple[MemoryItem, list[str]]], most: int) -> list[tuple[MemoryItem, list[str]]]:
    """As many of the texts as have no more passages than `most` together, short ones first."""
    chosen, total = [], 0
    for item, passages in sorted(found, key=lambda pair: len(pair[1])):
        total += len(passages)
        if total > most:
            break
        chosen.append((item, passages))
    return chosen


def _embedded(
    found: Sequence[tuple[MemoryItem, list[str]]], embedder: SafeEmbedder, deadline: timedelta | None
) -> list[NewVectors]:
    pieces = [piece for _, passages in found for piece in passages]
    vectors = embedder.embed(pieces, deadline=deadline).astype(np.float16)
    ends = np.cumsum([len(passages) for _, passages in found])
    parts = np.split(vectors, ends[:-1])
    return [
        NewVectors(id=item.id, version=item.version, vectors=part.tobytes())
        for (item, _), part in zip(found, parts, strict=True)
    ]

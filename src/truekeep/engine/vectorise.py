"""Making the vectors of items: after they were kept, or before where the caller waits for the verdict."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from truekeep.errors import DamagedStore, EmbedderError, StoreError
from truekeep.index.arms import Words
from truekeep.model import MemoryItem, SpaceId
from truekeep.ports import Change, NewVectors

from .guarded_embedder import Guarded
from .parts import Parts

if TYPE_CHECKING:
    from truekeep.index.view import View

log = logging.getLogger(__name__)

BATCH = 64  # items a commit: a crash loses little, and a reader sees progress
MOST_PASSAGES = 64  # of a batch: a text of 64 KiB has a hundred and takes seconds, and somebody may wait for the end
PROMPT_PASSAGES = 16  # while a caller waits
FEW = 16  # items whose vectors a caller waits for
LIKELIEST = 8  # ... and of more, those that hold most of the words asked for
SHARES = 8  # an eighth of what is missing is taken at once where others are at work, too
PATIENCE = timedelta(seconds=60)  # for a remote embedder when nobody waits

Pieces = tuple[MemoryItem, list[str]]  # an item and the passages of its text


def vectors_of(text: str, parts: Parts) -> bytes | None:
    """The vectors of one text as the store keeps them under the name of `parts.embedder`; None: they are made later.

    So are those of a text that is too long to wait for or in another language, and of one on which the embedder fails.
    """
    embedder = parts.embedder
    if parts.embedder_of(text) is not embedder:
        return None
    try:
        passages = embedder.passages(text)
        if len(passages) > PROMPT_PASSAGES:
            return None
        return embedder.embed(passages).astype(np.float16).tobytes()
    except EmbedderError:  # counted and logged by the guard; never a reason not to keep the text
        return None


def fill_pending(
    parts: Parts,
    space: SpaceId,
    *,
    limit: int = BATCH,
    prompt: bool = False,
    patience: timedelta = PATIENCE,
    among: Sequence[str] | None = None,
) -> bool:
    """Make some of the missing vectors of a space; False when there is nothing to do for now.

    With `prompt`, a caller waits: texts that would take long, and those that failed, are left for the background.
    With `among`, only these are made, as far as they are missing.
    Raises EmbedderError when the embedder is out of order. Texts that it merely does not take hold up no others.
    """
    view, begin = parts.indexes.refreshed(space), parts.unfinished.begin(space)
    if begin and among is None:  # others are at work, too: the fewer are left, the sooner two would take the same
        limit = max(1, min(limit, view.pending_count // SHARES))
    most = limit + parts.aside.count(space)
    waiting = view.pending(most, begin=begin) if among is None else list(among)
    if among is None and len(waiting) < most:
        parts.aside.keep(space, waiting)
    if not waiting:
        if among is None:
            parts.unfinished.share(space, is_shared=False)
        return False
    items = parts.store.get(space, parts.aside.chosen(space, waiting, limit, prompt=prompt))
    divided = ((item, _passages(item, parts, space)) for item in items)
    found = _first(((item, passages) for item, passages in divided if passages), prompt=prompt)
    if not found:
        return bool(items) and not prompt
    for embedder in (parts.embedder, parts.multilingual):
        theirs = [each for each in found if embedder is parts.embedder_of(each[0].content)]
        if embedder is not None and theirs:
            _make(theirs, embedder, parts, space, deadline=None if prompt else patience)
    return True


def _make(
    found: Sequence[Pieces], embedder: Guarded, parts: Parts, space: SpaceId, *, deadline: timedelta | None
) -> None:
    try:
        pieces = [piece for _, passages in found for piece in passages]
        vectors = embedder.embed(pieces, deadline=deadline)
    except EmbedderError as error:
        if error.retryable and embedder is parts.embedder:  # what is wrong with the other one holds up no English text
            raise
        _set_aside([item for item, _ in found], error, parts, space)
        return
    change = Change(vectors=_divided(vectors, found), embedder=embedder.name)
    applied = parts.store.apply(space, change, based_on=0, charge=parts.charge(), job=parts.job)
    if applied.vectors < len(found):
        parts.unfinished.share(space, is_shared=True)
    parts.aside.drop(space, [item.id for item, _ in found])


def with_few(view: View, parts: Parts, space: SpaceId, *, asked: str = "") -> View:
    """The index with the missing vectors where they are few, else with those of the likeliest by the words asked for.

    Nothing that goes wrong with them hinders the caller.
    """
    if not view.pending_count:
        return view
    if view.pending_count <= FEW:
        among = view.pending(FEW)
    else:
        among = view.ids(Words(view, asked, view.is_pending).nominate(LIKELIEST))
    try:
        fill_pending(parts, space, limit=FEW, prompt=True, among=among)
    except EmbedderError:
        pass  # counted and logged by the guard; `pending` tells what the answer lacks
    except DamagedStore:
        raise
    except StoreError as error:  # a full or read-only disk
        log.warning("pending vectors could not be kept: %s", error)
    return parts.indexes.refreshed(space)  # in any case: others may have made them meanwhile


def _passages(item: MemoryItem, parts: Parts, space: SpaceId) -> list[str]:
    """What is embedded of an item; [] when the embedder cannot even divide the text."""
    try:
        return parts.embedder_of(item.content).passages(item.content)
    except EmbedderError as error:
        _set_aside([item], error, parts, space)
        return []


def _set_aside(items: Sequence[MemoryItem], error: EmbedderError, parts: Parts, space: SpaceId) -> None:
    parts.unfinished.add(space)  # also after a recall, which leaves them to the background from now on
    if parts.aside.failed(space, [item.id for item in items], str(error)):
        log.warning("item %s is set aside, it has no vector: %s", items[0].id, error)


def _first(found: Iterable[Pieces], *, prompt: bool) -> list[Pieces]:
    """As many of the items as have no more passages together than one go may have; at least one, unless `prompt`."""
    chosen: list[Pieces] = []
    room = PROMPT_PASSAGES if prompt else MOST_PASSAGES
    for item, passages in found:
        if len(passages) <= room or not (chosen or prompt):
            chosen.append((item, passages))
            room -= len(passages)
        if room <= 0:
            break
    return chosen


def _divided(vectors: NDArray[np.float32], found: Sequence[Pieces]) -> list[NewVectors]:
    ends = np.cumsum([len(passages) for _, passages in found])
    return [
        NewVectors(id=item.id, content=item.content, vectors=part.astype(np.float16).tobytes())
        for (item, _), part in zip(found, np.split(vectors, ends[:-1]), strict=True)
    ]

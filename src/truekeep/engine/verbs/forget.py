"""Forgetting: gone from every answer and from the store's files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from operator import attrgetter

from truekeep.engine import mentions
from truekeep.engine.ids import is_id
from truekeep.engine.parts import Parts
from truekeep.errors import NotFound
from truekeep.model import Filters, MemoryItem, Receipt, SpaceId
from truekeep.model.shown import cut

from .listing import matching

_MOST = 1000  # items that one has superseded which a preview tells


def forget(ids: list[str], *, parts: Parts, space: SpaceId, now: datetime, reopen: bool = False) -> Receipt:
    """Erase these items with all that tells of them, and leave tombstones.

    Other wordings of the same statements go with them: nobody was told their ids. What else they had superseded stays
    retired; with `reopen`, a roll-back, all of it is current again.
    """
    if not ids:
        return Receipt()
    erased = parts.store.erase(space, ids, now=now, reopen=reopen, along=None if reopen else attrgetter("restated"))
    return Receipt(erased=tuple(erased.ids), remaining=erased.remaining, pending=erased.pending)


def forget_matching(filters: Filters, *, dry_run: bool, parts: Parts, space: SpaceId, now: datetime) -> Receipt:
    """Erase all items that the filters let through, or tell what that would be."""
    reopen = filters.source is not None  # rolling a source back is as if it had never spoken
    is_wiped = True
    if filters.session is not None and not dry_run:
        # Waiting extractions of the session first: what they would bring is to be forgotten too.
        is_wiped = parts.store.erase_jobs(space, session=filters.session)
    ids = matching(replace(filters, include_quarantined=True), parts=parts, space=space, now=now)
    if dry_run:
        return preview(ids, reopen=reopen, parts=parts, space=space, now=now)
    receipt = forget(ids, parts=parts, space=space, now=now, reopen=reopen)
    return receipt if is_wiped else replace(receipt, pending=True)


def preview(ids: list[str], *, reopen: bool, parts: Parts, space: SpaceId, now: datetime) -> Receipt:
    """What `forget` would erase, and what would be believed again."""
    going: dict[str, MemoryItem] = {}
    revived: dict[str, MemoryItem] = {}
    waiting = parts.store.get(space, ids)
    while waiting:
        going |= {item.id: item for item in waiting}
        before = [old for item in waiting for old in parts.store.replaced_by(space, item.id, limit=_MOST)]
        if reopen:
            revived |= {old.id: old for old in before}
        waiting = [old for old in before if not reopen and old.restated and old.id not in going]
    back = [old for old in revived.values() if old.id not in going and _is_reopened(old, going)]
    return Receipt(erased=tuple(going), dry_run=True, going=tuple(going.values()), revived=tuple(back))


def _is_reopened(item: MemoryItem, going: Mapping[str, MemoryItem]) -> bool:
    """Whether all that took its place goes."""
    seen = set()
    while (successor := going.get(item.superseded_by or "")) is not None and item.id not in seen:
        seen.add(item.id)
        item = successor
    return item.is_current


def refuse_texts(ids: list[str], space: SpaceId) -> None:
    """To forget twice is no mistake; to name what cannot be an id is one, and who did believes that it is gone."""
    for text in ids:
        if not is_id(text):
            raise NotFound(
                f"no item {cut(text)} in the space {space.name!r}; forget takes an id, as recall and items tell it,"
                " or filters: kinds, tags, session, speaker, source, before"
            )


def forget_everything(*, parts: Parts, space: SpaceId, now: datetime) -> Receipt:
    """Erase the whole space; no tombstone stays."""
    parts.accesses.forget(space)
    erased = parts.store.erase_space(space)
    mentions.drop(parts.store, space, now=now)
    return Receipt(erased=tuple(erased.ids), remaining=erased.remaining, pending=erased.pending)

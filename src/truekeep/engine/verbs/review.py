"""What waits for somebody to look at it, and what they decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from truekeep.engine import mentions
from truekeep.engine.decide import Rounds, put_of
from truekeep.engine.parts import Parts
from truekeep.engine.reconcile import retired
from truekeep.errors import Conflict
from truekeep.model import Keep, MemoryItem, Review, SpaceId, Suspicion
from truekeep.ports import Change

from .listing import no_item

_LOOKED_AT = "somebody looked at both"


def review(*, limit: int, parts: Parts, space: SpaceId, now: datetime) -> Review:
    """Doubts, quarantined items and mentions of who was erased, at most `limit` of each, the latest first."""
    view = parts.indexes.refreshed(space)
    doubted, quarantined = view.waiting_for_review()
    older = parts.store.get(space, view.ids(doubted[:limit]))
    newer = {item.id: item for item in parts.store.get(space, [id for item in older for id in item.suspected_by])}
    suspicions = [
        Suspicion(older=item, newer=newer[id]) for item in older for id in reversed(item.suspected_by) if id in newer
    ]
    return Review(
        suspicions=tuple(suspicions[:limit]),
        quarantined=tuple(parts.store.get(space, view.ids(quarantined[:limit]))),
        mentions=tuple(mentions.waiting(parts.store, space, limit=limit, now=now)),
    )


def resolve(older: str, newer: str, keep: Keep, *, parts: Parts, space: SpaceId, now: datetime) -> Suspicion:
    """Settle a doubt; both items as they are now."""

    def settle(items: dict[str, MemoryItem], _: Sequence[MemoryItem]) -> list[MemoryItem]:
        old, new = items[older], items[newer]
        if newer not in old.suspected_by:
            raise Conflict(f"there is no doubt between {older!r} and {newer!r} (any more)")
        old = replace(old, suspected_by=tuple(id for id in old.suspected_by if id != newer))
        if keep == "newer":
            old = retired(old, by=new, now=now, why=_LOOKED_AT)
        elif keep == "older":
            new = retired(new, by=old, now=now, why=_LOOKED_AT)
        else:
            old = replace(old, reason=f"kept beside {newer}: {_LOOKED_AT}")
        return [replace(item, updated=max(now, item.updated)) for item in (old, new) if item != items[item.id]]

    _change([older, newer], settle, parts=parts, space=space)
    found = {item.id: item for item in parts.store.get(space, [older, newer])}
    return Suspicion(older=found[older], newer=found[newer])


def release(id: str, *, parts: Parts, space: SpaceId, now: datetime) -> MemoryItem:
    """Let an item out of quarantine: somebody looked at it. From now on its claim key counts.

    One that waits because it mentions somebody who was erased stays as it is, and waits no longer.
    """
    if mentions.settle(parts.store, space, id, now=now):
        for item in parts.store.get(space, [id]):
            if not item.quarantined:
                return item

    def free(items: dict[str, MemoryItem], rivals: Sequence[MemoryItem]) -> list[MemoryItem]:
        item = replace(items[id], quarantined=False, reason="released from quarantine")
        later = [rival for rival in rivals if rival.when > item.when]
        if item.is_current and later:
            item = retired(item, by=later[0], now=now, why=_LOOKED_AT)
        elif item.is_current:
            rivals = [retired(rival, by=item, now=now, why=_LOOKED_AT) for rival in rivals]
        return [replace(one, updated=max(now, one.updated)) for one in (item, *(() if later else rivals))]

    return _change([id], free, parts=parts, space=space)[0]


def _change(
    ids: list[str],
    edit: Callable[[dict[str, MemoryItem], Sequence[MemoryItem]], list[MemoryItem]],
    *,
    parts: Parts,
    space: SpaceId,
) -> list[MemoryItem]:
    """Change items on the basis of what they and others with their claim keys are; again if somebody was faster."""
    rounds = Rounds()
    while True:
        with rounds:
            based_on = parts.store.head(space).seq
            items = {item.id: item for item in parts.store.get(space, ids)}
            for id in ids:
                if id not in items:
                    raise no_item(id, space)
            sight = parts.store.look(space, claims={(item.key, item.when) for item in items.values() if item.key})
            claims = [claim for found in sight.by_key.values() for claim in found if claim.id not in items]
            rivals = [claim for claim in claims if claim.is_current and not claim.quarantined]
            change = Change(puts=[put_of(item, lifts=False) for item in edit(items, rivals)])
            applied = parts.store.apply(space, change, based_on=based_on, charge=parts.charge(), job=parts.job)
            return list(applied.items)

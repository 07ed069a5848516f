"""Judging: what a statement changes, and what it merely says again, is found after it was kept.

An item that is to be judged says so itself (`unjudged`), from the commit that keeps it to the commit with its verdict.
So no process that ends loses one, and of two who contradict each other in the same moment the one that is judged last
finds the other. Nobody who recalls waits for it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING

from truekeep.errors import DamagedStore, StoreError, described
from truekeep.model import MemoryItem, Remembered, SpaceId
from truekeep.ports import Change

from .believe import Near, judged
from .decide import decide, put_of
from .neighbours import Neighbourhood
from .parts import Parts
from .reconcile import Decision
from .vectorise import with_few

if TYPE_CHECKING:
    from truekeep.index.view import View

log = logging.getLogger(__name__)

AT_ONCE = 16  # items a commit: a verdict takes some milliseconds, and others wait for theirs


def judge_waiting(parts: Parts, space: SpaceId, *, now: datetime, limit: int = AT_ONCE) -> bool:
    """Judge some of the items of a space that wait for it; whether there were any, if only until a moment ago."""

    def attempt(number: int) -> bool:
        if number:  # whoever is overtaken by another process goes on elsewhere in the line
            parts.unfinished.share(space, is_shared=True)
        view = parts.indexes.refreshed(space)
        claimed = set(parts.unfinished.claimed)
        ids = view.unjudged(limit + len(claimed), begin=parts.unfinished.begin(space))
        ids = [id for id in ids if id not in claimed][:limit]
        waiting = parts.store.get(space, ids) if ids else []
        if waiting:
            _judge(waiting, view, parts, space, now)
        return bool(ids)

    return decide(attempt)


def judged_now(kept: Sequence[Remembered], *, parts: Parts, space: SpaceId, now: datetime) -> list[Remembered]:
    """What was done with drafts, and what follows from them for others. What cannot be judged now is judged later."""
    items = [one.item for one in kept if one.item.unjudged and one.outcome != "refused"]
    if not items:
        return list(kept)

    def attempt(number: int) -> dict[str, Decision]:
        view = with_few(parts.indexes.refreshed(space), parts, space)
        waiting = parts.store.get(space, [item.id for item in items]) if number else items
        waiting = [item for item in waiting if item.unjudged]
        return _judge(waiting, view, parts, space, now) if waiting else {}

    try:
        decisions = decide(attempt)
    except DamagedStore:
        raise
    except StoreError as error:
        log.warning("what was kept is judged later: %s", error)
        return list(kept)
    return [_told(one, decisions.get(one.id)) for one in kept]


def _judge(
    waiting: Sequence[MemoryItem], view: View, parts: Parts, space: SpaceId, now: datetime
) -> dict[str, Decision]:
    """Decide about items, each as those before it leave the others, and apply that; the decisions by id.

    Raises Moved when one of them, or of those that change with it, is no longer as in the view.
    """
    waiting = sorted(waiting, key=attrgetter("created", "id"))
    neighbourhood = Neighbourhood(view, now, first=waiting[0])
    near = {item.id: neighbourhood.of(item) for item in waiting}
    known = {item.id: item for item in waiting}
    others = {id for found in near.values() for id in found} - known.keys()
    known |= {item.id: item for item in (parts.store.get(space, list(others)) if others else ())}
    decisions: dict[str, Decision] = {}
    changed: dict[str, MemoryItem] = {}
    for item in waiting:
        beside = [Near(known[id], similarity) for id, similarity in near[item.id].items() if id in known]
        decisions[item.id] = decision = _decision(known[item.id], sorted(beside, key=_age), parts, now)
        changed |= {one.id: one for one in _changed(decision)}
        known |= changed
    change = Change(puts=[put_of(item, lifts=False) for item in changed.values()])
    # What was said is paid for.
    applied = parts.store.apply(space, change, based_on=view.seq, charge=None, job=parts.job)
    return _kept(decisions, {item.id: item for item in applied.items})


def _decision(item: MemoryItem, near: Sequence[Near], parts: Parts, now: datetime) -> Decision:
    """What the item does to those near it; nothing where it cannot be judged, so that it holds up no other."""
    try:
        return judged(item, near, judge=parts.judge, now=now)
    except Exception as error:
        log.error("item %s stays without a verdict: %s", item.id, described(error))
        return Decision(outcome="added", item=replace(item, unjudged=False))


def _age(near: Near) -> tuple[datetime, str]:
    return near.item.when, near.item.id


def _changed(decision: Decision) -> list[MemoryItem]:
    said = () if decision.wording is None else (decision.wording,)
    return [decision.item, *decision.superseded, *decision.suspected, *said]


def _kept(decisions: Mapping[str, Decision], items: Mapping[str, MemoryItem]) -> dict[str, Decision]:
    """The decisions with the items as they are now kept."""
    return {
        id: replace(
            decision,
            item=items[decision.item.id],
            superseded=tuple(items[old.id] for old in decision.superseded),
            suspected=tuple(items[old.id] for old in decision.suspected),
        )
        for id, decision in decisions.items()
    }


def _told(done: Remembered, decision: Decision | None) -> Remembered:
    if decision is None:  # another process judged it, or somebody erased it
        return done
    return replace(
        done,
        item=decision.item,
        outcome=done.outcome if decision.outcome == "added" else decision.outcome,
        superseded=(*done.superseded, *decision.superseded),
        suspected=decision.suspected,
    )

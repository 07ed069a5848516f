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
from truekeep.index.arms import Meaning, Words
from truekeep.index.arrays import united
from truekeep.model import Filters, MemoryItem, Remembered, SpaceId
from truekeep.ports import Change

from .decide import Rounds, put_of
from .effects import Near, judged
from .parts import Parts
from .reconcile import Decision
from .vectorise import with_few

if TYPE_CHECKING:
    from truekeep.index.view import View

log = logging.getLogger(__name__)

AT_ONCE = 16  # items a commit: a verdict takes some milliseconds, and others wait for theirs
NEAREST = 3  # what a statement changed was among the nearest two in every space that was looked at
LARGE = 100_000  # in a space of so many items words nominate: a look at every vector would cost more than the verdict
LEAST_COVERAGE = 0.2  # of the item's words, where there are no vectors to compare
LEAST_SIMILARITY = 0.2  # a fifth of all changes that authors wrote by hand lies between this and 0.35
_JUDGED = Filters(kinds=frozenset({"-interaction"}))


def judge_waiting(parts: Parts, space: SpaceId, *, now: datetime, limit: int = AT_ONCE) -> bool:
    """Judge some of the items of a space that wait for it; whether there were any, if only until a moment ago."""
    rounds = Rounds()
    while True:
        with rounds:
            if rounds.lost:  # whoever is overtaken by another process goes on elsewhere in the line
                parts.unfinished.share(space, is_shared=True)
            view = parts.indexes.refreshed(space)
            claimed = set(parts.unfinished.claimed)
            ids = view.unjudged(limit + len(claimed), begin=parts.unfinished.begin(space))
            ids = [id for id in ids if id not in claimed][:limit]
            waiting = parts.store.get(space, ids) if ids else []
            if waiting:
                _judge(waiting, view, parts, space, now)
            return bool(ids)


def judged_now(kept: Sequence[Remembered], *, parts: Parts, space: SpaceId, now: datetime) -> list[Remembered]:
    """What was done with drafts, and what follows from them for others. What cannot be judged now is judged later."""
    items = [one.item for one in kept if one.item.unjudged and one.outcome != "refused"]
    if not items:
        return list(kept)
    rounds = Rounds()
    try:
        while True:
            with rounds:
                view = with_few(parts.indexes.refreshed(space), parts, space)
                waiting = parts.store.get(space, [item.id for item in items]) if rounds.lost else items
                waiting = [item for item in waiting if item.unjudged]
                decisions = _judge(waiting, view, parts, space, now) if waiting else {}
                break
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
        words = Words(self._view, item.content, self._known)
        rows = words.nominate(NEAREST)
        return dict.fromkeys(self._view.ids(rows[words.of(rows) >= LEAST_COVERAGE * words.ceiling]))

    def _by_meaning(self, item: MemoryItem, row: int) -> Mapping[str, float | None]:
        view = self._view
        first = view.column("first").take([row])  # what a text begins with
        meaning = Meaning(view, view.passages.units(first)[0], self._known)
        if view.live > LARGE:
            rows = Words(view, item.content, self._known).nominate(NEAREST)
        else:
            rows = meaning.nominate(NEAREST, hasty=True)
        if view.pending_count:  # what has no vector yet is found by its words
            rows = united([rows, Words(view, item.content, self._known).nominate(NEAREST)])
        similarity = meaning.of(rows)
        has_vectors = view.has_vectors(rows)
        near = (similarity >= LEAST_SIMILARITY) | ~has_vectors
        found = zip(view.ids(rows[near]), similarity[near].tolist(), has_vectors[near].tolist(), strict=True)
        return {id: score if has else None for id, score, has in found}

"""Judging once more what was kept while somebody else wrote.

Two who contradict each other in the same moment both look before either writes, and neither finds the other. A store
has a change decided again only where a claim key, a statement or a row has moved, so that many can write to one space.
What a judge would have found is looked for afterwards, by the one who came last.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from truekeep.errors import QuotaExceeded
from truekeep.model import Draft, MemoryItem, Remembered, SpaceId
from truekeep.ports import Change

from .believe import Near, beliefs, is_judged
from .decide import decide
from .neighbours import neighbourhood
from .parts import Parts
from .putting import put_of
from .reconcile import Decision, believed

_MOST = 64  # that are compared without vectors
_TRIES = 10  # a doubt that is not raised is no harm; a write that never returns is


class Look(NamedTuple):
    """What a decision was made on."""

    seq: int  # of the space
    known: Container[str]  # ids of the items that were judged, and of those that were said
    parts: Parts
    space: SpaceId
    now: datetime


def judged_again(draft: Draft, done: Remembered, vectors: bytes | None, look: Look) -> Remembered:
    """What was done with a draft, and what follows for those that came between the look and the write."""
    if not is_judged(draft) or done.outcome not in ("added", "superseded") or done.replayed:
        return done

    def attempt(number: int) -> Remembered:
        if number == _TRIES:
            return done
        head = look.parts.store.head(look.space)
        near = _near(draft, vectors, look)
        fresh = [one for one in near if one.item.id not in look.known and one.item.seq < done.item.seq]
        found = beliefs(draft, fresh, now=look.now)
        if not found:
            return done
        decision = believed(Decision(outcome=done.outcome, item=done.item), found, look.now)
        kept = _kept(decision, done.item, look, based_on=head.seq)
        return replace(
            done,
            item=kept.get(done.id, done.item),
            outcome=decision.outcome,
            superseded=(*done.superseded, *(kept[old.id] for old in decision.superseded)),
            suspected=(*done.suspected, *(kept[old.id] for old in decision.suspected)),
        )

    try:
        return decide(attempt)
    except QuotaExceeded:  # what was said is kept
        return done


def _near(draft: Draft, vectors: bytes | None, look: Look) -> Sequence[Near]:
    """Those near the draft by meaning; as in a batch, whatever was said meanwhile where there are no vectors."""
    _, _, parts, space, now = look
    if vectors is not None:
        return neighbourhood([(draft, vectors)], parts=parts, space=space, now=now).items[0]
    rows = parts.store.changes(space, after=look.seq, limit=_MOST).rows
    return [Near(row.item, None) for row in rows if row.item is not None]


def _kept(decision: Decision, item: MemoryItem, look: Look, *, based_on: int) -> dict[str, MemoryItem]:
    changed = [*decision.superseded, *decision.suspected]
    if decision.item is not item:
        changed.append(decision.item)
    change = Change(puts=[put_of(item, lifts=False) for item in changed])
    return {item.id: item for item in look.parts.writes.apply(look.space, change, based_on=based_on).items}

"""What a draft does to what is already known: a pure decision.

The same statement again reinforces. A claim with the same key supersedes, in the order of the times at which the
statements became true. Everything else is added; what it changes without saying so is judged afterwards, see `judge`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from truekeep.model import JSON, TRUST_LEVELS, Draft, MemoryItem, Outcome
from truekeep.model.items import is_over

from .admit import Limits
from .decide import RECORD

_ROOM = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The item as it shall be, and the others that change with it."""

    outcome: Outcome
    item: MemoryItem
    superseded: tuple[MemoryItem, ...] = ()  # retired by the item, as they shall be
    suspected: tuple[MemoryItem, ...] = ()  # perhaps outdated by the item, as they shall be
    wording: MemoryItem | None = None  # the item in other words: kept for the history alone
    bounded: tuple[MemoryItem, ...] = ()  # true until the item begins, as they shall be


def reconcile(
    draft: Draft,
    *,
    id: str,
    same: Sequence[MemoryItem],
    claims: Sequence[MemoryItem],
    now: datetime,
) -> Decision:
    """Decide about one draft.

    Args:
        draft: what is said; admitted already.
        id: the id that a new item would get.
        same: items with the draft's statement.
        claims: items with the draft's claim key.
        now: the time of the decision.
    """
    claims = [claim for claim in claims if not claim.quarantined]
    if draft.quarantined:  # nobody has looked at it yet: it changes nothing
        claims = []
    for item in reversed(same):
        if _says_again(draft, item, now) and not _reaches_back(draft, item, claims):
            return Decision(
                outcome="reinforced", item=reinforced(item, draft, expires=_later_end(item, draft, now), now=now)
            )
    item = _new_item(draft, id, now)
    if not claims:
        return Decision(outcome="added", item=item)
    return _take_place(item, sorted(claims, key=_place), explicit=draft.when is not None, now=now)


def _says_again(draft: Draft, item: MemoryItem, now: datetime) -> bool:
    """Whether the draft is the same memory as the item, rather than another one in the same words."""
    if RECORD in (draft.kind, item.kind):
        return False  # a record of who said what, when: "thanks" twice is two interactions
    return (
        item.is_current
        and not is_over(item.until, now)
        and not is_over(item.expires, now)
        and draft.kind in (None, item.kind)
        and draft.key in (None, item.key)
        and draft.source.speaker in (None, item.speaker)
        and draft.quarantined == item.quarantined
        and draft.source.name == item.source.name  # or rolling one source back would take the other's words with it
        and (not is_planned(item, now) or (draft.when or now) > now)  # what is true now is not merely planned
    )


def is_planned(item: MemoryItem, now: datetime) -> bool:
    """Whether it becomes true later. One that was said at its own time was not planned: the clock has jumped back."""
    return item.when > max(now, item.created)


def _reaches_back(draft: Draft, item: MemoryItem, claims: Sequence[MemoryItem]) -> bool:
    """Whether it was true already while another claim held its place: that makes an interval of its own."""
    return draft.when is not None and any(draft.when < item.when > other.when for other in claims)


def reinforced(item: MemoryItem, again: Draft | MemoryItem, *, expires: datetime | None, now: datetime) -> MemoryItem:
    """The item, which somebody has said again."""
    trusted_more = TRUST_LEVELS.index(again.source.trust) > TRUST_LEVELS.index(item.source.trust)
    return replace(
        item,
        reinforced=item.reinforced + 1,
        updated=max(now, item.updated),
        when=min(again.when, item.when) if again.when and again.key == item.key else item.when,
        tags=(item.tags + tuple(tag for tag in again.tags if tag not in item.tags))[: _ROOM.tags],
        metadata=_merged(item.metadata, again.metadata),
        pinned=item.pinned or again.pinned,
        source=again.source if trusted_more else item.source,
        expires=expires,
        redacted=tuple(dict.fromkeys((*item.redacted, *again.redacted))),
        reason="said again",
    )


def _merged(known: Mapping[str, JSON], new: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Both, the new ones first where they differ; only the new ones where both would be more than an item may have."""
    both = {**known, **new}
    return both if both == known or len(json.dumps(both)) <= _ROOM.metadata_bytes else new


def _later_end(item: MemoryItem, draft: Draft, now: datetime) -> datetime | None:
    """What is said again without an end stays; what is merely overheard again keeps the end that it had."""
    if item.expires is None or (draft.ttl is None and draft.derived):
        return item.expires
    return None if draft.ttl is None else max(item.expires, now + draft.ttl)


def _new_item(draft: Draft, id: str, now: datetime) -> MemoryItem:
    from .belief import holds_until  # here and not above: its patterns take a while to make

    when = draft.when or now
    # What was said stays said, and a warning is no less true afterwards.
    stated = None if draft.kind in (RECORD, "lesson") else holds_until(draft.content, when)
    return MemoryItem(
        id=id,
        content=draft.content,
        kind=draft.kind or "fact",
        tags=draft.tags,
        metadata=draft.metadata,
        source=draft.source,
        key=draft.key,
        pinned=draft.pinned,
        created=now,
        updated=now,
        when=when,
        until=stated if stated and stated > when else None,
        expires=now + draft.ttl if draft.ttl is not None else None,
        redacted=draft.redacted,
        quarantined=draft.quarantined,
        written_by=draft.written_by,
        unjudged=bool(draft.judged) and draft.kind != RECORD and not draft.quarantined,
    )


def _place(claim: MemoryItem) -> tuple[datetime, bool, datetime]:
    """Where several became true at the same time (a clock that jumped backwards), the one still true comes last."""
    return claim.when, claim.until is None, claim.until or claim.when


def _take_place(item: MemoryItem, claims: list[MemoryItem], *, explicit: bool, now: datetime) -> Decision:
    """Put the item into its place in the line of claims with the same key."""
    present = max((now, *(claim.created for claim in claims)))  # even when the clock has jumped backwards
    begun = [claim for claim in claims if claim.when <= present]
    if not explicit and begun:  # said now: it follows all others that are true already
        item = replace(item, when=max(item.when, begun[-1].when))
    later = next((claim for claim in claims if claim.when > item.when), None)
    held = [claim for claim in claims if _holds_at(item.when, claim) and not _outlasts(claim, item)]
    # What is only planned leaves the present as it is: that ends when the plan begins.
    bounded = [claim for claim in held if claim.when < item.when > present]
    superseded = tuple(retired(claim, by=item, now=now) for claim in held if claim not in bounded)
    decision = Decision(
        outcome="superseded" if superseded else "added",
        item=item,
        superseded=superseded,
        bounded=tuple(_ended(claim, by=item, now=now) for claim in bounded),
    )
    if later is None:
        return decision
    if later.when > present:
        return replace(decision, item=_ended(item, by=later, now=item.updated))
    return replace(decision, outcome="added", item=retired(item, by=later, now=now))  # learned late: true once


def _ended(item: MemoryItem, *, by: MemoryItem, now: datetime) -> MemoryItem:
    """The item, true until a planned one begins."""
    end = by.when if item.until is None else min(item.until, by.when)
    return replace(item, until=end, updated=max(now, item.updated), reason=f"true until {by.id} begins")


def _outlasts(claim: MemoryItem, item: MemoryItem) -> bool:
    """Whether the claim is true again when the item has come to the end that it states: it steps back, no more."""
    return item.until is not None and claim.is_current and (claim.until is None or claim.until > item.until)


def _holds_at(moment: datetime, claim: MemoryItem) -> bool:
    return claim.when <= moment and (claim.until is None or moment < claim.until)


def retired(item: MemoryItem, *, by: MemoryItem, now: datetime, why: str | None = None) -> MemoryItem:
    """The item, superseded by another one. It was never true beyond the end that it states itself."""
    end = max(item.when, by.when)
    why = why or f"the same key {item.key!r}, true since {by.when.isoformat()}"
    return replace(
        item,
        until=end if item.until is None or item.superseded_by else min(item.until, end),
        superseded_by=by.id,
        suspected_by=(),
        updated=max(now, item.updated),  # a copy elsewhere is older from now on
        retired=item.retired or now,
        reason=f"superseded by {by.id}: {why}",
    )

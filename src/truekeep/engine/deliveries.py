"""Deliveries of webhooks: what is sent next, by whom, and what becomes of it.

A delivery is put down before it is sent, as positions in the feed: whoever goes on after a crash sends the same, under
the same id. One process at a time sends to a webhook; it holds a lease.
"""

from __future__ import annotations

import base64
import hmac
import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from truekeep import wire
from truekeep.errors import NotFound
from truekeep.model import Delivery, Feed

from .ids import new_id
from .webhooks import PREFIX, Kept, Webhooks

ATTEMPTS = 8  # at one delivery: within some seven hours
PAUSE = timedelta(seconds=5)  # after the first attempt that failed; four times as long after each
LEASE = timedelta(seconds=30)  # longer than an attempt takes
MOST_DEAD = 100  # deliveries that are known to be given up: the latest
BODY_BYTES = 1024 * 1024
_EVENTS = 100
_GONE = 410


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What to send now, and to whom."""

    webhook: Kept
    delivery: Delivery
    feed: Feed
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of an attempt."""

    status: int | None = None
    error: str = ""  # empty: it was taken


class _Moved(Exception):
    """Somebody else changed it first."""


def claim(webhooks: Webhooks, id: str, holder: str, *, now: datetime) -> Task | None:
    """What to send now; for the time of a lease nobody else does. None: nothing yet. NotFound: the webhook is gone."""
    kept = webhooks.kept(id, now)
    if kept is None:
        raise NotFound(f"no webhook {id!r}")
    if not _may_send(kept, holder, now):
        return None
    changed, feed, text = _next(webhooks, kept, now)
    if feed.events:
        changed = replace(changed, holder=holder, until=now + LEASE)
    elif changed == kept:
        return None
    is_ours = _put(webhooks, kept, changed, now)
    if not is_ours or not feed.events:
        return None
    return Task(webhook=changed, delivery=changed.waiting[0], feed=feed, body=text)


def _may_send(kept: Kept, holder: str, now: datetime) -> bool:
    is_held = kept.until is not None and now < kept.until and kept.holder != holder
    due = kept.waiting[0].due if kept.waiting else None
    return kept.state == "active" and not is_held and (due is None or due <= now)


def _put(webhooks: Webhooks, before: Kept, changed: Kept, now: datetime) -> bool:
    def edit(kept: Kept) -> Kept:
        if kept != before:
            raise _Moved
        return changed

    try:
        return webhooks.edit(before.id, edit, now)
    except _Moved:
        return False


def _next(webhooks: Webhooks, kept: Kept, now: datetime) -> tuple[Kept, Feed, bytes]:
    """The webhook with what is to be sent at the head of what waits, and that. Without events there is nothing."""
    feeds = webhooks.feeds(kept)
    if kept.waiting:
        feed, lost = feeds.between(kept.waiting[0].after, kept.waiting[0].upto)
        left = kept.waiting if feed.events else kept.waiting[1:]
        return replace(kept, positions={**kept.positions, **lost}, waiting=left), feed, body(feed)
    feed, text = _light(feeds.told(kept.positions, limit=_EVENTS))
    after = {name: kept.positions.get(name, 0) for name in feed.positions}
    kept = replace(kept, positions={name: at for name, at in {**kept.positions, **feed.positions}.items() if at})
    if feed.events:
        made = Delivery(id=new_id(now), events=len(feed.events), after=after, upto=feed.positions, began=now)
        kept = replace(kept, waiting=(made,))
    return kept, feed, text


def body(feed: Feed) -> bytes:
    """What is sent: the feed, as it is told to those who ask."""
    return json.dumps(wire.record(feed), ensure_ascii=False, separators=(",", ":")).encode()


def _light(feed: Feed) -> tuple[Feed, bytes]:
    """As much of it as a body may hold, and that; one event at least."""
    text = body(feed)
    while len(text) > BODY_BYTES and len(feed.events) > 1:
        feed = first_of(feed, len(feed.events) // 2)
        text = body(feed)
    return feed, text


def first_of(feed: Feed, most: int) -> Feed:
    """The first events of a feed, and how far they reach."""
    told, left = feed.events[:most], {event.space for event in feed.events[most:]}
    reached = {event.space: event.seq for event in told if event.space in left}
    whole = {name: at for name, at in feed.positions.items() if name not in left}
    return Feed(events=told, positions={**whole, **reached}, more=True)


def settle(webhooks: Webhooks, task: Task, outcome: Outcome, *, now: datetime, chance: float) -> bool:
    """Note what became of an attempt; whether the delivery is given up. `chance` is between 0 and 1.

    Nothing is noted when somebody else has taken over meanwhile.
    """
    sent, holder = task.delivery, task.webhook.holder

    def edit(kept: Kept) -> Kept:
        if kept.holder != holder or not kept.waiting or kept.waiting[0].id != sent.id:
            return kept
        return settled(replace(kept, holder="", until=None), outcome, now, chance)

    webhooks.edit(task.webhook.id, edit, now)
    return bool(outcome.error) and outcome.status != _GONE and sent.attempts + 1 >= ATTEMPTS


def settled(kept: Kept, outcome: Outcome, now: datetime, chance: float) -> Kept:
    """The webhook after an attempt at the first of what waits."""
    first, rest = kept.waiting[0], kept.waiting[1:]
    if not outcome.error:
        return replace(kept, waiting=rest, delivered=kept.delivered + 1, last=now, error="")
    kept = replace(kept, failed=kept.failed + 1, error=outcome.error)
    failed = replace(first, attempts=first.attempts + 1, error=outcome.error, due=None)
    if outcome.status == _GONE:
        return replace(kept, state="stopped", waiting=(failed, *rest))
    if failed.attempts >= ATTEMPTS:
        return replace(kept, waiting=rest, dead=(*kept.dead, failed)[-MOST_DEAD:])
    pause = PAUSE * 4**first.attempts * (0.5 + chance / 2)
    return replace(kept, waiting=(replace(failed, due=now + pause), *rest))


def release(webhooks: Webhooks, id: str, holder: str, *, now: datetime) -> None:
    """Let go of it: what was being sent is sent again by whoever comes next."""
    kept = webhooks.kept(id, now)
    if kept is not None and kept.holder == holder:
        _put(webhooks, kept, replace(kept, holder="", until=None), now)


def headers(secret: str, id: str, text: bytes, *, now: datetime) -> dict[str, str]:
    """By which the receiver knows the delivery, and that it is ours: those of standardwebhooks.com."""
    at = int(now.timestamp())
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signature = base64.b64encode(hmac.digest(key, f"{id}.{at}.".encode() + text, "sha256")).decode()
    return {"webhook-id": id, "webhook-timestamp": str(at), "webhook-signature": f"v1,{signature}"}

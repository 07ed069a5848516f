"""Mentions: what other rows tell of an erased item, and how it is taken out of them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

from truekeep.model import MemoryItem
from truekeep.stores.records import microseconds, moment, to_json

from .applying import items_of
from .fates import Fate, Gone
from .kept import Kept, kept
from .rows import Rows
from .space import Space


def clear_mentions(rows: Rows, row: Space, gone: Gone, now: datetime, *, reopen: bool) -> None:
    """What was superseded by an erased item stays retired, unless it is reopened; the name of its successor goes."""
    ids = frozenset(gone.fates)
    retired = [kept(cells) for cells in rows.superseded(row, list(ids))]
    others = [*items_of(rows, row, gone.successors - ids).values(), *map(kept, rows.in_doubt(row))]
    changed: dict[str, tuple[Kept, MemoryItem]] = {}
    for old in retired:
        item = _without(old.item, ids, now)
        if reopen:
            item = _reopened(rows, row, item, gone.left_by(old.item.superseded_by or ""))
        changed[item.id] = (old, item)
    for old in others:
        item = _without(old.item, ids, now)
        if old.item.id not in changed and item != old.item:
            changed[item.id] = (old, item)
    new = [old.renewed(replace(item, seq=row.next_seq())).cells for old, item in changed.values()]
    rows.keep("items", row, new, [old.cells for old, _ in changed.values()])
    _clear_former(rows, row, ids, now)
    _clear_answers(rows, row, ids)


def _reopened(rows: Rows, row: Space, item: MemoryItem, fate: Fate) -> MemoryItem:
    """An item whose successor never was: it ends as that one did, or not at all."""
    until, reason = fate.until, None
    if fate.successor is not None:
        for successor in items_of(rows, row, [fate.successor]).values():
            until, reason = successor.item.when, f"superseded by {fate.successor}"
    return replace(item, until=until, retired=fate.retired, superseded_by=fate.successor, reason=reason)


def _clear_former(rows: Rows, row: Space, ids: frozenset[str], now: datetime) -> None:
    for place, cells in rows.versions_naming(row, list(ids)):
        old = kept(cells)
        item = _without(old.item, ids, now)
        if item != old.item:
            rows.revise(row, place, old.renewed(item).cells, cells)


def _clear_answers(rows: Rows, row: Space, ids: frozenset[str]) -> None:
    """An answer that only mentions an erased item stays: its idempotency key must not come free."""
    old = [cells for cells in rows.answers_naming(row, list(ids)) if not ids.isdisjoint(json.loads(cells[4]))]
    new = [(*cells[:4], to_json([id for id in json.loads(cells[4]) if id not in ids]), cells[5]) for cells in old]
    rows.keep("answers", row, new, old)


def _without(item: MemoryItem, ids: frozenset[str], now: datetime) -> MemoryItem:
    """The item, naming none of the ids any more."""
    if item.superseded_by in ids:
        item = replace(item, superseded_by=None, retired=item.retired or moment(microseconds(now)))
    if item.reason is not None and any(id in item.reason for id in ids):
        item = replace(item, reason=None)
    if not ids.isdisjoint(item.suspected_by):
        item = replace(item, suspected_by=tuple(id for id in item.suspected_by if id not in ids))
    return item

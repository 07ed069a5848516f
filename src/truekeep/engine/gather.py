"""Gathering what a context may show: pinned items, matches, lessons, and what each of them replaced."""

from __future__ import annotations

from datetime import datetime

from truekeep.model import Filters, MemoryItem, Query, Recall, SpaceId

from .parts import Parts
from .verbs.context import Entry, Material
from .verbs.listing import as_known, newest
from .verbs.recall import LESSON_SIMILARITY, recall

STRAY_LESSON = 0.1  # similarity below which a lesson stands among the matches only because there is little else


def gather(
    query: Query | None,
    filters: Filters,
    *,
    limit: int,
    parts: Parts,
    space: SpaceId,
    now: datetime,
    found: Recall | None = None,
) -> Material:
    """The material for a query; without one, the newest items. `found`: what it found, if it was asked already."""
    pinned = _pinned(filters, limit, parts, space, now)
    if query is None:
        items = newest(filters, limit=limit, offset=0, parts=parts, space=space, now=now)
        lessons = [item for item in items if item.kind == "lesson"]
    else:
        found = recall(query, parts=parts, space=space, now=now) if found is None else found
        items = [match.item for match in found if match.kind != "lesson" or match.similarity >= STRAY_LESSON]
        near = [match for match in found if match.kind == "lesson" and match.similarity >= LESSON_SIMILARITY]
        lessons = [match.item for match in (*found.lessons, *near)]
    shown = list({item.id: item for item in (*pinned, *items)}.values())[:limit]
    warnings = {item.id: item for item in (*lessons, *(item for item in pinned if item.kind == "lesson"))}
    return Material(
        entries=[_entry(item, parts, space) for item in shown if item.id not in warnings],
        lessons=[_entry(item, parts, space) for item in warnings.values()],
        query="" if query is None else query.text,
    )


def _pinned(filters: Filters, limit: int, parts: Parts, space: SpaceId, now: datetime) -> list[MemoryItem]:
    view = parts.indexes.refreshed(space)
    allowed = view.rows(view.select(filters, now))
    pinned = view.only(allowed[view.is_pinned(allowed)])
    items = parts.store.get(space, view.ids(view.newest(pinned, limit)))
    return as_known(items, filters.known_at, parts=parts, space=space)


def _entry(item: MemoryItem, parts: Parts, space: SpaceId) -> Entry:
    return Entry(
        item=item,
        earlier=tuple(other.content for other in parts.store.replaced_by(space, item.id) if not other.restated),
        suspected_by=tuple(other.content for other in parts.store.get(space, item.suspected_by[-1:])),
    )

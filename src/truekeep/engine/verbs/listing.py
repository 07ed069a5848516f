"""Listing items: all that filters let through, newest first, page by page, or as they were known at a time.

A cursor names the place of the last item shown, and no item ever changes its place: vectors that are made, corrections
and repetitions change an item's `seq`, so places go by when it became true and by its id.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truekeep.engine.parts import Parts
from truekeep.errors import InvalidInput, NotFound
from truekeep.model import Filters, MemoryItem, Page, SpaceId

_PLACE = struct.Struct(">qQQ")  # when, and the two halves of the id: the order of `newest`


def matching(filters: Filters, *, parts: Parts, space: SpaceId, now: datetime) -> list[str]:
    """The ids of all items that the filters let through."""
    view = parts.indexes.refreshed(space)
    return view.ids(view.rows(view.select(filters, now)))


def newest(
    filters: Filters, *, limit: int, offset: int, parts: Parts, space: SpaceId, now: datetime
) -> list[MemoryItem]:
    """Items that the filters let through, newest first."""
    view = parts.indexes.refreshed(space)
    items = parts.store.get(space, view.ids(view.newest(view.select(filters, now), limit, offset)))
    return as_known(items, filters.known_at, parts=parts, space=space)


def page(filters: Filters, *, limit: int, cursor: str | None, parts: Parts, space: SpaceId, now: datetime) -> Page:
    """The items after the cursor, newest first."""
    view = parts.indexes.refreshed(space)
    allowed = view.rows(view.select(filters, now))
    places = [view.column(name) for name in ("when", "high", "low")]
    if cursor is not None:
        allowed = allowed[_behind(_place(cursor), [column[allowed] for column in places])]
    rows = view.newest(view.only(allowed), limit)
    items = tuple(as_known(parts.store.get(space, view.ids(rows)), filters.known_at, parts=parts, space=space))
    more = len(allowed) > limit
    return Page(items=items, cursor=_cursor([int(column[rows[-1]]) for column in places]) if more else None)


def _behind(last: Sequence[int], places: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """Which of the places come after the last, in descending order of all three numbers."""
    behind, same = np.zeros(len(places[0]), np.bool_), np.ones(len(places[0]), np.bool_)
    for number, column in zip(last, places, strict=True):
        behind |= same & (column < column.dtype.type(number))
        same &= column == column.dtype.type(number)
    return behind


def _cursor(place: Sequence[int]) -> str:
    return base64.urlsafe_b64encode(_PLACE.pack(*place)).decode().rstrip("=")


def _place(cursor: str) -> tuple[int, ...]:
    try:
        return _PLACE.unpack(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, struct.error, ValueError) as error:
        raise InvalidInput("cursor", "is not one that an earlier page gave; begin again without it") from error


def item_of(id: str, *, parts: Parts, space: SpaceId) -> MemoryItem:
    for item in parts.store.get(space, [id]):
        return item
    raise no_item(id, space)


def no_item(id: str, space: SpaceId) -> NotFound:
    return NotFound(f"no item {id!r} in the space {space.name!r}")


def as_known(
    items: Iterable[MemoryItem], known_at: datetime | None, *, parts: Parts, space: SpaceId
) -> list[MemoryItem]:
    """Each in the version of that time; without a time, as it is now."""
    if known_at is None:
        return list(items)
    return [item if item.version == 1 else _version(item, known_at, parts, space) for item in items]


def _version(item: MemoryItem, known_at: datetime, parts: Parts, space: SpaceId) -> MemoryItem:
    versions = [one for one in parts.store.history(space, item.id) if one.id == item.id]
    versions.sort(key=lambda one: one.version)
    return max((one for one in versions if one.updated <= known_at), key=lambda one: one.version, default=versions[0])

"""Pages of items: a cursor names the last item shown, so that what comes in meanwhile moves nothing."""

from __future__ import annotations

import base64
import binascii
import struct
from datetime import datetime

import numpy as np

from truekeep.errors import InvalidInput
from truekeep.model import Filters, Page, SpaceId

from .parts import Parts

_PLACE = struct.Struct(">qq")  # when, seq: the order of `newest`


def page(filters: Filters, *, limit: int, cursor: str | None, parts: Parts, space: SpaceId, now: datetime) -> Page:
    """The items after the cursor, newest first."""
    view = parts.indexes.refreshed(space)
    allowed = view.rows(view.select(filters, now))
    when, seq = view.column("when"), view.column("seq")
    if cursor is not None:
        last_when, last_seq = _place(cursor)
        later = (when[allowed] < last_when) | ((when[allowed] == last_when) & (seq[allowed] < last_seq))
        allowed = allowed[later]
    mask = np.zeros(view.size, dtype=np.bool_)
    mask[allowed] = True
    rows = view.newest(mask, limit)
    items = tuple(parts.store.get(space, view.ids(rows)))
    more = len(allowed) > limit
    return Page(items=items, cursor=_cursor(int(when[rows[-1]]), int(seq[rows[-1]])) if more else None)


def _cursor(when: int, seq: int) -> str:
    return base64.urlsafe_b64encode(_PLACE.pack(when, seq)).decode().rstrip("=")


def _place(cursor: str) -> tuple[int, int]:
    try:
        when, seq = _PLACE.unpack(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, struct.error, ValueError) as error:
        raise InvalidInput("cursor", "is not one that an earlier page gave") from error
    return when, seq

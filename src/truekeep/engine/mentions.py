"""Mentions: what others say of somebody who was erased waits for a person to look at it.

Nothing of it is changed or hidden meanwhile. Its ids are kept in the tenant's own space.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from datetime import datetime
from typing import cast

from truekeep.model import JSON, MemoryItem, SpaceId, Value
from truekeep.normal_forms import normal_form
from truekeep.ports import Store

MOST = 10_000  # of a space that wait at a time, the latest
_KEY = "person:mentions:"
_UNSPACED = "\u0e00"  # from here on there are scripts that set no blanks between words


def telling_of(names: Collection[str]) -> Callable[[MemoryItem], bool]:
    """Whether an item has one of the names in it, as whole words in whatever case.

    A reviewer keeps what is none at a glance, and cannot see what was missed.
    """
    pattern = re.compile("|".join(map(_word, names))) if names else None
    return lambda item: pattern is not None and pattern.search(_told(item)) is not None


def _word(name: str) -> str:
    words = r"\s+".join(re.escape(word) for word in _plain(name).split())
    before, after = (r"(?<!\w)" if name[0] < _UNSPACED else ""), (r"(?!\w)" if name[-1] < _UNSPACED else "")
    return before + words + after


def _told(item: MemoryItem) -> str:
    """All that an item tells, but who said it."""
    words = (item.content, item.key or "", *item.tags, item.session or "", item.source.name or "")
    metadata = json.dumps(item.metadata, ensure_ascii=False) if item.metadata else ""
    return _plain("\n".join((*words, metadata)))


def _plain(text: str) -> str:
    return text.casefold() if text.isascii() else normal_form("NFC", text).casefold()


def put_up(store: Store, space: SpaceId, ids: Collection[str], *, now: datetime) -> None:
    """Let them wait, the last of them first, before those that wait already."""

    def edit(present: Value | None) -> JSON:
        return cast(JSON, list(dict.fromkeys((*reversed(list(ids)), *_waiting(present))))[:MOST])

    if ids:
        store.edit_value(*_place(space), edit, now=now, ttl=None, charge=None)


def waiting(store: Store, space: SpaceId, *, limit: int, now: datetime) -> list[MemoryItem]:
    """At most so many; what was erased meanwhile does not wait any more."""
    ids, found = _waiting(store.value(*_place(space), now=now)), list[MemoryItem]()
    while ids and len(found) < limit:
        found += store.get(space, ids[:limit])
        ids = ids[limit:]
    return found[:limit]


def settle(store: Store, space: SpaceId, id: str, *, now: datetime) -> bool:
    """Note that somebody looked at it, and it stays; whether it was waiting."""

    def edit(present: Value | None) -> JSON:
        return cast(JSON, [one for one in _waiting(present) if one != id] or None)

    if id not in _waiting(store.value(*_place(space), now=now)):
        return False
    store.edit_value(*_place(space), edit, now=now, ttl=None, charge=None)
    return True


def drop(store: Store, space: SpaceId, *, now: datetime) -> None:
    """Of a space that is erased, nothing waits."""
    if store.value(*_place(space), now=now) is not None:
        store.edit_value(*_place(space), lambda _: None, now=now, ttl=None, charge=None)


def _place(space: SpaceId) -> tuple[SpaceId, str]:
    return SpaceId.own(space.tenant), _KEY + space.name


def _waiting(kept: Value | None) -> list[str]:
    return [] if kept is None else cast(list[str], kept.value)

"""Items as they were known at a time: a correction made later does not show through."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from truekeep.model import MemoryItem, SpaceId

from .parts import Parts


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

"""Small things to keep: for contracts and tests of stores."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from truekeep.model import Job, MemoryItem, SpaceId
from truekeep.ports import Answer, Applied, Change, Put, Store

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SPACE = SpaceId("local", "bot")
EMBEDDER = "fake-4"


def item(id: str, content: str | None = None, **fields: Any) -> MemoryItem:
    times = {name: fields.pop(name, NOW) for name in ("created", "updated", "when")}
    return MemoryItem(id=id, content=content or f"the content of {id}", **times, **fields)


def put(
    id: str,
    content: str | None = None,
    *,
    vectors: bytes | None = None,
    keep_previous: bool = False,
    derived: bool = False,
    repeatable: bool = False,
    **fields: Any,
) -> Put:
    made = item(id, content, **fields)
    return Put(
        item=made,
        statement=made.content.casefold(),
        vectors=vectors,
        keep_previous=keep_previous,
        derived=derived,
        repeatable=repeatable,
    )


def keep(store: Store, *puts: Put, space: SpaceId = SPACE, answers: Mapping[str, Answer] | None = None) -> Applied:
    """Apply the puts, based on what is there now."""
    change = Change(puts=puts, answers=answers or {}, embedder=EMBEDDER)
    return store.apply(space, change, based_on=store.head(space).seq)


def job(id: str, space: SpaceId = SPACE, **fields: Any) -> Job:
    given = {"task": "extract", "payload": {"text": id}, "created": NOW, "updated": NOW, **fields}
    return Job(id=id, space=space, **given)

"""Small things to keep: for contracts and tests of stores."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from truekeep.model import JSON, Job, MemoryItem, SpaceId, Value
from truekeep.ports import Answer, Applied, Change, Put, Store

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SPACE = SpaceId("local", "bot")
EMBEDDER = "fake-4"
LEASE = timedelta(minutes=5)


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


def claimed(store: Store, at: datetime = NOW) -> Job:
    """The job that is claimed then: there is one."""
    found = store.claim_job(now=at, lease=LEASE, max_attempts=3)
    assert found is not None
    return found


def kept_job(store: Store, id: str) -> Job:
    """The job: it is there."""
    found = store.job(SPACE, id)
    assert found is not None
    return found


def set_value(
    store: Store, key: str, value: JSON, *, space: SpaceId = SPACE, now: datetime = NOW, ttl: timedelta | None = None
) -> Value:
    """The value as it is kept."""
    kept = store.edit_value(space, key, lambda _: value, now=now, ttl=ttl)
    assert kept is not None
    return kept

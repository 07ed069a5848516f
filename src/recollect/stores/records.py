"""What every store keeps, apart from where: moments as numbers, statements as fingerprints, items as fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from recollect.model import JSON, MemoryItem, Source, SpaceId

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MONTHS_KEPT = 13  # of usage, before the one that is running
SHORT = 64  # characters of a body: a kind, a tag or two


def microseconds(time: datetime) -> int:
    return (time - EPOCH) // MICROSECOND


def moment(microseconds: int) -> datetime:
    seconds, rest = divmod(microseconds, 1_000_000)
    return EPOCH + timedelta(0, seconds, rest)


to_json: Callable[[JSON], str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def fingerprint(secret: bytes, space: SpaceId, statement: str) -> bytes:
    """Recognises a statement without keeping it. Depends on the space, so equal ones cannot be told across spaces."""
    message = "\0".join((space.tenant, space.name, statement))
    return blake2b(message.encode("utf-8", "surrogatepass"), key=secret, digest_size=16).digest()


def item_from(
    id: str,
    seq: int,
    content: str,
    body: str,
    key: str | None,
    version: int,
    created: int,
    updated: int,
    when: int,
    until: int | None,
    retired: int | None,
    expires: int | None,
    successor: str | None,
) -> MemoryItem:
    """The item that was kept as these fields."""
    first = moment(created)
    return MemoryItem(
        id=id,
        content=content,
        key=key,
        created=first,
        updated=first if updated == created else moment(updated),
        when=first if when == created else moment(when),
        until=None if until is None else moment(until),
        retired=None if retired is None else moment(retired),
        expires=None if expires is None else moment(expires),
        superseded_by=successor,
        version=version,
        seq=seq,
        **(_rest_of_short(body) if len(body) <= SHORT and '"metadata"' not in body else _rest(body)),
    )


def _rest(body: str) -> dict[str, Any]:
    """The other fields of an item."""
    rest: dict[str, Any] = json.loads(body)
    for field in ("tags", "redacted", "suspected_by"):
        if field in rest:
            rest[field] = tuple(rest[field])
    if "source" in rest:
        rest["source"] = Source(**rest["source"])
    return rest


# Most bodies say little and are alike. Without metadata nothing in them can be changed by whom it is handed to.
_rest_of_short = lru_cache(maxsize=1000)(_rest)


def body_of(item: MemoryItem) -> str:
    """What no query asks for, without what is as usual."""
    body: dict[str, JSON] = {"kind": item.kind}
    if item.tags:
        body["tags"] = item.tags
    if item.metadata:
        body["metadata"] = dict(item.metadata)
    source = _source(item)
    if source:
        body["source"] = source
    if item.pinned:
        body["pinned"] = True
    if item.reason is not None:
        body["reason"] = item.reason
    if item.reinforced:
        body["reinforced"] = item.reinforced
    if item.redacted:
        body["redacted"] = item.redacted
    if item.suspected_by:
        body["suspected_by"] = item.suspected_by
    if item.quarantined:
        body["quarantined"] = True
    return to_json(body)


def _source(item: MemoryItem) -> Mapping[str, JSON]:
    source = item.source
    found: dict[str, JSON] = {
        name: value
        for name, value in (
            ("name", source.name),
            ("speaker", source.speaker),
            ("role", source.role),
            ("session", source.session),
            ("message", source.message),
        )
        if value is not None
    }
    if source.trust != "user" or source.name is not None or source.role is not None:  # else it is as usual
        found["trust"] = source.trust
    return found


def oldest_month(now: datetime) -> str:
    """The oldest month whose usage is kept. Its days come after it in the order of texts, earlier ones before."""
    today = now.astimezone(UTC)
    months = today.year * 12 + today.month - 1 - MONTHS_KEPT
    return f"{months // 12:04}-{months % 12 + 1:02}"

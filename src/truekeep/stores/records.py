"""What every store keeps, apart from where: moments as numbers, statements as fingerprints, items as fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from truekeep.model import JSON, AccessKey, Job, JobState, MemoryItem, Outcome, Quotas, Source, SpaceId, Value
from truekeep.ports import Answer

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SHORT = 64  # characters of a body: a kind, a tag or two
REVOKED = ("keys", "revoked", "ever")  # counted in the usage of a tenant: whether there was a key, for good
HIDDEN = "\x7f"  # no name that somebody gives begins with a control character


def day_of(time: datetime) -> str:
    """The day of UTC, such as "2026-11-15"."""
    return time.astimezone(UTC).date().isoformat()


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


def hidden_name(secret: bytes, space: SpaceId) -> str:
    """What an erased space is called: known again when somebody uses the name, and not to be read from the files."""
    return HIDDEN + fingerprint(secret, space, "").hex()


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


def item_fields(item: MemoryItem, body: str, fingerprint: bytes) -> tuple[str | int | bytes | None, ...]:
    """What is kept of an item, from its content on to its successor."""
    return (
        item.content,
        body,
        item.key,
        fingerprint,
        item.version,
        microseconds(item.created),
        microseconds(item.updated),
        microseconds(item.when),
        _microseconds(item.until),
        _microseconds(item.retired),
        _microseconds(item.expires),
        item.superseded_by,
    )


def value_from(key: str, value: str, version: int, created: int, updated: int, expires: int | None) -> Value:
    """The value that was kept as these fields."""
    return Value(
        key=key,
        value=json.loads(value),
        version=version,
        created=moment(created),
        updated=moment(updated),
        expires=_moment(expires),
    )


def value_fields(value: Value, version: int) -> tuple[str, str, int, int, int, int | None]:
    times = (microseconds(value.created), microseconds(value.updated), _microseconds(value.expires))
    return (value.key, to_json(value.value), version, *times)


def answer_from(key: str, request: str, id: str, outcome: Outcome, superseded: str, at: int) -> Answer:
    """The answer that was kept as these fields."""
    return Answer(request, id, outcome, tuple(json.loads(superseded)))


def answer_fields(key: str, answer: Answer, at: int) -> tuple[str, str, str, str, str, int]:
    return (key, answer.request, answer.id, answer.outcome, to_json(list(answer.superseded)), at)


def job_from(
    space: SpaceId,
    id: str,
    task: str,
    payload: str,
    state: JobState,
    attempts: int,
    result: str,
    error: str | None,
    created: int,
    updated: int,
) -> Job:
    """The job that was kept as these fields."""
    return Job(
        id=id,
        space=space,
        task=task,
        payload=json.loads(payload),
        state=state,
        attempts=attempts,
        result=json.loads(result),
        error=error,
        created=moment(created),
        updated=moment(updated),
    )


def job_fields(job: Job) -> tuple[str | int | None, ...]:
    return (
        job.id,
        job.task,
        to_json(job.payload),
        job.state,
        job.attempts,
        to_json(job.result),
        job.error,
        microseconds(job.created),
        microseconds(job.updated),
    )


def key_from(
    id: str, tenant: str, name: str, body: str, created: int, expires: int | None, last_used: int | None
) -> AccessKey:
    """The access key that was kept as these fields."""
    rest = json.loads(body)
    return AccessKey(
        id=id,
        tenant=tenant,
        name=name,
        scopes=tuple(rest["scopes"]),
        spaces=tuple(rest["spaces"]),
        operator=rest["operator"],
        quotas=Quotas(**rest["quotas"]),
        created=moment(created),
        expires=_moment(expires),
        last_used=_moment(last_used),
    )


def key_fields(key: AccessKey) -> tuple[str, str, int, int | None]:
    """All but its id, its tenant and its secret."""
    quotas = {name: most for name, most in asdict(key.quotas).items() if most is not None}
    body: dict[str, JSON] = {"scopes": key.scopes, "spaces": key.spaces, "operator": key.operator, "quotas": quotas}
    return key.name, to_json(body), microseconds(key.created), _microseconds(key.expires)


def _moment(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else moment(microseconds)


def _microseconds(time: datetime | None) -> int | None:
    return None if time is None else microseconds(time)

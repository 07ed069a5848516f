"""Cells: what rows consist of, as `stores.tables` names it; and what the ledger makes of them.

Times are microseconds since 1970, JSON is the text that was kept, a flag is 0 or 1.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from truekeep.model import JSON, AccessKey, Job, MemoryItem, Quotas, Source, SpaceId, Value
from truekeep.ports import Answer
from truekeep.stores.tables import microseconds, moment, to_json

Cells: TypeAlias = "tuple[Any, ...]"
Name: TypeAlias = "str | bytes"
Place: TypeAlias = "tuple[Any, ...]"  # of a row in the order of its table
Manifest: TypeAlias = "Mapping[str, Sequence[tuple[int, int]]]"  # by part: numbers of pieces, and their CRC-32
UsageKey: TypeAlias = "tuple[str, str, str, str]"

NOWHERE = -1
SHORT = 128  # characters of a body: a kind, the id of a key, a tag or two


@dataclass(slots=True)
class Space:
    """Where a space is and how far it has come. What is changed here is kept when the transaction ends."""

    id: int
    tenant: str
    name: str  # a hidden one while the space is erased
    head: int
    floor: int
    value_head: int
    # How many items, tombstones and kept_values it holds, and what its driver counts besides.
    counts: dict[str, int] = field(kw_only=True)

    @property
    def is_there(self) -> bool:
        """Whether it ever held anything; if not, it has no rows, and none may be kept in it."""
        return self.id != NOWHERE

    def next_seq(self) -> int:
        self.head += 1
        return self.head

    def copy(self) -> Space:
        """As it is now, to go back to."""
        return replace(self, counts=self.counts.copy())

    def counters(self) -> tuple[int, ...]:
        return (self.head, self.floor, self.value_head, *self.counts.values())


def unused(space: SpaceId) -> Space:
    return Space(NOWHERE, *space, 0, 0, 0, counts=Counter())


# What an item holds beside its columns, and where it comes from.
_BODY = (
    *("tags", "metadata", "pinned", "reason", "reinforced", "redacted", "suspected_by"),
    *("quarantined", "restated", "unjudged", "written_by"),
)
_SOURCE = tuple(field.name for field in fields(Source))
_of_item, _of_source = attrgetter(*_BODY), attrgetter(*_SOURCE)


class Kept(NamedTuple):
    """A row of an item, or of a former version."""

    item: MemoryItem
    cells: Cells

    @property
    def fingerprint(self) -> bytes:
        mark: bytes = self.cells[5]
        return mark

    def renewed(self, item: MemoryItem) -> Kept:
        """The row with the item as it shall be."""
        return made(item, self.fingerprint, self.cells[14])


def kept(cells: Cells) -> Kept:
    return Kept(item_of(cells), cells)


def made(item: MemoryItem, fingerprint: bytes, repeatable: bool) -> Kept:
    """The row that an item makes."""
    times = (microseconds(item.created), microseconds(item.updated), microseconds(item.when))
    ends = (_microseconds(item.until), _microseconds(item.retired), _microseconds(item.expires))
    cells = (item.id, item.seq, item.content, _body(item), item.key, fingerprint, item.version, *times, *ends)
    return Kept(item, (*cells, item.superseded_by, int(repeatable)))


def item_of(cells: Cells) -> MemoryItem:
    """The item that was kept."""
    id, seq, content, body, key, _, version, created, updated, when, until, retired, expires, successor, _ = cells
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
    for name in ("tags", "redacted", "suspected_by"):
        if name in rest:
            rest[name] = tuple(rest[name])
    if "source" in rest:
        rest["source"] = Source(**rest["source"])
    return rest


# Most bodies say little and are alike. Without metadata nothing in them can be changed by whom it is handed to.
_rest_of_short = lru_cache(maxsize=1000)(_rest)


def _body(item: MemoryItem) -> str:
    """What no query asks for, without what is as usual."""
    told = zip(_BODY, _of_item(item), strict=True)
    body: dict[str, JSON] = {"kind": item.kind, **{name: value for name, value in told if value or value == ""}}
    source = {name: value for name, value in zip(_SOURCE, _of_source(item.source), strict=True) if value is not None}
    if item.source.trust == "user" and source.keys().isdisjoint(("name", "role")):
        del source["trust"]
    return to_json({**body, "source": source} if source else body)


def value_of(cells: Cells) -> Value:
    """The value that was kept."""
    key, value, version, created, updated, expires = cells
    return Value(
        key=key,
        value=json.loads(value),
        version=version,
        created=moment(created),
        updated=moment(updated),
        expires=_moment(expires),
    )


def value_cells(value: Value, version: int) -> Cells:
    times = (microseconds(value.created), microseconds(value.updated), _microseconds(value.expires))
    return (value.key, to_json(value.value), version, *times)


def answer_of(cells: Cells) -> Answer:
    """The answer that was kept."""
    _, request, id, outcome, superseded, _ = cells
    return Answer(request, id, outcome, tuple(json.loads(superseded)))


def answer_cells(key: str, answer: Answer, at: int) -> Cells:
    return (key, answer.request, answer.id, answer.outcome, to_json(list(answer.superseded)), at)


def job_of(space: SpaceId, cells: Cells) -> Job:
    """The job that was kept."""
    id, task, payload, state, attempts, result, error, created, updated, _, _ = cells
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


def job_cells(job: Job, *, lease: int = 0, not_before: int = 0) -> Cells:
    told = (to_json(job.payload), job.state, job.attempts, to_json(job.result), job.error)
    return (job.id, job.task, *told, microseconds(job.created), microseconds(job.updated), lease, not_before)


def key_of(cells: Cells) -> AccessKey:
    """The access key that was kept."""
    id, _, tenant, name, body, created, expires, last_used = cells
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


def key_cells(key: AccessKey, digest: bytes) -> Cells:
    """Of a key that was not used yet."""
    quotas = {name: most for name, most in asdict(key.quotas).items() if most is not None}
    body: dict[str, JSON] = {"scopes": key.scopes, "spaces": key.spaces, "operator": key.operator, "quotas": quotas}
    times = (microseconds(key.created), _microseconds(key.expires))
    return (key.id, digest, key.tenant, key.name, to_json(body), *times, None)


def _moment(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else moment(microseconds)


def _microseconds(time: datetime | None) -> int | None:
    return None if time is None else microseconds(time)

"""What the operations of a LangGraph store do to a memory. Blocks, and raises what `Memory` raises."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, TypeAlias

from langgraph.store.base import GetOp, Item, ListNamespacesOp, PutOp, SearchItem, SearchOp

from truekeep.memory import Memory
from truekeep.model import MemoryItem

from . import conditions, records
from .records import SOURCE, UNINDEXED, Namespace

_MOST = 1_000  # what one recall or one page may bring
_VERSIONS = 10  # of one item that two writers made at the same moment
_STALE = 0.1  # of its lifetime: an item that was read more often than that need not be written each time
_SLACK = timedelta(seconds=1)

Read: TypeAlias = GetOp | SearchOp | ListNamespacesOp
Answer: TypeAlias = Item | list[SearchItem] | list[Namespace] | None


@dataclass(frozen=True, slots=True)
class Indexing:
    """How what is put can be found: as items of this kind, by these fields."""

    kind: str
    fields: Sequence[str]


def put(memory: Memory, ops: Sequence[PutOp], indexing: Indexing) -> None:
    """Write them, in one transaction; then delete what is to be deleted, with all its former versions."""
    now = datetime.now(UTC)
    written = [op for op in ops if op.value is not None]
    drafts = [
        records.draft(op, kind=indexing.kind, fields=indexing.fields, former=_find(memory, op), now=now)
        for op in written
    ]
    for op, kept in zip(written, memory.remember_many(drafts), strict=True):
        _shorten(memory, kept.item, op, now)
    for op in ops:
        if op.value is None:
            memory.forget(tags=[records.key_tag(op.namespace, op.key)])


def read(memory: Memory, op: Read) -> Answer:
    """What one operation asks for."""
    if isinstance(op, GetOp):
        item = _find(memory, op)
        if item is None:
            return None
        _touch(memory, [item] if op.refresh_ttl else [])
        return records.item_of(item)
    if isinstance(op, ListNamespacesOp):
        return conditions.listed({records.namespace_of(item) for item in _all(memory, ())}, op)
    hits = [*islice(_hits(memory, op), op.offset, op.offset + op.limit)]
    _touch(memory, [item for item, _ in hits] if op.refresh_ttl else [])
    return [records.found(item, score) for item, score in hits]


def _find(memory: Memory, op: PutOp | GetOp) -> MemoryItem | None:
    tag = records.key_tag(op.namespace, op.key)
    versions = memory.items(tags=[tag], source=SOURCE.name, include_superseded=True, limit=_VERSIONS)
    return next(filter(records.is_record, versions), None)


def _hits(memory: Memory, op: SearchOp) -> Iterator[tuple[MemoryItem, float | None]]:
    """With a query the best first, then all others without a score, as LangGraph's own stores do; newest first."""
    seen: set[str] = set()
    for item, score in _ranked(memory, op) if op.query else ():
        seen.add(item.id)
        yield item, score
    for item in _all(memory, op.namespace_prefix):
        if item.id not in seen and conditions.passes(records.value_of(item), op.filter):
            yield item, None


def _ranked(memory: Memory, op: SearchOp) -> Iterator[tuple[MemoryItem, float]]:
    # Conditions on values are checked here and not by the index: look deeper where there are some.
    depth = _MOST if op.filter else min(op.offset + op.limit, _MOST)
    where: dict[str, Any] = _under(op.namespace_prefix) | {"kinds": [f"-{UNINDEXED}"]}
    for match in memory.recall(op.query or "", limit=depth, **where):
        if records.is_record(match.item) and conditions.passes(records.value_of(match.item), op.filter):
            yield match.item, match.similarity


def _all(memory: Memory, prefix: Namespace) -> Iterator[MemoryItem]:
    cursor: str | None = None
    while True:
        page = memory.page(limit=_MOST, cursor=cursor, **_under(prefix))
        yield from filter(records.is_record, page.items)
        cursor = page.cursor
        if cursor is None:
            return


def _under(prefix: Namespace) -> dict[str, Any]:
    """Filters for all that is in a namespace; also what says of itself that it was true only for a while."""
    tags = {"tags": [records.namespace_tag(prefix)]} if prefix else {}
    return {"source": SOURCE.name, "include_superseded": True, **tags}


def _touch(memory: Memory, items: Iterable[MemoryItem]) -> None:
    """Put off the end of what was read."""
    now = datetime.now(UTC)
    due = [item for item in items if _is_due(item, now)]
    if due:
        memory.remember_many(map(records.again, due))


def _is_due(item: MemoryItem, now: datetime) -> bool:
    lifetime = records.lifetime(item)
    return lifetime is not None and item.expires is not None and item.expires < now + lifetime * (1 - _STALE)


def _shorten(memory: Memory, item: MemoryItem, op: PutOp, now: datetime) -> None:
    """What is put again in the same words keeps the later end; the last put shall have its way."""
    lifetime = records.lifetime_of(op)
    if lifetime is not None and item.expires is not None and item.expires > now + lifetime + _SLACK:
        memory.correct(item.id, ttl=lifetime)

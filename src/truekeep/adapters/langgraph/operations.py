"""What the operations of a LangGraph store do to a memory. Blocks, and raises what `Memory` raises.

LangGraph's conditions on values and namespaces are decided here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from operator import ge, gt, le, lt
from typing import Any, TypeAlias

from langgraph.store.base import GetOp, Item, ListNamespacesOp, MatchCondition, PutOp, SearchItem, SearchOp

from truekeep.errors import InvalidInput
from truekeep.memory import Memory
from truekeep.model import MemoryItem

from . import records
from .records import SOURCE, UNINDEXED, Namespace

_MOST = 1_000  # what one recall or one page may bring
_VERSIONS = 10  # of one item that two writers made at the same moment
_STALE = 0.1  # of its lifetime: an item that was read more often than that need not be written each time
_SLACK = timedelta(seconds=1)
_ORDERINGS = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_OPERATORS = {"$eq", "$ne", *_ORDERINGS}

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
        return listed({records.namespace_of(item) for item in _all(memory, ())}, op)
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
        if item.id not in seen and passes(records.value_of(item), op.filter):
            yield item, None


def _ranked(memory: Memory, op: SearchOp) -> Iterator[tuple[MemoryItem, float]]:
    # Conditions on values are checked here and not by the index: look deeper where there are some.
    depth = _MOST if op.filter else min(op.offset + op.limit, _MOST)
    where: dict[str, Any] = _under(op.namespace_prefix) | {"kinds": [f"-{UNINDEXED}"]}
    for match in memory.recall(op.query or "", limit=depth, **where):
        if records.is_record(match.item) and passes(records.value_of(match.item), op.filter):
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


def check_filter(filter: Mapping[str, Any] | None) -> None:
    """Raise InvalidInput, which is a ValueError, where a filter has an operator that nobody knows."""
    for condition in (filter or {}).values():
        if isinstance(condition, Mapping):
            operators = [name for name in condition if str(name).startswith("$")]
            if unknown := [name for name in operators if name not in _OPERATORS]:
                raise InvalidInput("filter", f"has the unknown operator {unknown[0]!r}; there are {sorted(_OPERATORS)}")
            check_filter({name: inner for name, inner in condition.items() if name not in operators})


def passes(value: Mapping[str, Any], filter: Mapping[str, Any] | None) -> bool:
    """Whether a value meets all conditions of a filter."""
    return all(_meets(value.get(name), condition) for name, condition in (filter or {}).items())


def _meets(value: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping):
        if any(str(name).startswith("$") for name in condition):
            return all(_compares(value, operator, other) for operator, other in condition.items())
        return isinstance(value, Mapping) and passes(value, condition)
    if isinstance(condition, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(condition)
            and all(_meets(one, other) for one, other in zip(value, condition, strict=True))
        )
    return bool(value == condition)


def _compares(value: Any, operator: str, other: Any) -> bool:
    if operator == "$eq":
        return bool(value == other)
    if operator == "$ne":
        return bool(value != other)
    try:
        return bool(_ORDERINGS[operator](_sortable(value), _sortable(other)))
    except TypeError:  # a missing field, or a word and a number: neither comes first
        return False


def _sortable(value: Any) -> Any:
    """Numbers compare as numbers, also where one is written as text."""
    try:
        return float(value)
    except ValueError:
        return value


def listed(namespaces: Iterable[tuple[str, ...]], op: ListNamespacesOp) -> list[tuple[str, ...]]:
    """The namespaces that an operation asks for, sorted, each once."""
    matching = (one for one in namespaces if all(_matches(one, condition) for condition in op.match_conditions or ()))
    cut = sorted({one if op.max_depth is None else one[: op.max_depth] for one in matching})
    return cut[op.offset : op.offset + op.limit]


def _matches(namespace: Sequence[str], condition: MatchCondition) -> bool:
    path = condition.path
    if condition.match_type not in ("prefix", "suffix"):
        raise InvalidInput("match_conditions", f"are of the type prefix or suffix, not {condition.match_type!r}")
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))

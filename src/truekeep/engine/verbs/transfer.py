"""Export and import: documented JSON lines (docs/reference/export-format.md), lossless both ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from truekeep import wire
from truekeep.engine import admit, hygiene, requests
from truekeep.engine.decide import put_of
from truekeep.engine.parts import Parts
from truekeep.errors import InvalidInput
from truekeep.model import JSON, Imported, MemoryItem, Redact, SpaceId, Value
from truekeep.model.items import is_over
from truekeep.ports import Restored

Tell = Callable[[Iterable[str]], None]

VERSION = 1
_BATCH = 500
_TRIES = 100  # at each, somebody else must have written while a few changes were read
_MOST_TAGS = 1_000
_MOST_METADATA = 1024 * 1024  # bytes
_VALUE_FIELDS = ("key", "value", "created", "updated", "expires")


def _moment(name: str) -> requests.Check:
    return lambda text, limits: admit.moment(datetime.fromisoformat(text), name)


def _text(name: str) -> requests.Check:
    return lambda text, limits: admit.plain_text(text, name)


def _or_none(check: requests.Check) -> requests.Check:
    return lambda value, limits: None if value is None else check(value, limits)


def _texts(name: str) -> requests.Check:
    return lambda texts, limits: admit.tags(texts, limits, name)


def _flag(name: str) -> requests.Check:
    return lambda flag, limits: admit.flag(flag, name)


def _whole(name: str, least: int) -> requests.Check:
    return lambda number, limits: admit.whole(number, name, least, 2**31)


# How each field of an item is admitted: as `remember` takes it, or as it was kept.
_ITEM: Mapping[str, requests.Check] = {
    "id": lambda id, limits: admit.name(id, "id", limits),
    **{name: requests.DRAFT[name] for name in ("content", "tags", "metadata", "key", "pinned")},
    "kind": lambda kind, limits: admit.kind(kind),
    "source": lambda source, limits: requests.source(source, session=None, speaker=None, limits=limits),
    **{name: _moment(name) for name in ("created", "updated", "when")},
    **{name: _or_none(_moment(name)) for name in ("until", "retired", "expires")},
    **{name: _or_none(_text(name)) for name in ("superseded_by", "reason")},
    **{name: _texts(name) for name in ("suspected_by", "redacted")},
    **{name: _flag(name) for name in ("quarantined", "restated")},
    "version": _whole("version", 1),
    "reinforced": _whole("reinforced", 0),
}
_NEEDED = frozenset({"id", "content", "kind", "created", "updated", "when"})


def export(*, parts: Parts, space: SpaceId, now: datetime, tell: Tell | None = None) -> Iterator[str]:
    """Lines of JSON: a header, then items in order of change, former versions, values.

    They tell one state, that of the moment in which the first line is asked for, whatever is written while the others
    are read: it is gathered before anything is told. `tell` gets the ids of the items then.
    """
    items, versions, values = _one_state(parts, space, now)
    if tell is not None:
        tell(items)
    yield _line({"type": "header", "format": "truekeep", "version": VERSION, "space": space.name})
    for some in (items.values(), versions, values):
        yield from some


def _one_state(parts: Parts, space: SpaceId, now: datetime) -> tuple[dict[str, str], list[str], list[str]]:
    """All lines, those of items by their ids, at one moment: when nothing has changed while they were read."""
    told: dict[str, tuple[int, str]] = {}  # id → version and line
    values: dict[str, Value] = {}
    seen = -1
    for _ in range(_TRIES):
        head = _catch_up(told, max(seen, 0), parts, space)
        present = _values(parts, space, now)
        if (head, present) == (seen, values):
            break
        seen, values = head, present
    # A version that is filed later has the number of the item that was told, or a higher one.
    versions = (item for item in parts.store.versions(space) if item.version < told.get(item.id, (0, ""))[0])
    return (
        {id: line for id, (_, line) in told.items()},
        [_line({"type": "version", **_from_item(item)}) for item in versions],
        [_line({"type": "value", **_from_value(value)}) for value in values.values()],
    )


def _catch_up(told: dict[str, tuple[int, str]], after: int, parts: Parts, space: SpaceId) -> int:
    """Tell what changed after `after`, in place of what was told of it before; the sequence number reached."""
    more = True
    while more:
        page = parts.store.changes(space, after=after, limit=_BATCH)
        counts = parts.accesses.known(parts.store, space, [row.id for row in page.rows if row.item is not None])
        for row in page.rows:
            told.pop(row.id, None)
            if row.item is not None:
                line = _line({"type": "item", **_from_item(row.item), "accesses": counts.get(row.id, 0)})
                told[row.id] = row.item.version, line
        after, more = (page.rows[-1].seq if page.rows else after), page.more
    return after


def _values(parts: Parts, space: SpaceId, now: datetime) -> dict[str, Value]:
    found = {key: parts.store.value(space, key, now=now) for key in parts.store.keys(space, now=now)}
    return {key: value for key, value in found.items() if value is not None}


def import_(lines: Iterable[str], *, parts: Parts, space: SpaceId, now: datetime, tell: Tell | None = None) -> Imported:
    """Restore what an export wrote. Items that are here already and at least as new stay as they are.

    The lines are gone through twice: all of it is read once before anything is written. `tell` gets the ids of items
    that were.
    """
    limits = _ceiling(parts.limits)
    for where, line in _after_header(lines):
        _read(where, line, limits, parts.redact)
    total, rest = Imported(), _after_header(lines)
    while some := list(islice(rest, _BATCH)):
        batch = [_read(where, line, limits, parts.redact) for where, line in some]
        total = _sum(total, _restore(batch, parts=parts, space=space, now=now, tell=tell))
    return total


def _after_header(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The lines that hold something, each with its place, once the first was seen to be a header."""
    numbered = ((f"line {number}", line) for number, line in enumerate(lines, start=1) if not _is_blank(line))
    header = next(numbered, None)
    if header is None:
        raise InvalidInput("lines", "are empty; an export begins with a header")
    _check_header(_record(*header))
    yield from numbered


def _ceiling(limits: admit.Limits) -> admit.Limits:
    """The limits for what was kept once already: tags and metadata may have grown by being said again."""
    return replace(
        limits,
        tags=max(limits.tags, _MOST_TAGS),
        metadata_bytes=max(limits.metadata_bytes, _MOST_METADATA),
    )


class _Read(NamedTuple):
    """One line: an item with its access count, a former version, or a value."""

    item: MemoryItem | None = None
    version: MemoryItem | None = None
    value: Value | None = None
    accesses: int = 0


def _read(where: str, line: str, limits: admit.Limits, redact: Redact) -> _Read:
    record = _record(where, line)
    match record.pop("type", None):
        case "item":
            accesses = admit.whole(record.pop("accesses", 0), f"{where}: accesses", 0, 2**53)
            return _Read(item=_to_item(record, where, limits, redact), accesses=accesses)
        case "version":
            return _Read(version=_to_item(record, where, limits, redact))
        case "value":
            return _Read(value=_to_value(record, where, limits))
        case other:
            raise InvalidInput(where, f"has the unknown type {other!r}; there are item, version and value")


def _restore(batch: Sequence[_Read], *, parts: Parts, space: SpaceId, now: datetime, tell: Tell | None) -> Imported:
    items = [replace(read.item, written_by=parts.writer) for read in batch if read.item]
    versions = [replace(read.version, written_by=parts.writer) for read in batch if read.version]
    values = [read.value for read in batch if read.value]
    here = {item.id for item in parts.store.get(space, [item.id for item in items])}
    restored = Restored((), 0, 0, ())
    if items or versions:
        puts, former = ([put_of(item, derived=True) for item in some] for some in (items, versions))
        restored = parts.store.restore(space, puts, former, charge=parts.charge())
    left = {*restored.refused, *restored.unchanged}
    new = {item.id for item in items} - here - left
    if tell is not None:
        tell(item.id for item in items if item.id not in left)
    accesses = {read.item.id: read.accesses for read in batch if read.item and read.accesses and read.item.id in new}
    parts.store.count_accesses({space: accesses}, now=now, is_past=True)
    living = [value for value in values if not is_over(value.expires, now)]
    newer = [parts.store.restore_value(space, value, charge=parts.charge()) for value in living]
    return Imported(
        items=len(items) - len(left),
        versions=restored.versions,
        values=newer.count(True),
        unchanged=len(restored.unchanged) + newer.count(False),
        refused=len(restored.refused) + restored.refused_versions + newer.count(None),
    )


def _from_item(item: MemoryItem) -> wire.Record:
    told = wire.record(item)
    return {name: told[name] for name in sorted(_ITEM)}


def _to_item(record: dict[str, Any], where: str, limits: admit.Limits, redact: Redact) -> MemoryItem:
    unknown = record.keys() - _ITEM.keys()
    if unknown:
        raise InvalidInput(where, f"has unknown fields: {', '.join(sorted(unknown))}")
    try:
        told = record.keys() | _NEEDED
        fields = {name: check(record[name], limits) for name, check in _ITEM.items() if name in told}
        return hygiene.vetted(MemoryItem(**fields), redact)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error.argument}", error.problem) from error
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(where, f"is not an item: {error!r}") from error


def _from_value(value: Value) -> wire.Record:
    told = wire.record(value)
    return {name: told[name] for name in _VALUE_FIELDS}


def _to_value(record: dict[str, Any], where: str, limits: admit.Limits) -> Value:
    if record.keys() != set(_VALUE_FIELDS):
        raise InvalidInput(where, f"is not a value: its fields are {', '.join(sorted(_VALUE_FIELDS))}")
    try:
        key = admit.name(record["key"], "key", limits)
        admit.json_text(record["value"], "value", limits.value_bytes)
        times = {name: _ITEM[name](record[name], limits) for name in ("created", "updated", "expires")}
        return Value(key=key, value=record["value"], version=0, **times)
    except (InvalidInput, TypeError, ValueError) as error:
        raise InvalidInput(where, f"is not a value: {error}") from error


def _is_blank(line: object) -> bool:
    return isinstance(line, str) and not line.strip()


def _record(where: str, line: object) -> dict[str, Any]:
    if not isinstance(line, str):
        raise InvalidInput(where, f"is not a string but {type(line).__name__}")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:  # no JSON at all, or a number of thousands of digits
        raise InvalidInput(where, "is not JSON") from error
    if not isinstance(record, dict):
        raise InvalidInput(where, "is not a JSON object")
    return record


def is_header(record: object) -> bool:
    """Whether an export begins like this. Its version says how to read it; what the product was called does not."""
    return isinstance(record, Mapping) and record.get("type") == "header" and {"format", "version"} <= record.keys()


def _check_header(record: Mapping[str, Any]) -> None:
    if not is_header(record):
        raise InvalidInput("line 1", "is not the header of an export")
    if record.get("version") != VERSION:
        raise InvalidInput("line 1", f"has version {record.get('version')!r}; this release reads version {VERSION}")


def _line(record: Mapping[str, JSON]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"


def _sum(one: Imported, other: Imported) -> Imported:
    return Imported(**{field.name: getattr(one, field.name) + getattr(other, field.name) for field in fields(Imported)})

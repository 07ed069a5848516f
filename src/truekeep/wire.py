"""The model as JSON, both ways: one codec for all of it, on the wire, in an export and at the command line.

A thing is told as an object of its fields, in their order. What follows from them and is told beside them, what is
told in another order and what is not told at all stands in three small tables; the rest is read from the types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime, timedelta
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from .model import Event, FeedEvent, Job, Match, Recall, Remembered, SpaceId, Suspicion

Record = dict[str, Any]
_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., Any])
_Convert = Callable[[Any], Any]

# Where something is told that is no field, or in another order.
_TOLD: Mapping[type, tuple[str, ...]] = {
    Remembered: ("id", "outcome", "item", "superseded", "suspected", "redacted", "replayed"),
    Recall: ("matches", "lessons", "answerable", "pending", "degraded", "text"),
    Suspicion: ("id", "older", "newer"),
    Event: ("type", "seq", "id", "item"),
    FeedEvent: ("type", "space", "seq", "id", "item"),
}
_BESIDE: Mapping[type, str] = {Match: "item"}  # the fields of that one stand beside the others
_UNTOLD: Mapping[type, Record] = {Job: {"payload": {}}}  # a transcript is nobody's business once it is handed over
_LATER = frozenset(
    {
        *("suspected_by", "quarantined", "restated", "unjudged", "written_by"),
        *("report", "dry_run", "going", "revived", "multilingual"),
    }
)  # older servers do not tell them


def _once(function: _F) -> _F:
    """`cache`, under which a generic function stays one."""
    return cast(_F, cache(function))


@_once
def shape(kind: type) -> Mapping[str, Any]:
    """What is told of a thing: names and their types. Any stands for JSON."""
    types = _types(kind)
    told: dict[str, Any] = {}
    for name in _TOLD.get(kind, tuple(types)):
        if name == _BESIDE.get(kind):
            told |= shape(types[name])
        elif name not in _UNTOLD.get(kind, ()):
            told[name] = types[name] if name in types else get_type_hints(getattr(kind, name).fget)["return"]
    return told


def record(thing: Any, *, without: Set[str] = frozenset()) -> Record:
    """A thing of the model as JSON, without some of its fields."""
    return _writer(type(thing), without)(thing)


@_once
def reader(kind: type[_T]) -> Callable[[Mapping[str, Any]], _T]:
    """What makes a thing of this kind out of its record."""
    beside, untold = _BESIDE.get(kind), _UNTOLD.get(kind, {})
    types = {name: type for name, type in _types(kind).items() if name not in untold}
    needed = [name for name in types if name not in _LATER and name != beside]
    later = [name for name in types if name in _LATER]
    converts = [(name, convert) for name, type in types.items() if (convert := _read(type)) is not None]

    def read(told: Mapping[str, Any]) -> _T:
        found = {name: told[name] for name in needed}
        found |= {name: told[name] for name in later if name in told}
        if beside is not None:
            found[beside] = told
        for name, convert in converts:
            if name in found:
                found[name] = convert(found[name])
        return kind(**found, **untold)

    return read


def given(thing: Any) -> Record:
    """The fields that say something, as a request has them: not those that are as usual."""
    told = {}
    for field in fields(thing):
        value = getattr(thing, field.name)
        if value != _default(field) and value != frozenset():
            told[field.name] = value if (convert := _written(type(value))) is None else convert(value)
    return told


def _default(field: Field[Any]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _types(kind: type) -> Mapping[str, Any]:
    hints = get_type_hints(kind, localns={"JSON": Any})  # it names itself, which nobody can look into
    return {field.name: hints[field.name] for field in fields(kind)}


@_once
def _writer(kind: type, without: Set[str] = frozenset()) -> Callable[[Any], Record]:
    """One expression with every field in it, as one would write it by hand: each match of each answer passes here."""
    types, beside = _types(kind), _BESIDE.get(kind)
    within = shape(types[beside]) if beside else {}
    converts = {f"write_{name}": convert for name, type in shape(kind).items() if (convert := _written(type))}
    parts = []
    for name in [name for name in shape(kind) if name not in without]:
        value = f"thing.{beside}.{name}" if name in within else f"thing.{name}"
        if f"write_{name}" in converts:
            value = f"{value} and write_{name}({value})"  # what is empty is JSON as it is
        parts.append(f"{name!r}: {value}")
    write: Callable[[Any], Record] = eval(f"lambda thing: {{{', '.join(parts)}}}", converts)
    return write


def _written(type: Any) -> _Convert | None:
    """What makes JSON out of a value of this type; None: it is JSON as it is."""
    type = _without_none(type)
    origin: Any = get_origin(type) or type
    arguments = get_args(type)
    if origin is datetime:
        return datetime.isoformat
    if origin is timedelta:
        return timedelta.total_seconds
    if origin is SpaceId:
        return attrgetter("name")
    if origin is frozenset:
        return sorted
    if origin in (tuple, Sequence):
        inner = _written(arguments[0]) if arguments else None
        return None if inner is None else lambda several: [inner(one) for one in several]
    if _is_thing(origin):
        return _writer(origin)
    return dict if origin is Mapping else None


def _read(type: Any) -> _Convert | None:
    """The way back. The key alone says of which tenant a space is."""
    bare = _without_none(type)
    origin: Any = get_origin(bare) or bare
    arguments = get_args(bare)
    convert: _Convert | None = None
    if origin is datetime:
        convert = datetime.fromisoformat
    elif origin is SpaceId:
        convert = lambda name: SpaceId("", name)  # noqa: E731  # as the others are
    elif origin in (tuple, Sequence):
        inner = _read(arguments[0])
        convert = tuple if inner is None else lambda several: tuple([inner(one) for one in several])
    elif _is_thing(origin):
        convert = reader(origin)
    if convert is None or bare is type:
        return convert
    made = convert
    return lambda value: None if value is None else made(value)


def _is_thing(type: Any) -> bool:
    return is_dataclass(type)


def _without_none(type: Any) -> Any:
    """Of what may be None, the other kind."""
    options = [option for option in get_args(type) if option is not NoneType]
    return options[0] if len(options) == 1 and NoneType in get_args(type) else type

"""Pickles of other programs. A pickle may run any code when it is loaded; here it can only make plain data."""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from truekeep.errors import InvalidInput

_BROKEN = (
    pickle.UnpicklingError,
    *(AttributeError, EOFError, ImportError, LookupError, MemoryError, OverflowError, RecursionError),
    *(TypeError, ValueError),
)

# Classes of which a pickle may hold instances. None of them is imported: their fields end up in a `Husk`.
_KNOWN = {
    ("autogen_ext.experimental.task_centric_memory._memory_bank", "Memo"),
    *(("qdrant_client.http.models.models", name) for name in ("PointStruct", "SparseVector")),
}


class Husk:
    """What is left of an object whose class is not here: its fields, and no behaviour."""

    fields: Mapping[Any, Any] = MappingProxyType({})

    def __setstate__(self, state: object) -> None:
        if isinstance(state, dict):
            inner = state.get("__dict__")  # Pydantic keeps them one level deeper
            self.fields = inner if isinstance(inner, dict) else state


class Refused(Exception):
    """The pickle asks for something that is no plain data."""


class _PlainData(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _KNOWN:
            return Husk
        raise Refused(f"{module}.{name}")

    def persistent_load(self, pid: object) -> Any:
        raise Refused("a persistent id")


# A few bytes can stand for more than any memory holds: an object put in twice, into one that is put in twice...
_NEEDLESS = frozenset({"DUP", "POP", "POP_MARK"})
_PUTS = frozenset({"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"})
_GETS = frozenset({"GET", "BINGET", "LONG_BINGET"})
_HASHED = frozenset({"TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "FROZENSET"})  # as a key, each time as a whole
_MOST = 10_000_000  # parts of what is in it, each counted as often as it would be written out


def plain(data: bytes, what: str) -> Any:
    """What the pickle holds: dicts, lists, tuples, sets, texts, numbers and husks; nothing else is made.

    Raises:
        InvalidInput: it asks for anything else, or is damaged.
    """
    try:
        _look_through(data)
        found = _PlainData(io.BytesIO(data)).load()
        _weigh(found)
    except Refused as error:
        name = str(error)[:100]
        raise InvalidInput("path", f"{what} holds more than plain data ({name}); it is not loaded") from error
    except _BROKEN as error:
        raise InvalidInput("path", f"{what} is not the pickle that it should be") from error
    return found


def _look_through(data: bytes) -> None:
    """Refuse what would hang or flood the loading itself. Raises UnpicklingError."""
    made: dict[int, str] = {}  # by place in the memo: the opcode that made what is there
    last = ""
    for code, argument, _ in pickletools.genops(data):
        name = code.name
        place = argument if isinstance(argument, int) else len(made)
        if name in _NEEDLESS:
            raise pickle.UnpicklingError(f"has the opcode {name}")
        if name in _PUTS:
            if place > len(data):  # Python makes room for all places below it
                raise pickle.UnpicklingError("has a memo that is larger than itself")
            made[place] = last
        elif name in _GETS:
            last = made.get(place, "")
            if last in _HASHED:
                raise pickle.UnpicklingError("has a tuple in two places")
        elif name not in ("PROTO", "FRAME"):
            last = name


def _weigh(found: object) -> None:
    """Refuse what is endless, or would be when it is written out. Raises UnpicklingError."""
    weights: dict[int, int] = {}
    pending = [found]
    while pending:
        one = pending[-1]
        parts = _parts(one)
        fresh = [part for part in parts if id(part) not in weights]
        if id(one) in weights and weights[id(one)]:
            pending.pop()
        elif fresh and id(one) not in weights:
            weights[id(one)] = 0  # begun: to come back to it from within is to go round in circles
            pending += fresh
        elif any(not weights[id(part)] for part in parts):
            raise pickle.UnpicklingError("goes round in circles")
        else:
            weights[id(one)] = 1 + sum(weights[id(part)] for part in parts)
            if weights[id(one)] > _MOST:
                raise pickle.UnpicklingError("is larger than any memory")
            pending.pop()


def _parts(one: object) -> list[Any]:
    if isinstance(one, Husk):
        return [*one.fields.values()]
    if isinstance(one, dict):
        return [*one.keys(), *one.values()]
    return [*one] if isinstance(one, list | tuple | set | frozenset) else []

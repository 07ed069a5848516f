"""Pickles of other programs. A pickle may run any code when it is loaded; here it can only make plain data."""

from __future__ import annotations

import io
import pickle
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


def plain(data: bytes, what: str) -> Any:
    """What the pickle holds: dicts, lists, tuples, sets, texts, numbers and husks; nothing else is made.

    Raises:
        InvalidInput: it asks for anything else, or is damaged.
    """
    try:
        return _PlainData(io.BytesIO(data)).load()
    except Refused as error:
        name = str(error)[:100]
        raise InvalidInput("path", f"{what} holds more than plain data ({name}); it is not loaded") from error
    except _BROKEN as error:
        raise InvalidInput("path", f"{what} is not the pickle that it should be") from error

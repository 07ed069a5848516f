"""What a key without `read` is told: ids, versions, times and outcomes, never what is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import wraps
from typing import Any, cast

from truekeep.engine.runtime.local import Local
from truekeep.model import MemoryItem, Source, Value


class _Withholding:
    """An engine whose answers are emptied, whichever of its methods gives them."""

    def __init__(self, engine: Local) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        return _emptying(found) if callable(found) else found


def withholding(engine: Local) -> Local:
    return cast(Local, _Withholding(engine))


def _emptying(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def emptied(*given: Any, **named: Any) -> Any:
        return withheld(method(*given, **named))

    return emptied


def withheld(answer: Any) -> Any:
    """The answer, with every item and every value in it emptied, however deep they lie."""
    if isinstance(answer, MemoryItem):
        return replace(answer, content="", kind="fact", tags=(), metadata={}, source=Source(), key=None, reason=None)
    if isinstance(answer, Value):
        return replace(answer, value=None)
    if type(answer) in (list, tuple):
        return type(answer)([withheld(one) for one in answer])
    if not is_dataclass(answer) or isinstance(answer, type):
        return answer
    told = {field.name: getattr(answer, field.name) for field in fields(answer)}
    within = {name: value for name, value in told.items() if type(value) in (list, tuple) or is_dataclass(value)}
    return replace(answer, **{name: withheld(value) for name, value in within.items()})

"""What a key without `read` is told: ids, versions, times and outcomes, never what is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, cast

from truekeep.engine.runtime.local import Local
from truekeep.model import (
    Diff,
    Edited,
    EditedValue,
    Extraction,
    MemoryItem,
    Receipt,
    Remembered,
    Restoration,
    Source,
    Suspicion,
    Value,
)


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
    named: tuple[str, ...]
    match answer:
        case MemoryItem():
            return replace(
                answer, content="", kind="fact", tags=(), metadata={}, source=Source(), key=None, reason=None
            )
        case Remembered():
            named = ("item", "superseded", "suspected")
        case Suspicion():
            named = ("older", "newer")
        case Extraction():
            named = ("remembered",)
        case Receipt():
            named = ("going", "revived")
        case Restoration():
            named = ("undone",)
        case Diff():
            named = ("added", "superseded", "revived", "reinforced", "changed", "values")
        case Edited() | EditedValue():
            named = ("before", "after")
        case Value():
            return replace(answer, value=None)
        case list() | tuple():
            return type(answer)([withheld(one) for one in answer])
        case _:
            return answer
    return replace(answer, **{name: withheld(getattr(answer, name)) for name in named})

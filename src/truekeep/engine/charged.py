"""A store whose writes are charged against quotas, each in its own transaction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from truekeep.model import Quotas
from truekeep.ports import Charge, Store

from .parts import Clock, Parts

_CHARGED = frozenset({"apply", "restore", "edit_value", "restore_value"})
NO_QUOTAS = Quotas()


class _ChargedStore:
    """The store itself, but for the methods that write what a caller brings."""

    def __init__(self, store: Store, quotas: Quotas, clock: Clock) -> None:
        self._store = store
        self._quotas = quotas
        self._clock = clock

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in _CHARGED:
            return method
        return lambda *given, **more: method(*given, **more, charge=Charge(now=self._clock(), quotas=self._quotas))


def charged(parts: Parts, quotas: Quotas) -> Parts:
    """The same parts, with a store that counts and limits what is written."""
    if quotas == NO_QUOTAS:
        return parts
    return replace(parts, store=cast(Store, _ChargedStore(parts.store, quotas, parts.clock)))

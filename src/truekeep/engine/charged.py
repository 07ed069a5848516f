"""A store whose writes are charged against quotas, or made on behalf of a job, each in its own transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, cast

from truekeep.model import Job, Quotas
from truekeep.ports import Charge, Store

from .parts import Parts

_CHARGED = frozenset({"apply", "restore", "edit_value", "restore_value", "add_job"})
NO_QUOTAS = Quotas()


class _BoundStore:
    """The store itself, but for some methods, which are given more than the caller says."""

    def __init__(self, store: Store, methods: Collection[str], more: Callable[[], Mapping[str, object]]) -> None:
        self._store = store
        self._methods = methods
        self._more = more

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in self._methods:
            return method
        return lambda *given, **named: method(*given, **named, **self._more())


def charged(parts: Parts, quotas: Quotas) -> Parts:
    """The same parts, with a store that counts and limits what is written."""
    if quotas == NO_QUOTAS:
        return parts
    return _bound(parts, _CHARGED, lambda: {"charge": Charge(now=parts.clock(), quotas=quotas)})


def on_behalf_of(job: Job, parts: Parts) -> Parts:
    """The same parts, with a store that keeps nothing once the job was erased or taken over: it raises Withdrawn."""
    return _bound(parts, {"apply"}, lambda: {"job": job})


def _bound(parts: Parts, methods: Collection[str], more: Callable[[], Mapping[str, object]]) -> Parts:
    return replace(parts, store=cast(Store, _BoundStore(parts.store, methods, more)))

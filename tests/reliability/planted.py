"""Faults to plant, by name: each breaks one promise, so that the check of that promise can be seen to fail."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

from truekeep.engine import reconcile
from truekeep.engine.runtime.local import Local
from truekeep.errors import StoreError
from truekeep.index.cache import IndexCache
from truekeep.index.view import View
from truekeep.model import JSON, MemoryItem, SpaceId, Value
from truekeep.ports import Applied, Change, Head
from truekeep.stores.ledger import Rows, Space, applying
from truekeep.stores.ledger.cells import Kept
from truekeep.stores.sqlite import SqliteStore, connections, driver, questions, rows, store, tables
from truekeep.stores.sqlite.connections import Database
from truekeep.stores.sqlite.rows import Columns

Replacement = tuple[object, str, object]

_apply = SqliteStore.apply
_edit_value = SqliteStore.edit_value
_refreshed = IndexCache.refreshed
_restart = Database.restart
_cells_of = rows.cells_of
_take_place = reconcile._take_place


@contextmanager
def planted(fault: str | None) -> Iterator[None]:
    """Within it, the fault is there."""
    with ExitStack() as stack:
        for target, name, replacement in FAULTS[fault] if fault else ():
            stack.enter_context(patch.object(target, name, replacement))
        yield


def _kept_later(self: SqliteStore, space: SpaceId, change: Change, *, based_on: int, **_: object) -> Applied:
    def keep() -> None:
        time.sleep(0.2)
        _apply(self, space, change, based_on=self.head(space).seq)

    threading.Thread(target=keep, daemon=True).start()
    return Applied(Head(0, 0), [put.item for put in change.puts])


def _kept_one_by_one(self: SqliteStore, space: SpaceId, change: Change, *, based_on: int, **_: object) -> Applied:
    items: list[MemoryItem] = []
    for put in change.puts:
        one = Change(puts=[put], embedder=change.embedder)
        items += _apply(self, space, one, based_on=self.head(space).seq).items
        time.sleep(0.03)
    return Applied(self.head(space), items)


def _kept_or_not(self: SqliteStore, space: SpaceId, change: Change, *, based_on: int, **_: object) -> Applied:
    try:
        return _apply(self, space, change, based_on=based_on)
    except StoreError:
        return Applied(Head(0, 0), [put.item for put in change.puts])


def _edited_outside(
    self: SqliteStore,
    space: SpaceId,
    key: str,
    edit: Callable[[Value | None], JSON],
    *,
    now: datetime,
    ttl: timedelta | None,
    **_: object,
) -> Value | None:
    edited = edit(self.value(space, key, now=now))
    return _edit_value(self, space, key, lambda _: edited, now=now, ttl=ttl)


def _unguarded(rows: Rows, row: Space, change: Change, puts: object, based_on: int) -> dict[str, Kept]:
    return applying.items_of(rows, row, [put.item.id for put in change.puts])


def _first_view(self: IndexCache, space: SpaceId) -> View:
    views = self.__dict__.setdefault("planted_views", {})
    if space not in views:
        views[space] = _refreshed(self, space)
    view: View = views[space]
    return view


def _started_once(self: Database) -> None:
    if "_opening" not in self.__dict__:
        _restart(self)


def _in_clock_order(item: Any, claims: Any, *, explicit: bool, now: datetime) -> Any:
    return _take_place(item, claims, explicit=True, now=now)


def _believed(table: str, row: Columns) -> Columns:
    return row[1:-1] if table == "items" else _cells_of(table, row)


def _nothing(*_: object, **__: object) -> None:
    """In place of something that matters."""


FAULTS: dict[str, tuple[Replacement, ...]] = {
    "acknowledges before it commits": ((SqliteStore, "apply", _kept_later),),
    "commits a batch one by one": ((SqliteStore, "apply", _kept_one_by_one),),
    "hides that it could not write": ((SqliteStore, "apply", _kept_or_not),),
    "does not wait for other processes": ((connections, "patient", lambda _: lambda _: False),),
    "edits values outside the transaction": ((SqliteStore, "edit_value", _edited_outside),),
    "does not notice that the head moved": ((applying, "guarded", _unguarded),),
    "never refreshes the index": ((IndexCache, "refreshed", _first_view),),
    "believes damaged rows": (
        (questions, "cells_of", _believed),
        (tables, "cells_of", _believed),
        (tables.Tables, "see_all", _nothing),
    ),
    "leaves erased bytes in the log": (
        (driver, "wipe_if_small", lambda _: True),
        (driver, "wipe", lambda _: True),
        (store, "wipe", lambda _: True),
    ),
    "keeps jobs in memory only": ((SqliteStore, "add_job", _nothing),),
    "keeps locks over a fork": ((Database, "restart", _started_once),),
    "trusts the clock": ((reconcile, "_take_place", _in_clock_order),),
    "never closes what was dropped": ((Local, "abandon", _nothing),),
}

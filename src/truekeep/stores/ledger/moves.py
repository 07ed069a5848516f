"""Moving: handing over everything as it is, and taking it in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from truekeep.errors import Conflict
from truekeep.model import SpaceId
from truekeep.ports import Counters, Table
from truekeep.stores.tables import TABLES, in_use

from .cells import Cells, Space
from .driver import Chapter
from .rows import Rows


class StoreView:
    """The port `View`, on one state of a store."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.secret = rows.secret()
        self.is_new = not rows.spaces()

    def spaces(self) -> list[SpaceId]:
        return [one for one in self._rows.spaces() if not one.is_hidden or one == SpaceId.own(one.tenant)]

    def counters(self, space: SpaceId) -> Counters:
        row = self._rows.find(space)
        return Counters(row.head, row.floor, row.value_head)

    def counts(self, space: SpaceId) -> dict[Table, int]:
        row = self._rows.find(space)
        return {table: self._rows.count(table, row) for table in TABLES}

    def rows(self, space: SpaceId, table: Table) -> Iterator[Sequence[Cells]]:
        row = self._rows.find(space)
        last: Cells = ()
        while page := self._rows.page(table, row, after=last, limit=_page_of(table)):
            yield [cells for _, cells in page]
            last = page[-1][0]

    def access_keys(self) -> list[Cells]:
        return sorted(self._rows.entries("access_keys"), key=lambda key: str(key[0]))

    def usage(self) -> list[Cells]:
        return sorted(self._rows.entries("usage"))


class Moving(Chapter):
    """The port `Movable`."""

    @contextmanager
    def viewed(self) -> Iterator[StoreView]:
        with self._driver.viewed() as rows:
            yield StoreView(rows)

    def adopt_secret(self, secret: bytes) -> bool:
        def work(rows: Rows) -> bool:
            present = rows.secret()
            is_free = present != secret and not rows.spaces()
            if is_free:
                rows.keep_secret(secret)
            return present == secret or is_free

        is_ours = self._driver.change(None, work)
        if is_ours:
            self._driver.secret = secret
        return is_ours

    def unfinished(self, space: SpaceId) -> str | None:
        return self._driver.read(space.tenant, lambda rows: _note(rows, rows.find(space)), together=True)

    def take_in(self, space: SpaceId, table: Table, rows: Sequence[Cells], *, based_on: str | None, note: str) -> None:
        def work(target: Rows) -> None:
            row = target.find(space, make=True)
            if based_on is None:
                _begin(target, row, space)
            elif _note(target, row) != based_on:
                raise _not_ours(space)
            target.keep(table, row, rows)
            if table == "items":
                row.head = max([row.head, *(cells[1] for cells in rows)])
            target.keep("moves", row, [(note,)])

        size = sum(len(cell) for row in rows for cell in row if isinstance(cell, str | bytes))
        self._driver.write(space, work, size)

    def finish(self, space: SpaceId, counters: Counters, *, based_on: str) -> None:
        def work(rows: Rows) -> None:
            row = rows.find(space, make=True)
            if _note(rows, row) != based_on:
                raise _not_ours(space)
            row.head, row.floor, row.value_head = _after_emptying(
                Counters(row.head, row.floor, row.value_head), counters
            )
            rows.drop("moves", row, [based_on])

        self._driver.write(space, work)

    def take_in_keys(self, keys: Sequence[Cells]) -> None:
        def work(rows: Rows) -> None:
            for key in keys:
                by_id = rows.entries("access_keys", id=key[0])
                present = by_id or rows.entries("access_keys", digest=key[1])
                if not present:
                    rows.keep_key(key)
                elif present[0][:-1] != tuple(key[:-1]):
                    raise Conflict(f"the target has another access key {key[0]!r} already")
                if key[-1] is not None:
                    rows.note_key_use({key[0]: key[-1]})

        self._driver.change(None, work)

    def take_in_usage(self, usage: Sequence[Cells]) -> None:
        def work(rows: Rows) -> None:
            for tenant, subject, counter, period, count in usage:
                key = (tenant, subject, counter, period)
                missing = (count or 0) - rows.used(key, hold=True)
                if missing > 0:
                    rows.add_usage(key, missing)

        self._driver.change(None, work)


def _note(rows: Rows, row: Space) -> str | None:
    return next((note for (note,) in rows.all("moves", row)), None)


def _begin(rows: Rows, row: Space, space: SpaceId) -> None:
    if any(rows.count(table, row) for table in TABLES) or _note(rows, row) is not None:
        raise in_use(space)


def _after_emptying(present: Counters, copied: Counters) -> Counters:
    """What a space that takes in a copy counts on from. One that was emptied goes on, or whoever has its index open
    would take what is copied for what it has seen."""
    if not present.floor:
        return copied
    head = max(present.head, copied.head) + 1
    return Counters(head, head, max(present.value_head, copied.value_head))


def _not_ours(space: SpaceId) -> Conflict:
    return Conflict(
        f"the space {space.name!r} of the tenant {space.tenant!r} was changed by somebody else while it was copied"
    )


def _page_of(table: Table) -> int:
    """How many rows travel at once: values and jobs may be large."""
    return 50 if table in ("kept_values", "former_values", "jobs") else 1000

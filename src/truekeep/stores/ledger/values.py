"""Values: JSON under keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from truekeep.errors import Conflict
from truekeep.model import JSON, SpaceId, Value
from truekeep.model.items import is_over
from truekeep.ports import Answer, Charge
from truekeep.stores.tables import microseconds

from .cells import Cells, Space, answer_cells, value_cells, value_of
from .checkpoints import file_value
from .driver import Chapter
from .persons import barred
from .quotas import Bill
from .rows import Rows


class Values(Chapter):
    """The port `Values`."""

    def value(self, space: SpaceId, key: str, *, now: datetime) -> Value | None:
        found = self._driver.read(space.tenant, lambda rows: rows.of("kept_values", rows.seen(space), [key]))
        return _present(found, now)

    def keys(self, space: SpaceId, *, now: datetime) -> list[str]:
        return self._driver.read(space.tenant, lambda rows: rows.value_keys(rows.seen(space), microseconds(now)))

    def own_keys(self, begin: str) -> list[tuple[str, str]]:
        return self._driver.read(None, lambda rows: rows.own_keys(begin))

    def edit_value(
        self,
        space: SpaceId,
        key: str,
        edit: Callable[[Value | None], JSON],
        *,
        now: datetime,
        ttl: timedelta | None,
        charge: Charge | None = None,
        answer: tuple[str, str] | None = None,
    ) -> Value | None:
        def work(rows: Rows) -> Value | None:
            row = rows.find(space)
            old = rows.of("kept_values", row, [key])
            present = _present(old, now)
            if answer is not None and _is_answered(rows, row, *answer):
                return present
            made = edit(present)
            if made is None and not old and answer is None:
                return None  # nothing to delete: an unused space stays unused
            is_known, row = row.is_there, rows.find(space, make=True)
            if not is_known:
                return work(rows)  # another process may have made the space meanwhile: look again
            bill = Bill(rows, row, charge)
            bill.admit(int(made is not None))
            new = None
            if made is not None:
                new = _keep(rows, row, edited(present, key, made, now=now, ttl=ttl), old)
            elif old:
                row.value_head += 1
                file_value(rows, row, key, old)
                rows.drop("kept_values", row, [key])
            if answer is not None:
                noted = answer_cells(answer[0], Answer(answer[1], "", "added", ()), microseconds(now))
                rows.keep("answers", row, [noted])
            bill.settle()
            return new

        return self._driver.write(space, work)

    def restore_value(self, space: SpaceId, value: Value, *, charge: Charge | None = None) -> bool | None:
        def work(rows: Rows) -> bool | None:
            row = rows.find(space, make=True)
            begins = [f"{value.key[:end]}*" for end in range(1, len(value.key) + 1)]
            bars = barred(rows, self._driver.secret, row.tenant, "value", [value.key, *begins])
            if microseconds(value.updated) <= max(bars.values(), default=-1):
                return None
            old = rows.of("kept_values", row, [value.key])
            if any(not _is_older(value_of(cells), value) for cells in old):
                return False
            bill = Bill(rows, row, charge)
            bill.admit(1)
            _keep(rows, row, value, old)
            bill.settle()
            return True

        return self._driver.write(space, work)


def _present(found: Sequence[Cells], now: datetime) -> Value | None:
    """The value that was found, unless it is over."""
    value = value_of(found[0]) if found else None
    return None if value is None or is_over(value.expires, now) else value


def _is_older(here: Value, value: Value) -> bool:
    return is_over(here.expires, value.updated) or here.updated < value.updated


def _is_answered(rows: Rows, row: Space, key: str, request: str) -> bool:
    """Whether the same was asked before under this idempotency key."""
    answers = rows.of("answers", row, [key])
    if any(cells[1] != request for cells in answers):
        raise Conflict(f"idempotency_key {key!r} was used for another memory")
    return bool(answers)


def _keep(rows: Rows, row: Space, value: Value, old: Sequence[Cells]) -> Value:
    """Keep it under the next version, in place of the old one; the value as it is now kept."""
    row.value_head += 1
    file_value(rows, row, value.key, old)
    cells = value_cells(value, row.value_head)
    rows.keep("kept_values", row, [cells], old)
    return value_of(cells)


def edited(present: Value | None, key: str, value: JSON, *, now: datetime, ttl: timedelta | None) -> Value:
    """What takes the place of a value. Without `ttl` one that stays keeps its end; timedelta.max clears it."""
    if ttl is None:
        expires = None if present is None else present.expires
    else:
        expires = None if ttl == timedelta.max else now + ttl
    created = now if present is None else present.created
    return Value(key=key, value=value, version=0, created=created, updated=now, expires=expires)

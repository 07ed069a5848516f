"""Values: JSON under keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import apsw

from truekeep.errors import Conflict
from truekeep.model import JSON, SpaceId, Value
from truekeep.ports import Answer, Charge
from truekeep.stores.records import edited, is_over, value_fields, value_from

from .applying import keep_answer
from .charging import bill_for
from .looking import ANSWER
from .part import Part
from .rows import Columns, microseconds, query, sealed, verified
from .spaces import Space
from .wiping import wipe_is_due

COLUMNS = "space, key, value, version, created, updated, expires, checksum"
VALUE = f"SELECT {COLUMNS} FROM kept_values WHERE space = ?"
KEYS = "SELECT key FROM kept_values WHERE space = ? AND (expires IS NULL OR expires > ?)"


class ValueRows(Part):
    """The port `Values`."""

    def value(self, space: SpaceId, key: str, *, now: datetime) -> Value | None:
        def fetch(connection: apsw.Connection) -> Value | None:
            row = self._spaces.find(connection, space)
            return None if row is None else self._present(connection, row, key, now)[0]

        return self._database.read_together(fetch)

    def keys(self, space: SpaceId, *, now: datetime) -> list[str]:
        def fetch(connection: apsw.Connection) -> list[Columns]:
            row = self._spaces.find(connection, space)
            if row is None:
                return []
            self._spaces.count(connection, row, "kept_values", any_number=True)
            return query(connection, KEYS, (row.id, microseconds(now)))

        return sorted(key for (key,) in self._database.read_together(fetch))

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
        def work(connection: apsw.Connection) -> Value | None:
            row = self._spaces.find(connection, space)
            present, old = (None, None) if row is None else self._present(connection, row, key, now)
            if row is not None and answer is not None and _is_answered(connection, row, *answer):
                return present
            made = edit(present)
            if made is None and old is None and answer is None:
                return None  # nothing to delete: an unused space stays unused
            row = self._spaces.open(connection, space)
            new = None
            if made is not None:
                new = edited(present, key, made, now=now, ttl=ttl)
            with self._billed(connection, row, charge, writes=int(new is not None)):
                _remove(connection, row, old)
                if answer is not None:
                    keep_answer(connection, row, answer[0], Answer(answer[1], "", "added", ()), microseconds(now))
                return None if new is None else _keep(connection, row, new)

        return self._database.write(work)

    def restore_value(self, space: SpaceId, value: Value, *, charge: Charge | None = None) -> bool:
        def work(connection: apsw.Connection) -> bool:
            row = self._spaces.open(connection, space)
            present, old = self._present(connection, row, value.key, value.updated)
            if present is not None and present.updated >= value.updated:
                return False
            with self._billed(connection, row, charge, writes=1):
                _remove(connection, row, old)
                _keep(connection, row, value)
            return True

        return self._database.write(work)

    @contextmanager
    def _billed(self, connection: apsw.Connection, row: Space, charge: Charge | None, *, writes: int) -> Iterator[None]:
        """Admit what is written within, save the row of the space, and settle."""
        bill = bill_for(connection, row, charge)
        bill.admit(writes)
        yield
        self._spaces.save(connection, row)
        bill.settle()

    def _present(
        self, connection: apsw.Connection, row: Space, key: str, now: datetime
    ) -> tuple[Value | None, Columns | None]:
        """The value, and the row that is there even when the value is over."""
        found = query(connection, f"{VALUE} AND key = ?", (row.id, key))
        if not found:
            self._spaces.count(connection, row, "kept_values")
            return None, None
        value = _value(found[0])
        return (None if is_over(value, now) else value), found[0]


def _is_answered(connection: apsw.Connection, row: Space, key: str, request: str) -> bool:
    """Whether the same was asked before under this idempotency key."""
    for columns in query(connection, ANSWER, (row.id, key)):
        if verified("answers", columns, "answer")[2] != request:
            raise Conflict(f"idempotency_key {key!r} was used for another memory")
        return True
    return False


def _remove(connection: apsw.Connection, row: Space, old: Columns | None) -> None:
    if old is not None:
        connection.execute("DELETE FROM kept_values WHERE space = ? AND key = ?", (row.id, old[1]))
        row.tally("kept_values", removed=old[-1])
        wipe_is_due(connection)


def _keep(connection: apsw.Connection, row: Space, value: Value) -> Value:
    """Keep it under the next version; the value as it is now kept."""
    row.value_head += 1
    columns = sealed("kept_values", row.id, *value_fields(value, row.value_head))
    connection.execute(f"INSERT INTO kept_values ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", columns)
    row.tally("kept_values", added=columns[-1])
    return _value(columns)


def _value(columns: Columns) -> Value:
    return value_from(*verified("kept_values", columns, columns[1])[1:-1])

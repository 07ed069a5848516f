"""Values: JSON under keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import apsw

from recollect.errors import Conflict
from recollect.model import JSON, SpaceId, Value
from recollect.ports import Answer, Charge

from .applying import keep_answer
from .charging import Bill
from .looking import ANSWER
from .part import Part
from .rows import Columns, microseconds, moment, query, sealed, to_json, verified
from .spaces import Space

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
            edited = edit(present)
            if edited is None and old is None and answer is None:
                return None  # nothing to delete: an unused space stays unused
            row = row or self._spaces.open(connection, space)
            new = None
            if edited is not None:
                created, expires = (now if present is None else present.created), _expiry(present, now, ttl)
                new = Value(key=key, value=edited, version=0, created=created, updated=now, expires=expires)
            with self._billed(connection, row, charge, writes=int(new is not None)):
                _remove(connection, row, old)
                if answer is not None:
                    keep_answer(connection, row, answer[0], Answer(answer[1], "", "added", ()), microseconds(now))
                return None if new is None else _keep(connection, row, new)

        return self._database.write(work)

    def restore_value(self, space: SpaceId, value: Value, *, charge: Charge | None = None) -> None:
        def work(connection: apsw.Connection) -> None:
            row = self._spaces.open(connection, space)
            _, old = self._present(connection, row, value.key, value.updated)
            with self._billed(connection, row, charge, writes=1):
                _remove(connection, row, old)
                _keep(connection, row, value)

        self._database.write(work)

    @contextmanager
    def _billed(self, connection: apsw.Connection, row: Space, charge: Charge | None, *, writes: int) -> Iterator[None]:
        """Admit what is written within, save the row of the space, and settle."""
        bill = Bill(connection, row, charge)
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
        return (None if _is_over(value, now) else value), found[0]


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


def _keep(connection: apsw.Connection, row: Space, value: Value) -> Value:
    """Keep it under the next version; the value as it is now kept."""
    row.value_head += 1
    columns = sealed(
        "kept_values",
        row.id,
        value.key,
        to_json(value.value),
        row.value_head,
        microseconds(value.created),
        microseconds(value.updated),
        None if value.expires is None else microseconds(value.expires),
    )
    connection.execute(f"INSERT INTO kept_values ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", columns)
    row.tally("kept_values", added=columns[-1])
    return _value(columns)


def _value(columns: Columns) -> Value:
    _, key, value, version, created, updated, expires, _ = verified("kept_values", columns, columns[1])
    return Value(
        key=key,
        value=json.loads(value),
        version=version,
        created=moment(created),
        updated=moment(updated),
        expires=None if expires is None else moment(expires),
    )


def _is_over(value: Value, now: datetime) -> bool:
    return value.expires is not None and value.expires <= now


def _expiry(present: Value | None, now: datetime, ttl: timedelta | None) -> datetime | None:
    if ttl is None:
        return None if present is None else present.expires
    return None if ttl == timedelta.max else now + ttl

"""Values: JSON under keys."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from truekeep.errors import Conflict
from truekeep.model import JSON, SpaceId, Value
from truekeep.ports import Answer, Charge
from truekeep.stores.records import edited, is_over, microseconds, value_fields, value_from

from .applying import keep_answer
from .charging import bill_for
from .looking import answers_of
from .part import Part
from .session import Columns, Session
from .spaces import Space, Writing

COLUMNS = "key, value, version, created, updated, expires"
VALUE = f"SELECT {COLUMNS} FROM kept_values WHERE space_id = %s AND key = %s"
KEYS = "SELECT key FROM kept_values WHERE space_id = %s AND (expires IS NULL OR expires > %s) ORDER BY key"
KEEP = f"""INSERT INTO kept_values (tenant, space_id, {COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (space_id, key) DO UPDATE SET ({COLUMNS}) =
    (excluded.key, excluded.value, excluded.version, excluded.created, excluded.updated, excluded.expires)"""


class ValueRows(Part):
    """The port `Values`."""

    def value(self, space: SpaceId, key: str, *, now: datetime) -> Value | None:
        def fetch(session: Session) -> list[Columns]:
            return session.query(VALUE, (self._number(session, space), key))

        rows = self._database.read(space.tenant, fetch)
        value = value_from(*rows[0]) if rows else None
        return None if value is None or is_over(value, now) else value

    def keys(self, space: SpaceId, *, now: datetime) -> list[str]:
        def fetch(session: Session) -> list[str]:
            sought = (self._number(session, space), microseconds(now))
            return [key for (key,) in session.query(KEYS, sought)]

        return self._database.read(space.tenant, fetch)

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
        def work(writing: Writing) -> Value | None:
            session, row = writing.session, writing.find()
            old = None if row is None else _row(session, row, key)
            present = None if old is None or is_over(value_from(*old), now) else value_from(*old)
            if row is not None and answer is not None and _is_answered(session, row, *answer):
                return present
            made = edit(present)
            if made is None and old is None and answer is None:
                return None  # nothing to delete: an unused space stays unused
            is_unknown, row = row is None, writing.open()
            if is_unknown and not writing.is_new:
                return work(writing)  # another process made the space meanwhile: look again
            bill = bill_for(session, row, charge)
            bill.admit(int(made is not None))
            new = None
            if made is None:
                _remove(session, row, old)
            else:
                new = _keep(session, row, edited(present, key, made, now=now, ttl=ttl), old)
            if answer is not None:
                keep_answer(session, row, answer[0], Answer(answer[1], "", "added", ()), microseconds(now))
            bill.settle()
            return new

        return self._database.write(space, work)

    def restore_value(self, space: SpaceId, value: Value, *, charge: Charge | None = None) -> bool:
        def work(writing: Writing) -> bool:
            session, row = writing.session, writing.open()
            old = _row(session, row, value.key)
            if old is not None and not _is_older(value_from(*old), value):
                return False
            bill = bill_for(session, row, charge)
            bill.admit(1)
            _keep(session, row, value, old)
            bill.settle()
            return True

        return self._database.write(space, work)


def _is_older(here: Value, value: Value) -> bool:
    return is_over(here, value.updated) or here.updated < value.updated


def _row(session: Session, row: Space, key: str) -> Columns | None:
    """The row that is there even when the value is over."""
    rows = session.query(VALUE, (row.id, key))
    return rows[0] if rows else None


def _is_answered(session: Session, row: Space, key: str, request: str) -> bool:
    """Whether the same was asked before under this idempotency key."""
    answered = answers_of(session, row, [key]).get(key)
    if answered is not None and answered.request != request:
        raise Conflict(f"idempotency_key {key!r} was used for another memory")
    return answered is not None


def _remove(session: Session, row: Space, old: Columns | None) -> None:
    if old is not None:
        session.change_later("DELETE FROM kept_values WHERE space_id = %s AND key = %s", (row.id, old[0]))
        row.kept_values -= 1
        row.bytes -= len(old[1].encode())


def _keep(session: Session, row: Space, value: Value, old: Columns | None) -> Value:
    """Keep it under the next version, in place of the old one; the value as it is now kept."""
    row.value_head += 1
    columns = value_fields(value, row.value_head)
    session.change_later(KEEP, (row.tenant, row.id, *columns))
    row.kept_values += old is None
    row.bytes += len(columns[1].encode()) - (0 if old is None else len(old[1].encode()))
    return value_from(*columns)

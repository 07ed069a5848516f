"""Moving: handing over everything as it is, and taking it in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from truekeep.errors import Conflict
from truekeep.model import SpaceId
from truekeep.ports import Cells, Counters, Table
from truekeep.stores.ledger.space import Space
from truekeep.stores.records import HIDDEN
from truekeep.stores.tables import COLUMNS, KEY, ORDER, TABLES, USAGE, after_emptying, in_use, not_ours, page_of

from .part import Part
from .session import Session
from .spaces import Writing, find

# What came first: numbers of our own.
OWN_ORDER = {"versions": ("filed",), "jobs": ("added",)}
# As what columns travel, where that is no text; and how they are read and written, where that is not as they are.
NUMBERS = frozenset(
    {"seq", "version", "created", "updated", '"when"', "until", "retired", "expires", "repeatable", "at", "count"}
    | {"last", "last_used", "attempts", "lease", "not_before"}
)
BYTES = frozenset({"fingerprint", "data", "digest"})
READ = {
    "repeatable": "repeatable::int",
    "superseded": "array_to_json(superseded)::text",
    "days": "replace(replace(days::text, ': ', ':'), ', ', ',')",  # as SQLite writes them
}
WRITTEN = {
    "repeatable": "n.repeatable <> 0",
    "days": "n.days::jsonb",
    "superseded": "ARRAY(SELECT json_array_elements_text(n.superseded::json))",
    **{name: f"n.{name}::json" for name in ("body", "payload", "result", "value")},
}
NOTE = "SELECT note FROM moves WHERE space_id = %s"
KEEP_NOTE = """INSERT INTO moves (tenant, space_id, note) VALUES (%s, %s, %s)
    ON CONFLICT (space_id) DO UPDATE SET note = excluded.note"""
KEYS = f"SELECT {', '.join(KEY)} FROM access_keys"
ADD_KEY = f"INSERT INTO access_keys ({', '.join(KEY)}) VALUES ({', '.join(['%s'] * len(KEY))})"
ADD_USAGE = f"""INSERT INTO usage AS u ({", ".join(USAGE)}) VALUES ({", ".join(["%s"] * len(USAGE))})
    ON CONFLICT (tenant, subject, counter, period) DO UPDATE SET count = greatest(u.count, excluded.count)"""


class DatabaseView:
    """The port `View`, on one state of the database."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.secret: bytes = session.query("SELECT secret FROM meta")[0][0]
        self.is_new = not session.query("SELECT 1 FROM spaces LIMIT 1")

    def spaces(self) -> list[SpaceId]:
        rows = self._session.query("SELECT tenant, name FROM spaces ORDER BY tenant, name")
        return [SpaceId(tenant, name) for tenant, name in rows if not name.startswith(HIDDEN)]

    def counters(self, space: SpaceId) -> Counters:
        row = find(self._session, space)
        return Counters(0, 0, 0) if row is None else Counters(row.head, row.floor, row.value_head)

    def counts(self, space: SpaceId) -> dict[Table, int]:
        row = find(self._session, space)
        return {table: 0 if row is None else _count(self._session, row, table) for table in TABLES}

    def rows(self, space: SpaceId, table: Table) -> Iterator[Sequence[Cells]]:
        row = find(self._session, space)
        if row is None:
            return
        order = ORDER[table] or OWN_ORDER[table]
        beyond = f"AND ({', '.join(order)}) > ({', '.join(['%s'] * len(order))})"
        named = ", ".join((*order, *(READ.get(name, name) for name in COLUMNS[table])))
        known = "AND id <> ''" if order == ("seq",) else ""  # without it, the index by seq is not for us
        last: tuple[Any, ...] = ()
        while found := self._session.query(
            f"SELECT {named} FROM {table} WHERE space_id = %s {known} {beyond if last else ''} "
            f"ORDER BY {', '.join(order)} LIMIT {page_of(table)}",
            (row.id, *last),
            binary=True,
        ):
            yield [columns[len(order) :] for columns in found]
            last = found[-1][: len(order)]

    def access_keys(self) -> list[Cells]:
        return self._session.query(f"{KEYS} ORDER BY id")

    def usage(self) -> list[Cells]:
        statement = f"SELECT {', '.join(USAGE)} FROM usage WHERE count > 0 ORDER BY {', '.join(USAGE[:-1])}"
        return self._session.query(statement)


class Moving(Part):
    """The port `Movable`."""

    @contextmanager
    def viewed(self) -> Iterator[DatabaseView]:
        with self._database.view() as session:
            yield DatabaseView(session)

    def adopt_secret(self, secret: bytes) -> bool:
        def work(session: Session) -> bool:
            present = session.query("SELECT secret FROM meta FOR UPDATE")[0][0]
            is_free = present != secret and not session.query("SELECT 1 FROM spaces LIMIT 1")
            if is_free:
                session.change("UPDATE meta SET secret = %s", (secret,))
            return present == secret or is_free

        is_ours = self._database.change(None, work)
        if is_ours:
            self._database.secret = secret
        return is_ours

    def unfinished(self, space: SpaceId) -> str | None:
        def fetch(session: Session) -> str | None:
            row = find(session, space)
            return None if row is None else _note(session, row)

        return self._database.read_together(space.tenant, fetch)

    def take_in(self, space: SpaceId, table: Table, rows: Sequence[Cells], *, based_on: str | None, note: str) -> None:
        def work(writing: Writing) -> None:
            session, row = writing.session, writing.open()
            if based_on is None:
                _begin(session, row, space)
            elif _note(session, row) != based_on:
                raise not_ours(space)
            _add(session, row, table, rows)
            session.change_later(KEEP_NOTE, (row.tenant, row.id, note))

        size = sum(len(cell) for row in rows for cell in row if isinstance(cell, str | bytes))
        self._database.write(space, work, size)

    def finish(self, space: SpaceId, counters: Counters, *, based_on: str) -> None:
        def work(writing: Writing) -> None:
            session, row = writing.session, writing.open()
            if _note(session, row) != based_on:
                raise not_ours(space)
            row.head, row.floor, row.value_head = after_emptying(
                Counters(row.head, row.floor, row.value_head), counters
            )
            session.change_later("DELETE FROM moves WHERE space_id = %s", (row.id,))

        self._database.write(space, work)

    def take_in_keys(self, keys: Sequence[Cells]) -> None:
        def work(session: Session) -> None:
            for key in keys:
                present = session.query(f"{KEYS} WHERE id = %s OR digest = %s", key[:2])
                if not present:
                    session.change(ADD_KEY, key)
                elif [row[:-1] for row in present] != [key[:-1]]:
                    raise Conflict(f"the target has another access key {key[0]!r} already")
                session.change(
                    "UPDATE access_keys SET last_used = greatest(last_used, %s) WHERE id = %s", (key[-1], key[0])
                )

        self._database.change(None, work)

    def take_in_usage(self, usage: Sequence[Cells]) -> None:
        def work(session: Session) -> None:
            session.query("SELECT 1")  # the first statement of a transaction cannot be made later
            for row in usage:
                session.change_later(ADD_USAGE, row)

        self._database.change(None, work)


def _count(session: Session, row: Space, table: Table) -> int:
    if table == "items":
        return row.counts["items"]
    return int(session.query(f"SELECT count(*) FROM {table} WHERE space_id = %s", (row.id,))[0][0])


def _note(session: Session, row: Space) -> str | None:
    rows = session.query(NOTE, (row.id,))
    return rows[0][0] if rows else None


def _begin(session: Session, row: Space, space: SpaceId) -> None:
    if any(_count(session, row, table) for table in TABLES) or _note(session, row) is not None:
        raise in_use(space)


def _add(session: Session, row: Space, table: Table, rows: Sequence[Cells]) -> None:
    if not rows:
        return
    names = COLUMNS[table]
    columns = [list(column) for column in zip(*rows, strict=True)]
    if table == "versions":
        names = (*names, "filed")
        columns.append(list(range(row.counts["filed"] + 1, row.counts["filed"] + len(rows) + 1)))
        row.counts["filed"] += len(rows)
    session.change_later(_insert(table, names), (row.tenant, row.id, *columns))
    _count_in(row, table, dict(zip(names, columns, strict=True)))


def _insert(table: Table, names: Sequence[str]) -> str:
    arrays = ", ".join(_array(name) for name in names)
    values = ", ".join(WRITTEN.get(name, f"n.{name}") for name in names)
    return f"""INSERT INTO {table} (tenant, space_id, {", ".join(names)}) SELECT %s, %s, {values}
        FROM unnest({arrays}) WITH ORDINALITY AS n ({", ".join(names)}, place) ORDER BY n.place"""


def _array(name: str) -> str:
    if name in BYTES:
        return "%b::bytea[]"
    return "%s::bigint[]" if name in NUMBERS or name == "filed" else "%s::text[]"


def _count_in(row: Space, table: Table, columns: dict[str, list[Any]]) -> None:
    """What the space knows of its rows without reading them."""
    count = len(next(iter(columns.values())))
    match table:
        case "items":
            row.counts["items"] += count
            row.head = max(row.head, *columns["seq"])
        case "tombstones":
            row.counts["tombstones"] += count
        case "kept_values":
            row.counts["kept_values"] += count
    for name in ("content", "body", "value"):
        row.counts["bytes"] += sum(len(text.encode()) for text in columns.get(name, ()))

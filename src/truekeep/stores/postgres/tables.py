"""The tables of the database: any number of rows in one statement, counted in the row of their space."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from truekeep.model import SpaceId
from truekeep.stores.ledger.cells import Cells, Name, Place, Space, unused
from truekeep.stores.ledger.rows import ALL
from truekeep.stores.sql import SqlRows
from truekeep.stores.tables import COLUMNS, NAME, ORDER, SIZE, Held, hidden_name

if TYPE_CHECKING:
    from .session import Session

COUNTERS = ("head", "floor", "value_head", "filed", "items", "tombstones", "kept_values", "bytes")
SPACE = f"id, tenant, name, {', '.join(COUNTERS)}"
FIND = f"SELECT {SPACE} FROM spaces WHERE tenant = %s AND name = ANY(%s)"
ADD = f"INSERT INTO spaces (tenant, name) VALUES (%s, %s) ON CONFLICT (tenant, name) DO NOTHING RETURNING {SPACE}"
RENAME = "UPDATE spaces SET name = %s WHERE tenant = %s AND id = %s"
NUMBER = "SELECT id FROM spaces WHERE tenant = %s AND name = %s"
KEPT_NUMBERS = 10_000
# As what columns travel, where that is no text; and how they are read and written, where that is not as they are.
NUMBERS = frozenset(
    {"seq", "version", "created", "updated", '"when"', "until", "retired", "expires", "repeatable", "at", "count"}
    | {"last", "last_used", "attempts", "lease", "not_before", "filed"}
    | {"value_head", "forgotten", "ended"}
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
PRIMARY: dict[str, tuple[str, ...]] = {  # where it is not the name
    "vectors": ("id", "embedder"),
    "former_values": ("key", "ended"),
    "moves": (),
}
COUNTED = frozenset({"items", "tombstones", "kept_values"})  # in the row of the space
OWN_ORDER = {"versions": ("filed",), "jobs": ("added",)}  # what came first: numbers of our own


def space_of(row: Cells) -> Space:
    """What a row (SPACE) tells."""
    return Space(*row[:6], counts=dict(zip(COUNTERS[3:], row[6:], strict=True)))


def sought(session: Session, space: SpaceId) -> tuple[str, list[str]]:
    """By its name, or by that which it has once it was erased."""
    return space.tenant, [space.name, hidden_name(session.secret, space)]


class Numbers:
    """The numbers that stand for spaces in all tables. They never change, so that a row is not read again for one.

    The server can leave out all partitions but one before it plans only when it is told a number. Not for a
    transaction that makes spaces: another number counts if it is rolled back.
    """

    def __init__(self) -> None:
        self._known: dict[SpaceId, Space] = {}

    def find(self, session: Session, space: SpaceId) -> Space:
        known = self._known.get(space)
        if known is None:
            for (number,) in session.query(NUMBER, space):
                if len(self._known) > KEPT_NUMBERS:
                    self._known.clear()
                known = self._known[space] = space_of((number, *space, *(0 for _ in COUNTERS)))
        return known or unused(space)


class Tables(SqlRows):
    """Implements `ledger.Rows` in a transaction."""

    column = "space_id"
    came = "added"
    counted = COUNTED
    given = "unnest(?::text[]) AS given (value)"
    space_of = staticmethod(space_of)
    indexed = ""
    among = "= ANY(?)"
    in_doubt = "(body -> 'suspected_by') IS NOT NULL"
    nothing = "'{}'"

    def __init__(self, session: Session, numbers: Numbers) -> None:
        super().__init__()
        self.session = session
        self._numbers = numbers

    def ask(self, statement: str, *values: Any) -> list[Cells]:
        return self.session.query(statement.replace("?", "%s"), values)

    def many(self, names: Collection[str]) -> list[str]:
        return list(names)

    def told(self, table: Held, rest: str, *values: Any) -> list[Cells]:
        return self.ask(f"{select(table)} {rest}", *values)

    def change(self, statement: str, *values: Any) -> None:
        self.session.change_later(statement.replace("?", "%s"), values)

    def row(self, space: SpaceId) -> Cells | None:
        return next(iter(self._looked_up(space)), None)

    def _looked_up(self, space: SpaceId) -> list[Cells]:
        lock = "FOR UPDATE" if self.session.is_writing else ""
        return self.session.query(f"{FIND} {lock}", sought(self.session, space))

    def seen(self, space: SpaceId) -> Space:
        return self._numbers.find(self.session, space)

    def _made(self, space: SpaceId) -> Space:
        made = self.session.change_returning(ADD, space)  # waits for another who makes it just now
        return space_of((made or self._looked_up(space))[0])

    def rename(self, space: Space, name: str) -> None:
        space.name = name
        self.session.change_later(RENAME, (name, space.tenant, space.id))

    def of(self, table: Held, space: Space, names: Collection[Name]) -> list[Cells]:
        if order := self.ordered(table):
            return self.told(table, f"WHERE space_id = ? AND id = ANY(?) {order}", space.id, list(names))
        return self.session.query(several(table), (list(names), space.id))

    def ordered(self, table: Held) -> str:
        """Whoever claims or finishes a job does not hold the row of its space."""
        if table == "jobs":
            return f"ORDER BY added {'FOR UPDATE' if self.session.is_writing else ''}"
        return "ORDER BY version, seq, filed" if table == "versions" else ""

    def keep(self, table: Held, space: Space, rows: Sequence[Cells], old: Sequence[Cells] = ()) -> None:
        if not rows:
            return
        columns = [list(column) for column in zip(*rows, strict=True)]
        if table == "versions":
            columns.append(list(range(space.counts["filed"] + 1, space.counts["filed"] + len(rows) + 1)))
            space.counts["filed"] += len(rows)
        self.session.change_later(_upsert(table), (space.tenant, space.id, *columns))
        _count(space, table, len(rows) - len(old), _bytes(table, rows) - _bytes(table, old))

    def drop(self, table: Held, space: Space, names: Collection[Name]) -> None:
        statement = f"DELETE FROM {table} WHERE space_id = %s AND {NAME[table]} = ANY(%s)"
        if table in COUNTED or table in SIZE:
            gone = self.session.change_returning(f"{statement} RETURNING {SIZE.get(table, 0)}", (space.id, list(names)))
            _count(space, table, -len(gone), -sum(size for (size,) in gone))
        else:
            self.session.change_later(statement, (space.id, list(names)))

    def page(self, table: Held, space: Space, *, after: Place, limit: int) -> list[tuple[Place, Cells]]:
        rows = self.session.query(page_of(table, bool(after)), (space.id, *after, limit))
        width = len(ORDER[table] or OWN_ORDER[table])
        return [(row[:width], row[width:]) for row in rows]


def _bytes(table: Held, rows: Sequence[Cells]) -> int:
    texts = [at for at, name in enumerate(COLUMNS[table]) if name in ("content", "body", "value")]
    return sum(len((row[at] or "").encode()) for row in rows for at in texts)


def _count(space: Space, table: Held, rows: int, size: int) -> None:
    """What the row of the space knows of its rows."""
    space.counts["bytes"] += size
    if table in COUNTED:
        space.counts[table] += rows


@cache
def select(table: Held) -> str:
    return f"SELECT {_cells(table)} FROM {table}"


def _cells(table: Held) -> str:
    return ", ".join(READ.get(name, name) for name in COLUMNS[table])


@cache
def several(table: Held) -> str:
    """Row by row through the primary key. Told `id = ANY(...)`, and without statistics, as in a database that was
    filled a minute ago, the server may rather walk through the whole space. The LIMIT keeps it from turning this into
    the same."""
    further = PRIMARY.get(table, ())[1:]  # several rows have this name: as many as there are, in the order of the key
    one = f"ORDER BY {', '.join(further)} LIMIT {ALL}" if further else "LIMIT 1"
    kind = "bytea" if NAME[table] in BYTES else "text"
    return f"""SELECT r.* FROM unnest(%s::{kind}[]) AS sought (name) CROSS JOIN LATERAL (
        {select(table)} WHERE space_id = %s AND {table}.{NAME[table]} = sought.name {one}) AS r"""


@cache
def page_of(table: Held, is_beyond: bool) -> str:
    order = ORDER[table] or OWN_ORDER[table]
    place = ", ".join(order)
    beyond = f"AND ({place}) > ({', '.join(['%s'] * len(order))})" if is_beyond else ""
    known = "AND id <> ''" if order == ("seq",) else ""  # without it, the index by seq is not for us
    where = f"WHERE space_id = %s {known} {beyond} ORDER BY {place} LIMIT %s"
    return f"SELECT {place}, {_cells(table)} FROM {table} {where}"


@cache
def _upsert(table: Held) -> str:
    """One statement for any number of rows, as arrays of columns. COPY would be faster still, but the server refuses
    it to whoever stands behind row-level security."""
    names = (*COLUMNS[table], "filed") if table == "versions" else COLUMNS[table]
    arrays = ", ".join(_array(name) for name in names)
    values = ", ".join(WRITTEN.get(name, f"n.{name}") for name in names)
    there = ", ".join(("space_id", *PRIMARY.get(table, (NAME[table],))))
    renewed = ", ".join(f"excluded.{name}" for name in names)
    instead = f"ON CONFLICT ({there}) DO UPDATE SET ({', '.join(names)}) = ROW ({renewed})"
    return f"""INSERT INTO {table} (tenant, space_id, {", ".join(names)}) SELECT %s, %s, {values}
        FROM unnest({arrays}) WITH ORDINALITY AS n ({", ".join(names)}, place) ORDER BY n.place
        {"" if table == "versions" else instead}"""


def _array(name: str) -> str:
    if name in BYTES:
        return "%b::bytea[]"
    return "%s::bigint[]" if name in NUMBERS else "%s::text[]"

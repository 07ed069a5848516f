"""Rows that every database is asked for in the same words. What needs an index or a checksum of its own is a driver's.

A mark `?` stands for a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar

from truekeep.model import OWN, SpaceId
from truekeep.ports import Table

from .ledger import Space
from .ledger.cells import Cells, Name, UsageKey, unused
from .ledger.rows import ALL, Naming, Values
from .ledger.upkeep import AT_ONCE
from .tables import AUDIT, NAME, OF_SPACE, USAGE, Book, Held

LISTED = f"name <> '{OWN}'"  # not the tenant's own
HOLDING = "items > 0 OR kept_values > 0 OR EXISTS (SELECT 1 FROM jobs WHERE jobs.{} = spaces.id)"  # anything
# A subquery of one value is turned into no join: items are looked up one by one, no more of them than need be. Without
# `id <> ''` the index by seq is not for us in PostgreSQL.
ERASED = """WHERE {0} = ? AND seq > ? AND id <> ''
    AND (SELECT 1 FROM items WHERE items.{0} = ? AND items.id = markers.id LIMIT 1) IS NULL ORDER BY seq LIMIT ?"""
MADE = "WHERE {} = ? AND embedder = ? AND id {}"  # vectors, by whom
OPEN = "state IN ('waiting', 'running')"
FREE = f"WHERE {OPEN} AND CASE state WHEN 'waiting' THEN not_before ELSE lease END <= ?"
OF_TENANT = f"IN (SELECT id FROM spaces WHERE tenant = ? AND {LISTED})"
OVER: dict[Table, str] = {  # when a row is
    "items": "r.expires",
    "kept_values": "r.expires",
    "answers": "r.at",
    "markers": "r.at",
    "jobs": "r.state IN ('done', 'failed') AND r.updated",
}
BEGINS: dict[Book, str] = {"usage": "period", "audit": "at"}  # the column of its time
# What of the audit is asked for, in words of `a`, a row.
_SOUGHT = {
    **{name: f"a.{name} = ?" for name in ("key", "request", "verb", "space")},
    "item": "a.number = i.entry AND i.item = ?",
    "since": "a.at >= ?",
    "until": "a.at < ?",
}
# Where an id may be told, but for markers.
_TOLD = {
    "items": ("id", "superseded_by"),
    **dict.fromkeys(("versions", "vectors", "accesses", "answers"), ("id",)),
}


class SqlRows(ABC):
    """Those methods of `ledger.Rows` that are the same in every SQL."""

    column: ClassVar[str]  # that says whose row it is
    came: ClassVar[str]  # the column by which rows are in the order in which they came
    counted: ClassVar[Collection[str]]  # tables whose rows are counted in the row of their space
    saving: ClassVar[str]  # the column of a piece that says to which saving it belongs
    piece: ClassVar[str]  # and the one by which the pieces are in order
    audited: ClassVar[Collection[str]] = ("number", *AUDIT)
    ids_of: ClassVar[str]  # the ids of an entry `a` of the audit, as rows `j` with a value
    space_of: Callable[[Cells], Space]  # what a `row` tells
    given: ClassVar[str]  # the names that `many` tells, as rows `given` with a value
    indexed: ClassVar[str]  # how a statement says by which index it is to be answered, where it must
    among: ClassVar[str]  # that the text before it is one of many, told by `many`
    in_doubt: ClassVar[str]  # that an item or a version is suspected by others
    nothing: ClassVar[str]  # an empty list of ids, as answers keep it

    def __init__(self) -> None:
        self._held: dict[SpaceId, tuple[Space, Cells]] = {}  # with the counters that they came with

    @abstractmethod
    def row(self, space: SpaceId) -> Cells | None:
        """What is kept of it; None if it never held anything. One that was erased has a hidden name."""

    @abstractmethod
    def _made(self, space: SpaceId) -> Space:
        """One that was not there."""

    @abstractmethod
    def rename(self, space: Space, name: str) -> None: ...

    @abstractmethod
    def ask(self, statement: str, *values: Any) -> list[Cells]:
        """All rows that it tells."""

    @abstractmethod
    def change(self, statement: str, *values: Any) -> None:
        """Write."""

    @abstractmethod
    def ordered(self, table: Held) -> str:
        """How the rows of a name come in order, and that nobody else takes them, where that is said of a table."""

    @abstractmethod
    def many(self, names: Collection[str]) -> Any:
        """The value for the mark in `among`."""

    @abstractmethod
    def told(self, table: Held, rest: str, *values: Any) -> list[Cells]:
        """The rows of a table; the `rest` of the statement says which."""

    @abstractmethod
    def jobs(self, which: str, *values: Any, order: str, limit: int) -> list[tuple[SpaceId, Cells]]:
        """The first jobs in an order. In a write, of those that nobody else has taken."""

    @abstractmethod
    def listed(self, book: Book, rest: str, *values: Any) -> list[Cells]:
        """The rows of a book; the `rest` of the statement says which."""

    @abstractmethod
    def names(self, rest: str, *values: Any) -> list[SpaceId]:
        """The names of the spaces that the `rest` of the statement says."""

    @abstractmethod
    def all_spaces(self, rest: str, *values: Any) -> list[Space]:
        """The spaces that the `rest` of the statement says."""

    def find(self, space: SpaceId, *, make: bool = False) -> Space:
        held = self._held.get(space)
        if held is None:
            columns = self.row(space)
            row = unused(space) if columns is None else self.space_of(columns)
            self._held[space] = held = (row, row.counters())
        row = held[0]
        if make and not row.is_there:
            row = self._made(space)
            self._held[space] = (row, row.counters())
        if make and row.name != space.name:
            self.rename(row, space.name)
        return row

    def number(self, statement: str, *values: str | int) -> int:
        """The one number that it tells; 0 for none."""
        rows = self.ask(statement, *values)
        return int(rows[0][0] or 0) if rows else 0

    def count(self, table: Table, space: Space) -> int:
        if table in self.counted:
            return space.counts[table]
        return self.number(f"SELECT count(*) FROM {table} WHERE {self.column} = ?", space.id)

    def all(self, table: Held, space: Space) -> list[Cells]:
        return self.told(table, f"WHERE {self.column} = ? {self.ordered(table)}", space.id)

    def old(self, table: Table, at: int, *, limit: int, space: Space | None = None) -> list[tuple[SpaceId, Name, int]]:
        of = "" if space is None else f"AND r.{self.column} = {space.id}"
        told = f"s.tenant, s.name, r.{NAME[table]}, {'r.seq' if table == 'markers' else '0'}"
        statement = f"SELECT {told} {self._rows(table)} WHERE {OVER[table]} <= ? {of} LIMIT ?"
        return [(SpaceId(tenant, name), named, seq) for tenant, name, named, seq in self.ask(statement, at, limit)]

    def _rows(self, table: str) -> str:
        return f"FROM {table} AS r JOIN spaces AS s ON s.id = r.{self.column}"

    def empty(self, space: Space) -> list[str]:
        ids = self.ask(f"SELECT id FROM items WHERE {self.column} = ? ORDER BY seq", space.id)
        for table in OF_SPACE:
            self.clear(table, space)
        space.counts.update(dict.fromkeys(space.counts.keys() - {"filed"}, 0))  # no number is given to two versions
        return [id for (id,) in ids]

    def superseded(self, space: Space, ids: Collection[str], *, limit: int = ALL) -> list[Cells]:
        order = 'ORDER BY "when" DESC, created DESC, seq DESC LIMIT ?'
        return self._naming("items", space, f"superseded_by {self.among} {order}", self.many(ids), limit)

    def naming(self, table: Naming, space: Space, ids: Collection[str]) -> list[Cells]:
        sought = self.many(ids)
        match table:
            case "items":
                return [*self.superseded(space, ids), *self._naming("items", space, self.in_doubt)]
            case "versions":
                which = f"(superseded_by IS NOT NULL OR {self.in_doubt})"  # so says an index
                return self._naming(
                    table, space, f"{which} AND (superseded_by {self.among} OR {self.in_doubt})", sought
                )
            case "answers":
                about = self._naming(table, space, f"id {self.among}", sought, by="answers_by_id")
                others = f"superseded <> {self.nothing}"
                return about + self._naming(table, space, others, by="answers_naming_others")

    def _naming(self, table: Naming, space: Space, where: str, *values: Any, by: str = "") -> list[Cells]:
        index = self.indexed.format(by) if by else ""
        return self.told(table, f"{index} WHERE {self.column} = ? AND {where}", space.id, *values)

    def remaining(self, space: Space, ids: Sequence[str]) -> int:
        told = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table} WHERE {table}.{self.column} = {space.id} AND {table}.{name} = given.value)"
            for table, names in _TOLD.items()
            for name in names
        )
        return self.number(f"SELECT count(*) FROM {self.given} WHERE {told}", self.many(ids))

    def erased(self, space: Space, after: int, *, limit: int = ALL) -> list[Cells]:
        return self.told("markers", ERASED.format(self.column), space.id, after, space.id, limit)

    def vectors(self, space: Space, ids: Collection[str], embedder: str) -> list[Cells]:
        return self.told("vectors", MADE.format(self.column, self.among), space.id, embedder, self.many(ids))

    def have_vectors(self, space: Space, ids: Collection[str], embedder: str) -> set[str]:
        statement = f"SELECT id FROM vectors {MADE.format(self.column, self.among)}"
        return {id for (id,) in self.ask(statement, space.id, embedder, self.many(ids))}

    def payloads(self, space: Space) -> int:
        size = "sum(octet_length(CAST(payload AS text)))"
        return self.number(f"SELECT {size} FROM jobs WHERE {self.column} = ?", space.id)

    def value_keys(self, space: Space, at: int) -> list[str]:
        present = f"{self.column} = ? AND (expires IS NULL OR expires > ?)"
        return [key for (key,) in self.ask(f"SELECT key FROM kept_values WHERE {present} ORDER BY key", space.id, at)]

    def own_keys(self, begin: str) -> list[tuple[str, str]]:
        where = "s.name = ? AND r.key >= ? AND r.key < ?"
        told = f"SELECT s.tenant, r.key {self._rows('kept_values')} WHERE {where} ORDER BY s.tenant, r.key"
        return [(tenant, key) for tenant, key in self.ask(told, OWN, begin, begin[:-1] + chr(ord(begin[-1]) + 1))]

    def jobs_by_state(self) -> dict[str, int]:
        return {state: count for state, count in self.ask("SELECT state, count(*) FROM jobs GROUP BY state")}

    def open_jobs(self, *, space: Space | None = None, tenant: str | None = None) -> int:
        count = f"SELECT count(*) FROM jobs WHERE {OPEN}"
        if space is not None:
            return self.number(f"{count} AND {self.column} = ?", space.id)
        return self.number(count) if tenant is None else self.number(f"{count} AND {self.column} {OF_TENANT}", tenant)

    def free_job(self, at: int) -> tuple[SpaceId, Cells] | None:
        return next(iter(self.jobs(FREE, at, order=f"created, {self.came}", limit=1)), None)

    def jobs_of(self, tenant: str, *, id: str | None = None, limit: int) -> list[tuple[SpaceId, Cells]]:
        theirs, order = f"{self.column} {OF_TENANT}", f"created DESC, {self.came} DESC"
        if id is None:
            return self.jobs(f"WHERE {theirs}", tenant, order=order, limit=limit)
        named = f"{self.indexed.format('jobs_by_id')} WHERE {theirs} AND id = ?"
        return self.jobs(named, tenant, id, order=order, limit=limit)

    def spaces(self, tenant: str | None = None) -> list[SpaceId]:
        of = "" if tenant is None else "WHERE tenant = ?"
        return self.names(f"{of} ORDER BY tenant, name", *(() if tenant is None else (tenant,)))

    def holding(self, tenant: str, *, after: str, limit: int) -> list[Space]:
        which = f"WHERE tenant = ? AND name > ? AND {LISTED} AND ({HOLDING.format(self.column)})"
        return self.all_spaces(f"{which} ORDER BY name LIMIT ?", tenant, after, limit)

    def pieces(self, space: Space, saving: int) -> list[bytes]:
        told = f"SELECT data FROM pieces {self._of_saving} ORDER BY {self.piece}"
        return [data for (data,) in self.ask(told, space.id, saving)]

    def drop_piece(self, space: Space, saving: int) -> bool:
        [(first,)] = self.ask(f"SELECT min({self.piece}) FROM pieces {self._of_saving}", space.id, saving)
        if first is not None:
            self.change(f"DELETE FROM pieces {self._of_saving} AND {self.piece} = ?", space.id, saving, first)
        return first is not None

    @property
    def _of_saving(self) -> str:
        return f"WHERE {self.column} = ? AND {self.saving} = ?"

    def clear(self, table: str, space: Space | None = None) -> None:
        if space is None:
            self.change(f"DELETE FROM {table}")
        else:
            self.change(f"DELETE FROM {table} WHERE {self.column} = ?", space.id)

    def entries(self, book: Book, **sought: Values) -> list[Cells]:
        given = {name: value for name, value in sought.items() if value is not None}
        are = [
            f"{name} = ?" if isinstance(value, str | bytes) else f"{name} {self.among}" for name, value in given.items()
        ]
        where = " AND ".join([*are, "count > 0"] if book == "usage" else are) or "true"
        values = [value if isinstance(value, str | bytes) else self.many(value) for value in given.values()]
        order = f"ORDER BY created, {self.came}" if book == "access_keys" else ""
        return self.listed(book, f"WHERE {where} {order}", *values)

    def strike(self, book: Book, **sought: str) -> None:
        where = " AND ".join(f"{name} = ?" for name in sought)
        for table in ("audit_items", book) if book == "audit" else (book,):
            self.change(f"DELETE FROM {table} WHERE {where}", *sought.values())

    def has_before(self, book: Book, before: str | int) -> bool:
        return bool(self.ask(f"SELECT 1 FROM {book} WHERE {BEGINS[book]} < ? LIMIT 1", before))

    def strike_before(self, book: Book, before: str | int) -> None:
        key = "number" if book == "audit" else ", ".join(USAGE[:-1])
        gone = f"SELECT {key} FROM {book} WHERE {BEGINS[book]} < ? ORDER BY {BEGINS[book]} LIMIT {AT_ONCE}"
        if book == "usage":
            self.change(f"DELETE FROM usage WHERE ({key}) IN ({gone})", before)
            return
        numbers = ", ".join(str(number) for (number,) in self.ask(gone, before)) or "-1"
        named = (
            f"SELECT a.tenant, j.value, a.number FROM audit AS a CROSS JOIN {self.ids_of} WHERE number IN ({numbers})"
        )
        self.change(f"DELETE FROM audit_items WHERE (tenant, item, entry) IN ({named})")
        self.change(f"DELETE FROM audit WHERE number IN ({numbers})")

    def used(self, key: UsageKey, *, hold: bool = False) -> int:
        rows = self.entries("usage", **dict(zip(USAGE, key, strict=False)))
        return int(rows[0][4]) if rows else 0

    def audit(
        self, tenant: str, sought: Mapping[str, str | int], *, before: tuple[int, int] | None, limit: int
    ) -> list[Cells]:
        # In this order: the entries of an item are few, those of a tenant many.
        tables = ["audit_items AS i", "audit AS a"] if "item" in sought else ["audit AS a"]
        where = [*(f"{table[-1]}.tenant = ?" for table in tables), *(_SOUGHT[name] for name in sought)]
        where += ["(a.at, a.number) < (?, ?)"] if before else []
        told = ", ".join(f"a.{name}" for name in self.audited)
        return self.ask(
            f"SELECT {told}, s.name FROM {' CROSS JOIN '.join(tables)} LEFT JOIN spaces AS s ON s.id = a.space "
            f"WHERE {' AND '.join(where)} ORDER BY a.at DESC, a.number DESC LIMIT ?",
            *(*(tenant for _ in tables), *sought.values(), *(before or ()), limit),
        )

    def tenants(self) -> list[str]:
        holding = f"SELECT tenant FROM spaces WHERE {HOLDING.format(self.column)}"
        return [tenant for (tenant,) in self.ask(f"SELECT tenant FROM access_keys UNION {holding}")]

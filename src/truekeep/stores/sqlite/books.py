"""The books beside the items: values and jobs, all spaces and copies into them, snapshots, usage, access keys."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import apsw

from truekeep.errors import DamagedStore
from truekeep.model import SpaceId
from truekeep.stores.ledger.cells import Cells, Manifest, Space, UsageKey
from truekeep.stores.ledger.rows import Values
from truekeep.stores.tables import AUDIT, KEY, USAGE, Book, to_json

from .rows import (
    LOW,
    Columns,
    cells_of,
    checksum,
    count_spaces,
    keep_meta,
    meta,
    named,
    query,
    sealed,
    space_of,
    verified,
)
from .tables import SELECT, Tables

SNAPSHOT = "SELECT space, name, seq, manifest, checksum FROM snapshots WHERE space = ? AND name = ?"
SAVED = """SELECT DISTINCT s.tenant, s.name, p.started FROM pieces AS p JOIN spaces AS s ON s.id = p.space"""
USAGE_COLUMNS = ", ".join((*USAGE, "checksum"))
KEY_COLUMNS = ", ".join((*KEY[:-1], "checksum"))
KEYS = f"SELECT {KEY_COLUMNS}, (SELECT last FROM key_uses WHERE key_uses.id = access_keys.id) FROM access_keys"
KEY_MARKS = ", ".join("?" * len(KEY))
COUNT_KEYS = f"SELECT count(*), coalesce(sum(checksum & {LOW}), 0) FROM access_keys"
NOTE_USE = """INSERT INTO key_uses SELECT id, ? FROM access_keys WHERE id = ?
    ON CONFLICT (id) DO UPDATE SET last = max(last, excluded.last)"""
AUDIT_COLUMNS = ("number", *AUDIT, "checksum")
ADD_AUDIT = f"INSERT INTO audit VALUES ({', '.join('?' * len(AUDIT_COLUMNS))})"
# In their order: into a table of millions, one by one would touch a page each.
ADD_AUDITED = """INSERT INTO audit_items
    SELECT a.tenant, j.value, a.number FROM audit AS a CROSS JOIN json_each(a.ids) AS j WHERE a.number >= ?
    ORDER BY 1, 2, 3"""


class BookTables(Tables):
    """Those methods of `ledger.Rows` that are about anything but items.

    A key that is missing is missed: they are tallied, too.
    """

    saving = "started"
    piece = "id"
    audited = AUDIT_COLUMNS
    ids_of = "json_each(a.ids) AS j"

    def size_of(self, space: Space) -> int:
        return self.number("SELECT bytes FROM sizes WHERE space = ?", space.id)

    def memories(self, space: Space) -> int:
        return self.number("SELECT sum(items) FROM spaces WHERE tenant = ?", space.tenant)

    def value_keys(self, space: Space, at: int) -> list[str]:
        self.miss("kept_values", space, any_number=True)
        return super().value_keys(space, at)

    def jobs(self, which: str, *values: Any, order: str, limit: int) -> list[tuple[SpaceId, Cells]]:
        rows = self.ask(f"SELECT {named('jobs')} FROM jobs {which} ORDER BY {order} LIMIT ?", *values, limit)
        spaces = [self.by_id(columns[0]) for columns in rows]
        return [
            (SpaceId(space.tenant, space.name), cells_of("jobs", columns))
            for space, columns in zip(spaces, rows, strict=True)
        ]

    def all_spaces(self, rest: str, *values: Any) -> list[Space]:
        count_spaces(self.connection)
        return [space_of(self.verified(SpaceId(*row[1:3]), row)) for row in self.ask(f"{SELECT} {rest}", *values)]

    def secret(self) -> bytes:
        return meta(self.connection).secret

    def keep_secret(self, secret: bytes) -> None:
        keep_meta(self.connection, meta(self.connection)._replace(secret=secret))

    def snapshot(self, space: Space, name: str) -> tuple[int, int, Manifest] | None:
        for row in query(self.connection, SNAPSHOT, (space.id, name)):
            if checksum("snapshots", row[:-1]) == row[-1] and "saving" in (kept := json.loads(row[3])):
                return row[2], kept["saving"], kept["parts"]
        return None

    def keep_snapshot(self, space: Space, name: str, seq: int, saving: int, manifest: Manifest) -> None:
        row = sealed("snapshots", space.id, name, seq, to_json({"saving": saving, "parts": dict(manifest)}))
        self.connection.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)", row)

    def add_piece(self, space: Space, saving: int, number: int, data: bytes) -> None:
        self.connection.execute("INSERT INTO pieces (space, started, data) VALUES (?, ?, ?)", (space.id, saving, data))

    def leftovers(self) -> list[tuple[SpaceId, int]]:
        named = {json.loads(text).get("saving") for (text,) in query(self.connection, "SELECT manifest FROM snapshots")}
        saved = query(self.connection, SAVED)
        return [(SpaceId(tenant, name), saving) for tenant, name, saving in saved if saving not in named]

    def add_usage(self, key: UsageKey, count: int) -> None:
        total = self.used(key) + count
        if total > 0:
            row = sealed("usage", *key, total)
            self.connection.execute("INSERT OR REPLACE INTO usage VALUES (?, ?, ?, ?, ?, ?)", row)
        else:
            self.strike("usage", **dict(zip(USAGE, key, strict=False)))

    def entries(self, book: Book, **sought: Values) -> list[Cells]:
        if book == "access_keys" and sought.keys().isdisjoint(("id", "digest")):
            self.together(lambda: count_keys(self.connection))
        found = super().entries(book, **sought)
        if book == "access_keys" and not found:
            self.once(book, count_keys)
        return found

    def listed(self, book: Book, rest: str, *values: Any) -> list[Cells]:
        if book == "usage":
            rows = self.ask(f"SELECT {USAGE_COLUMNS} FROM usage {rest}", *values)
            return [verified(book, row, row[1])[:-1] for row in rows]
        rows = self.ask(f"{KEYS} {rest}", *values)
        return [(*verified(book, row[:-1], row[0])[:-1], row[-1]) for row in rows]

    def keep_key(self, key: Cells, old: Cells | None = None) -> bool:
        taken = "SELECT 1 FROM access_keys WHERE (id = ? OR digest = ?) AND id <> ?"
        if self.ask(taken, *key[:2], "" if old is None else old[0]):
            return False
        new = sealed("access_keys", *key[:-1])
        if old is None:
            self.change(f"INSERT INTO access_keys ({KEY_COLUMNS}) VALUES ({KEY_MARKS})", *new)
            _tally(self.connection, added=new[-1])
        else:
            self.change(f"UPDATE access_keys SET ({KEY_COLUMNS}) = ({KEY_MARKS}) WHERE id = ?", *new, old[0])
            _tally(self.connection, added=new[-1], removed=sealed("access_keys", *old[:-1])[-1])
        return True

    def drop_key(self, key: Cells) -> bool:
        for table in ("access_keys", "key_uses"):
            self.connection.execute(f"DELETE FROM {table} WHERE id = ?", key[:1])
        _tally(self.connection, removed=sealed("access_keys", *key[:-1])[-1])
        return True

    def has_keys(self) -> bool:
        """By the tally: who lost all keys to damage must not be taken for one who never had any."""
        return bool(_tallied(self.connection)[1])

    def note_key_use(self, times: Mapping[str, int]) -> None:
        self.connection.executemany(NOTE_USE, [(time, id) for id, time in times.items()]).fetchall()

    def add_audit(self, entries: Sequence[Cells]) -> None:
        first = self.number("SELECT max(number) FROM audit") + 1
        rows = [sealed("audit", number, *cells) for number, cells in enumerate(entries, first)]
        self.connection.executemany(ADD_AUDIT, rows).fetchall()
        self.change(ADD_AUDITED, first)

    def audit(
        self, tenant: str, sought: Mapping[str, str | int], *, before: tuple[int, int] | None, limit: int
    ) -> list[Cells]:
        found = super().audit(tenant, sought, before=before, limit=limit)
        return [(*verified("audit", row[:-1], row[0])[:-1], row[-1]) for row in found]


def count_keys(connection: apsw.Connection) -> None:
    """See that no key vanished. Call it in a transaction."""
    if not is_key_tally_right(connection):
        raise DamagedStore("access keys are missing or damaged; restore a backup")


def is_key_tally_right(connection: apsw.Connection) -> bool:
    _, keys, total, _ = _tallied(connection)
    return query(connection, COUNT_KEYS) == [(keys, total)]


def recount_keys(connection: apsw.Connection) -> None:
    """Inside a write."""
    _keep_tally(connection, *query(connection, COUNT_KEYS)[0])


def _tallied(connection: apsw.Connection) -> Columns:
    rows = query(connection, "SELECT one, keys, keys_sum, checksum FROM key_tally")
    if len(rows) != 1:
        raise DamagedStore("the row that counts the access keys is missing; restore a backup")
    return verified("key_tally", rows[0], "key_tally")


def _tally(connection: apsw.Connection, added: int | None = None, removed: int | None = None) -> None:
    _, keys, total, _ = _tallied(connection)
    keys += (added is not None) - (removed is not None)
    total += (0 if added is None else added & LOW) - (0 if removed is None else removed & LOW)
    _keep_tally(connection, keys, total)


def _keep_tally(connection: apsw.Connection, keys: int, total: int) -> None:
    connection.execute(
        "UPDATE key_tally SET one = ?, keys = ?, keys_sum = ?, checksum = ?", sealed("key_tally", 1, keys, total)
    )

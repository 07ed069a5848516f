"""Usage and access keys, which belong to no space. A key that is missing is missed: they are tallied, too."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import apsw

from truekeep.errors import DamagedStore
from truekeep.stores.tables import KEY as KEY_CELLS
from truekeep.stores.tables import USAGE, to_json

from .rows import Columns, query, sealed, verified
from .spaces import LOW
from .tables import Tables

AT_ONCE = 2000  # rows that one transaction of tidying removes
COLUMNS = ", ".join((*USAGE, "checksum"))
OF_KEY = "tenant = ? AND subject = ? AND counter = ? AND period = ?"
OF = "subject = ? AND counter = ? AND period = ?"
USED = f"""SELECT {COLUMNS} FROM usage WHERE tenant = coalesce(?1, tenant)
    AND (?2 IS NULL OR period IN (SELECT value FROM json_each(?2)))"""
KEY_COLUMNS = ", ".join((*KEY_CELLS[:-1], "checksum"))
KEY = f"SELECT {KEY_COLUMNS}, (SELECT last FROM key_uses WHERE key_uses.id = access_keys.id) FROM access_keys"
MARKS = ", ".join("?" * len(KEY_CELLS))
COUNT = f"SELECT count(*), coalesce(sum(checksum & {LOW}), 0) FROM access_keys"
NOTE_USE = """INSERT INTO key_uses SELECT id, ? FROM access_keys WHERE id = ?
    ON CONFLICT (id) DO UPDATE SET last = max(last, excluded.last)"""
TENANTS = """SELECT tenant FROM access_keys
    UNION SELECT tenant FROM spaces WHERE items > 0 OR kept_values > 0 OR jobs > 0"""


class UsageTables(Tables):
    """Those methods of `ledger.Rows` that are about usage and access keys."""

    def used(self, key: tuple[str, str, str, str], *, hold: bool = False) -> int:
        rows = query(self.connection, f"SELECT {COLUMNS} FROM usage WHERE {OF_KEY}", key)
        return int(verified("usage", rows[0], key[1])[4]) if rows else 0

    def add_usage(self, key: tuple[str, str, str, str], count: int) -> None:
        total = self.used(key) + count
        if total > 0:
            row = sealed("usage", *key, total)
            self.connection.execute("INSERT OR REPLACE INTO usage VALUES (?, ?, ?, ?, ?, ?)", row)
        else:
            self.connection.execute(f"DELETE FROM usage WHERE {OF_KEY}", key)

    def usage(self, tenant: str | None, periods: Collection[str] | None) -> list[Columns]:
        sought = None if periods is None else to_json(list(periods))
        rows = query(self.connection, USED, (tenant, sought))
        return [verified("usage", row, row[1])[:-1] for row in rows]

    def was_used(self, of: tuple[str, str, str]) -> bool:
        return bool(query(self.connection, f"SELECT 1 FROM usage WHERE {OF} LIMIT 1", of))

    def drop_usage(self, *, subject: str, tenant: str | None = None) -> None:
        self.connection.execute(
            "DELETE FROM usage WHERE subject = ?1 AND tenant = coalesce(?2, tenant)", (subject, tenant)
        )

    def has_usage_before(self, period: str) -> bool:
        return bool(query(self.connection, "SELECT 1 FROM usage WHERE period < ? LIMIT 1", (period,)))

    def drop_usage_before(self, period: str) -> None:
        gone = query(
            self.connection, f"SELECT {', '.join(USAGE[:-1])} FROM usage WHERE period < ? LIMIT {AT_ONCE}", (period,)
        )
        self.connection.executemany(f"DELETE FROM usage WHERE {OF_KEY}", gone).fetchall()

    def access_keys(self, tenant: str | None, *, id: str | None = None, digest: bytes | None = None) -> list[Columns]:
        if id is None and digest is None:
            self.together(lambda: count_keys(self.connection))
        given = {"tenant": tenant, "id": id, "digest": digest}
        sought = {name: value for name, value in given.items() if value is not None}
        where = " AND ".join(f"{name} = ?" for name in sought) or "true"
        found = query(self.connection, f"{KEY} WHERE {where} ORDER BY created, row", tuple(sought.values()))
        if not found:
            self._spaces.once("access_keys", lambda: self.together(lambda: count_keys(self.connection)))
        return [key_cells(row) for row in found]

    def add_key(self, key: Columns) -> bool:
        if query(self.connection, "SELECT 1 FROM access_keys WHERE id = ? OR digest = ?", key[:2]):
            return False
        new = sealed("access_keys", *key[:-1])
        self.connection.execute(f"INSERT INTO access_keys ({KEY_COLUMNS}) VALUES ({MARKS})", new)
        _tally(self.connection, added=new[-1])
        return True

    def rotate_key(self, key: Columns, digest: bytes) -> bool:
        if query(self.connection, "SELECT 1 FROM access_keys WHERE digest = ?", (digest,)):
            return False
        old, new = sealed("access_keys", *key[:-1]), sealed("access_keys", key[0], digest, *key[2:-1])
        self.connection.execute(f"UPDATE access_keys SET ({KEY_COLUMNS}) = ({MARKS}) WHERE id = ?", (*new, key[0]))
        _tally(self.connection, added=new[-1], removed=old[-1])
        return True

    def drop_key(self, key: Columns) -> bool:
        for table in ("access_keys", "key_uses"):
            self.connection.execute(f"DELETE FROM {table} WHERE id = ?", key[:1])
        _tally(self.connection, removed=sealed("access_keys", *key[:-1])[-1])
        return True

    def has_keys(self) -> bool:
        """By the tally: who lost all keys to damage must not be taken for one who never had any."""
        return bool(_tallied(self.connection)[1])

    def note_key_use(self, times: Mapping[str, int]) -> None:
        self.connection.executemany(NOTE_USE, [(time, id) for id, time in times.items()]).fetchall()

    def tenants(self) -> list[str]:
        return [tenant for (tenant,) in query(self.connection, TENANTS)]


def key_cells(row: Columns) -> Columns:
    """What is kept of a key, and when it was last used."""
    return (*verified("access_keys", row[:-1], row[0])[:-1], row[-1])


def count_keys(connection: apsw.Connection) -> None:
    """See that no key vanished. Call it in a transaction."""
    if not is_key_tally_right(connection):
        raise DamagedStore("access keys are missing or damaged; restore a backup")


def is_key_tally_right(connection: apsw.Connection) -> bool:
    _, keys, total, _ = _tallied(connection)
    return query(connection, COUNT) == [(keys, total)]


def recount_keys(connection: apsw.Connection) -> None:
    """Inside a write."""
    _keep_tally(connection, *query(connection, COUNT)[0])


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

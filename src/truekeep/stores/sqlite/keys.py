"""Access keys: who may do what, and when each was last used."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import apsw

from truekeep.errors import Conflict, DamagedStore
from truekeep.model import AccessKey
from truekeep.stores.records import HIDDEN, REVOKED, key_fields, key_from

from .part import Part
from .rows import Columns, microseconds, query, sealed, verified
from .spaces import LOW
from .usage import add_usage

COLUMNS = "id, digest, tenant, name, body, created, expires, checksum"
INSERT = f"INSERT INTO access_keys ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
KEY = f"SELECT {COLUMNS}, (SELECT last FROM key_uses WHERE key_uses.id = access_keys.id) FROM access_keys"
TAKEN = "SELECT 1 FROM access_keys WHERE digest = ? OR id = ?"
COUNT = f"SELECT count(*), coalesce(sum(checksum & {LOW}), 0) FROM access_keys"
USED = """INSERT INTO key_uses SELECT id, ? FROM access_keys WHERE id = ?
    ON CONFLICT (id) DO UPDATE SET last = max(last, excluded.last)"""
OF_REVOKED = "subject = ? AND counter = ? AND period = ?"
WAS_CLOSED = f"SELECT 1 FROM usage WHERE {OF_REVOKED} LIMIT 1"
TENANTS = """SELECT tenant FROM access_keys
    UNION SELECT tenant FROM spaces WHERE items > 0 OR kept_values > 0 OR jobs > 0"""


class KeyRows(Part):
    """The port `Keys`."""

    def add_access_key(self, key: AccessKey, digest: bytes) -> None:
        columns = _columns(key, digest)

        def work(connection: apsw.Connection) -> None:
            if query(connection, TAKEN, (digest, key.id)):
                raise Conflict(f"there is a key {key.id!r} already, or one with the same secret")
            insert_key(connection, columns)

        self._database.write(work)

    def access_key(self, digest: bytes) -> AccessKey | None:
        def fetch(connection: apsw.Connection) -> AccessKey | None:
            found = query(connection, f"{KEY} WHERE digest = ?", (digest,))
            if not found:
                self._spaces.once("access_keys", lambda: count_keys(connection))
                return None
            return _key(found[0])

        return self._database.read_together(fetch)

    def access_keys(self, tenant: str | None) -> list[AccessKey]:
        def fetch(connection: apsw.Connection) -> list[AccessKey]:
            count_keys(connection)
            found = query(connection, f"{KEY} WHERE ?1 IS NULL OR tenant = ?1 ORDER BY created, row", (tenant,))
            return [_key(columns) for columns in found]

        return self._database.read_together(fetch)

    def rotate_access_key(self, tenant: str | None, id: str, digest: bytes) -> AccessKey | None:
        def work(connection: apsw.Connection) -> AccessKey | None:
            old = _find(connection, tenant, id)
            if old is None:
                return None
            if query(connection, TAKEN, (digest, None)):
                raise Conflict("there is a key with the same secret already")
            key = _key(old)
            new = sealed("access_keys", *_columns(key, digest))
            connection.execute(
                f"UPDATE access_keys SET ({COLUMNS}) = (?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?", (*new, id)
            )
            _tally(connection, added=new[-1], removed=old[-2])
            return key

        return self._database.write(work)

    def remove_access_key(self, tenant: str | None, id: str) -> bool:
        def work(connection: apsw.Connection) -> bool:
            old = _find(connection, tenant, id)
            if old is None:
                return False
            connection.execute("DELETE FROM access_keys WHERE id = ?", (id,))
            connection.execute("DELETE FROM key_uses WHERE id = ?", (id,))
            _tally(connection, removed=old[-2])
            add_usage(connection, (old[2], *REVOKED), 1)
            return True

        return self._database.write(work)

    def has_access_keys(self) -> bool:
        """By the tally: who lost all keys to damage must not be taken for one who never had any."""
        return self._database.read(lambda connection: bool(_tallied(connection)[1]))

    def is_closed(self) -> bool:
        def fetch(connection: apsw.Connection) -> bool:
            return bool(_tallied(connection)[1] or query(connection, WAS_CLOSED, REVOKED))

        return self._database.read(fetch)

    def open_again(self) -> None:
        def work(connection: apsw.Connection) -> None:
            if _tallied(connection)[1]:
                raise Conflict("there are access keys; revoke them first")
            connection.execute(f"DELETE FROM usage WHERE {OF_REVOKED}", REVOKED)

        self._database.write(work)

    def note_key_use(self, used: Mapping[str, datetime]) -> None:
        times = [(microseconds(time), id) for id, time in used.items()]
        if times:
            self._database.write(lambda connection: connection.executemany(USED, times).fetchall())

    def tenants(self) -> list[str]:
        rows = self._database.read(lambda connection: query(connection, TENANTS))
        return sorted(tenant for (tenant,) in rows if not tenant.startswith(HIDDEN))


def insert_key(connection: apsw.Connection, columns: Columns) -> None:
    """Inside a write. All columns but the checksum."""
    new = sealed("access_keys", *columns)
    connection.execute(INSERT, new)
    _tally(connection, added=new[-1])


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


def _find(connection: apsw.Connection, tenant: str | None, id: str) -> Columns | None:
    found = query(connection, f"{KEY} WHERE id = ?1 AND (?2 IS NULL OR tenant = ?2)", (id, tenant))
    return found[0] if found else None


def _columns(key: AccessKey, digest: bytes) -> Columns:
    """All columns of a key but the checksum."""
    return (key.id, digest, key.tenant, *key_fields(key))


def _key(row: Columns) -> AccessKey:
    *columns, last = row
    id, _, tenant, name, body, created, expires, _ = verified("access_keys", tuple(columns), columns[0])
    return key_from(id, tenant, name, body, created, expires, last)

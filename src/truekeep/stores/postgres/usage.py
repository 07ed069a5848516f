"""Usage and access keys, which belong to no space."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from psycopg.errors import UniqueViolation

from truekeep.stores.tables import KEY, USAGE

from .session import Columns
from .tables import Tables

OF_KEY = "tenant = %s AND subject = %s AND counter = %s AND period = %s"
OF = "subject = %s AND counter = %s AND period = %s"
ADD = """INSERT INTO usage AS u (tenant, subject, counter, period, count) VALUES (%s, %s, %s, %s, greatest(%s, 0))
    ON CONFLICT (tenant, subject, counter, period) DO UPDATE SET count = greatest(u.count + %s, 0)"""
# Changes nothing, but locks the count: whoever comes next waits for what we make of it.
HOLD = """INSERT INTO usage AS u (tenant, subject, counter, period, count) VALUES (%s, %s, %s, %s, 0)
    ON CONFLICT (tenant, subject, counter, period) DO UPDATE SET count = u.count RETURNING count"""
USED = f"""SELECT {", ".join(USAGE)} FROM usage
    WHERE tenant = coalesce(%s::text, tenant) AND (%s::text[] IS NULL OR period = ANY(%s::text[])) AND count > 0"""
KEYS = f"SELECT {', '.join(KEY)} FROM access_keys"
ADD_KEY = f"""INSERT INTO access_keys ({", ".join(KEY)}) VALUES ({", ".join(["%s"] * len(KEY))})
    ON CONFLICT DO NOTHING"""
NOTE_USE = """UPDATE access_keys AS k SET last_used = u.last FROM unnest(%s::text[], %s::bigint[]) AS u (id, last)
    WHERE k.id = u.id AND (k.last_used IS NULL OR k.last_used < u.last)"""
TENANTS = """SELECT tenant FROM access_keys
    UNION SELECT tenant FROM spaces WHERE items > 0 OR kept_values > 0
    UNION SELECT tenant FROM jobs"""


class UsageTables(Tables):
    """Those methods of `ledger.Rows` that are about usage and access keys."""

    def used(self, key: tuple[str, str, str, str], *, hold: bool = False) -> int:
        if hold:
            return int(self.session.change_returning(HOLD, key)[0][0])
        rows = self.session.query(f"SELECT count FROM usage WHERE {OF_KEY}", key)
        return int(rows[0][0]) if rows else 0

    def add_usage(self, key: tuple[str, str, str, str], count: int) -> None:
        self.session.change_later(ADD, (*key, count, count))

    def usage(self, tenant: str | None, periods: Collection[str] | None) -> list[Columns]:
        sought = None if periods is None else list(periods)
        return self.session.query(USED, (tenant, sought, sought))

    def was_used(self, of: tuple[str, str, str]) -> bool:
        return bool(self.session.query(f"SELECT 1 FROM usage WHERE {OF} AND count > 0 LIMIT 1", of))

    def drop_usage(self, *, subject: str, tenant: str | None = None) -> None:
        where = "subject = %s AND tenant = coalesce(%s::text, tenant)"
        self.session.change(f"DELETE FROM usage WHERE {where}", (subject, tenant))

    def has_usage_before(self, period: str) -> bool:
        return bool(self.session.query("SELECT 1 FROM usage WHERE period < %s LIMIT 1", (period,)))

    def drop_usage_before(self, period: str) -> None:
        self.session.change("DELETE FROM usage WHERE period < %s", (period,))

    def access_keys(self, tenant: str | None, *, id: str | None = None, digest: bytes | None = None) -> list[Columns]:
        given = {"tenant": tenant, "id": id, "digest": digest}
        sought = {name: value for name, value in given.items() if value is not None}
        where = " AND ".join(f"{name} = %s" for name in sought) or "true"
        return self.session.query(f"{KEYS} WHERE {where} ORDER BY created, added", list(sought.values()))

    def add_key(self, key: Columns) -> bool:
        return bool(self.session.change(ADD_KEY, key))

    def rotate_key(self, key: Columns, digest: bytes) -> bool:
        try:
            self.session.change("UPDATE access_keys SET digest = %s WHERE id = %s", (digest, key[0]))
        except UniqueViolation:
            return False
        return True

    def drop_key(self, key: Columns) -> bool:
        return bool(self.session.change("DELETE FROM access_keys WHERE id = %s", key[:1]))

    def has_keys(self) -> bool:
        return bool(self.session.query("SELECT 1 FROM access_keys LIMIT 1"))

    def note_key_use(self, times: Mapping[str, int]) -> None:
        self.session.change(NOTE_USE, (list(times), list(times.values())))

    def tenants(self) -> list[str]:
        return [tenant for (tenant,) in self.session.query(TENANTS)]

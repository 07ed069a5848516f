"""Access keys: who may do what, and when each was last used.

Whose key it is, is known only once it is found: without a tenant, keys are sought as the keeper.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from psycopg.errors import UniqueViolation

from truekeep.errors import Conflict
from truekeep.model import AccessKey
from truekeep.stores.records import HIDDEN, REVOKED, key_fields, key_from, microseconds

from .part import Part
from .session import Columns, Session
from .usage import add_usage

COLUMNS = "id, tenant, name, body, created, expires, last_used"
KEY = f"SELECT {COLUMNS} FROM access_keys"
OF_TENANT = "(%s::text IS NULL OR tenant = %s::text)"
ADD = """INSERT INTO access_keys (id, tenant, name, body, created, expires, digest)
    VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"""
FIND = f"SELECT tenant FROM access_keys WHERE id = %s AND {OF_TENANT}"
ROTATE = f"UPDATE access_keys SET digest = %s WHERE id = %s RETURNING {COLUMNS}"
USED = """UPDATE access_keys AS k SET last_used = u.last FROM unnest(%s::text[], %s::bigint[]) AS u (id, last)
    WHERE k.id = u.id AND (k.last_used IS NULL OR k.last_used < u.last)"""
OF_REVOKED = "subject = %s AND counter = %s AND period = %s"
HAS_KEYS = "SELECT EXISTS (SELECT 1 FROM access_keys)"
IS_CLOSED = f"""SELECT EXISTS (SELECT 1 FROM access_keys)
    OR EXISTS (SELECT 1 FROM usage WHERE {OF_REVOKED} AND count > 0)"""
TENANTS = """SELECT tenant FROM access_keys
    UNION SELECT tenant FROM spaces WHERE items > 0 OR kept_values > 0
    UNION SELECT tenant FROM jobs ORDER BY tenant"""


class KeyRows(Part):
    """The port `Keys`."""

    def add_access_key(self, key: AccessKey, digest: bytes) -> None:
        columns = (key.id, key.tenant, *key_fields(key), digest)
        if not self._database.change(key.tenant, lambda session: session.change(ADD, columns)):
            raise Conflict(f"there is a key {key.id!r} already, or one with the same secret")

    def access_key(self, digest: bytes) -> AccessKey | None:
        rows = self._database.read(None, lambda session: session.query(f"{KEY} WHERE digest = %s", (digest,)))
        return key_from(*rows[0]) if rows else None

    def access_keys(self, tenant: str | None) -> list[AccessKey]:
        statement = f"{KEY} WHERE {OF_TENANT} ORDER BY created, added"
        rows = self._database.read(tenant, lambda session: session.query(statement, (tenant, tenant)))
        return [key_from(*columns) for columns in rows]

    def rotate_access_key(self, tenant: str | None, id: str, digest: bytes) -> AccessKey | None:
        def work(session: Session) -> list[Columns]:
            if not session.query(FIND, (id, tenant, tenant)):
                return []
            try:
                return session.change_returning(ROTATE, (digest, id))
            except UniqueViolation as error:
                raise Conflict("there is a key with the same secret already") from error

        rows = self._database.change(tenant, work)
        return key_from(*rows[0]) if rows else None

    def remove_access_key(self, tenant: str | None, id: str) -> bool:
        def work(session: Session) -> bool:
            found = session.query(FIND, (id, tenant, tenant))
            if not found or not session.change("DELETE FROM access_keys WHERE id = %s", (id,)):
                return False
            add_usage(session, (found[0][0], *REVOKED), 1)
            return True

        return self._database.change(tenant, work)

    def has_access_keys(self) -> bool:
        return bool(self._database.read(None, lambda session: session.query(HAS_KEYS))[0][0])

    def is_closed(self) -> bool:
        return bool(self._database.read(None, lambda session: session.query(IS_CLOSED, REVOKED))[0][0])

    def open_again(self) -> None:
        def work(session: Session) -> None:
            if session.query(HAS_KEYS)[0][0]:
                raise Conflict("there are access keys; revoke them first")
            session.change(f"DELETE FROM usage WHERE {OF_REVOKED}", REVOKED)

        self._database.change(None, work)

    def note_key_use(self, used: Mapping[str, datetime]) -> None:
        ids = sorted(used)
        times = [microseconds(used[id]) for id in ids]
        if ids:
            self._database.change(None, lambda session: session.change(USED, (ids, times)))

    def tenants(self) -> list[str]:
        rows = self._database.read(None, lambda session: session.query(TENANTS))
        return [tenant for (tenant,) in rows if not tenant.startswith(HIDDEN)]

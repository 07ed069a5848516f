"""The books beside the items: values and jobs, all spaces and copies into them, snapshots, usage, access keys."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.errors import UniqueViolation

from truekeep.model import SpaceId
from truekeep.stores.ledger.cells import Cells, Manifest, Space, UsageKey
from truekeep.stores.tables import AUDIT, COLUMNS, KEY, USAGE, Book, to_json

from .tables import SPACE, Tables, space_of

# Writers of several spaces share this quota: one at a time counts and writes.
ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
ELSEWHERE = "SELECT sum(items) FROM spaces WHERE tenant = ? AND id <> ?"
JOBS = f"SELECT s.tenant, s.name, {', '.join(f'j.{name}' for name in COLUMNS['jobs'])}"
SNAPSHOT = "SELECT seq, saving, manifest FROM snapshots WHERE space_id = %s AND name = %s"
KEEP_SNAPSHOT = """INSERT INTO snapshots (tenant, space_id, name, seq, saving, manifest) VALUES (%s, %s, %s, %s, %s, %s)
    ON CONFLICT (space_id, name) DO UPDATE SET seq = excluded.seq, saving = excluded.saving,
    manifest = excluded.manifest"""
ADD_PIECE = "INSERT INTO pieces (tenant, space_id, saving, number, data) VALUES (%s, %s, %s, %s, %b)"
LEFTOVERS = """SELECT DISTINCT s.tenant, s.name, p.saving FROM pieces AS p JOIN spaces AS s ON s.id = p.space_id
    WHERE NOT EXISTS (SELECT 1 FROM snapshots AS n WHERE n.space_id = p.space_id AND n.saving = p.saving)"""
ADD_USAGE = """INSERT INTO usage AS u (tenant, subject, counter, period, count) VALUES (%s, %s, %s, %s, greatest(%s, 0))
    ON CONFLICT (tenant, subject, counter, period) DO UPDATE SET count = greatest(u.count + %s, 0)"""
# Changes nothing, but locks the count: whoever comes next waits for what we make of it.
HOLD = """INSERT INTO usage AS u (tenant, subject, counter, period, count) VALUES (%s, %s, %s, %s, 0)
    ON CONFLICT (tenant, subject, counter, period) DO UPDATE SET count = u.count RETURNING count"""
ADD_KEY = f"""INSERT INTO access_keys ({", ".join(KEY)}) VALUES ({", ".join(["%s"] * len(KEY))})
    ON CONFLICT DO NOTHING"""
REPLACE_KEY = "UPDATE access_keys SET (digest, name, body, expires) = (%s, %s, %s, %s) WHERE id = %s"
NOTE_USE = """UPDATE access_keys AS k SET last_used = u.last FROM unnest(%s::text[], %s::bigint[]) AS u (id, last)
    WHERE k.id = u.id AND (k.last_used IS NULL OR k.last_used < u.last)"""
ADD_AUDIT = f"""WITH told AS (
        INSERT INTO audit ({", ".join(AUDIT)})
        SELECT {", ".join(AUDIT[:-1])}, ids::json
        FROM unnest(%s::text[], %s::bigint[], %s::text[], %s::text[], %s::text[], %s::bigint[], %s::text[], %s::text[])
            AS n ({", ".join(AUDIT)})
        RETURNING number, tenant, ids
    ) INSERT INTO audit_items SELECT tenant, item, number FROM told CROSS JOIN json_array_elements_text(ids) AS item"""


class BookTables(Tables):
    """Those methods of `ledger.Rows` that are about anything but items."""

    saving = "saving"
    piece = "number"
    ids_of = "json_array_elements_text(a.ids) AS j (value)"

    def size_of(self, space: Space) -> int:
        return space.counts["bytes"]

    def memories(self, space: Space) -> int:
        self.session.query(ALONE, (f"truekeep memories {space.tenant}",))
        return self.number(ELSEWHERE, space.tenant, space.id) + space.counts["items"]

    def jobs(self, which: str, *values: Any, order: str, limit: int) -> list[tuple[SpaceId, Cells]]:
        # Whoever comes while another one takes the first job takes the second.
        lock = "FOR UPDATE SKIP LOCKED" if self.session.is_writing else ""
        first = f"SELECT * FROM jobs {which} ORDER BY {order} LIMIT ? {lock}"
        told = f"{JOBS} FROM ({first}) AS j JOIN spaces AS s ON s.id = j.space_id ORDER BY {order}"
        return [(SpaceId(*row[:2]), row[2:]) for row in self.ask(told, *values, limit)]

    def all_spaces(self, rest: str, *values: Any) -> list[Space]:
        return [space_of(row) for row in self.ask(f"SELECT {SPACE} FROM spaces {rest}", *values)]

    def secret(self) -> bytes:
        lock = "FOR UPDATE" if self.session.is_writing else ""
        return bytes(self.session.query(f"SELECT secret FROM meta {lock}")[0][0])

    def keep_secret(self, secret: bytes) -> None:
        self.session.change("UPDATE meta SET secret = %s", (secret,))

    def snapshot(self, space: Space, name: str) -> tuple[int, int, Manifest] | None:
        for seq, saving, manifest in self.session.query(SNAPSHOT, (space.id, name)):
            return seq, saving, json.loads(manifest)
        return None

    def keep_snapshot(self, space: Space, name: str, seq: int, saving: int, manifest: Manifest) -> None:
        self.session.change(KEEP_SNAPSHOT, (space.tenant, space.id, name, seq, saving, to_json(dict(manifest))))

    def add_piece(self, space: Space, saving: int, number: int, data: bytes) -> None:
        self.session.change(ADD_PIECE, (space.tenant, space.id, saving, number, data))

    def leftovers(self) -> list[tuple[SpaceId, int]]:
        rows = self.session.query(LEFTOVERS)
        return [(SpaceId(tenant, name), saving) for tenant, name, saving in rows]

    def listed(self, book: Book, rest: str, *values: Any) -> list[Cells]:
        columns = USAGE if book == "usage" else KEY
        return self.ask(f"SELECT {', '.join(columns)} FROM {book} {rest}", *values)

    def used(self, key: UsageKey, *, hold: bool = False) -> int:
        return int(self.session.change_returning(HOLD, key)[0][0]) if hold else super().used(key)

    def add_usage(self, key: UsageKey, count: int) -> None:
        self.session.change_later(ADD_USAGE, (*key, count, count))

    def keep_key(self, key: Cells, old: Cells | None = None) -> bool:
        if old is None:
            return bool(self.session.change(ADD_KEY, key))
        _, digest, _, name, body, _, expires, _ = key
        try:
            self.session.change(REPLACE_KEY, (digest, name, body, expires, old[0]))
        except UniqueViolation:
            return False
        return True

    def drop_key(self, key: Cells) -> bool:
        return bool(self.session.change("DELETE FROM access_keys WHERE id = %s", key[:1]))

    def has_keys(self) -> bool:
        return bool(self.session.query("SELECT 1 FROM access_keys LIMIT 1"))

    def note_key_use(self, times: Mapping[str, int]) -> None:
        self.session.change(NOTE_USE, (list(times), list(times.values())))

    def add_audit(self, entries: Sequence[Cells]) -> None:
        self.session.change(ADD_AUDIT, [list(column) for column in zip(*entries, strict=True)])

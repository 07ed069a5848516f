"""What is asked in PostgreSQL's own words, for its planner, and in as few ways to the server as there need be."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.errors import UniqueViolation

from truekeep.model import SpaceId
from truekeep.ports import Head
from truekeep.stores.ledger.cells import Cells, Manifest, Space, UsageKey
from truekeep.stores.ledger.rows import SAME, Facts, Grounds, Seen, Sought
from truekeep.stores.tables import AUDIT, COLUMNS, KEY, USAGE, Book, to_json

from .tables import SPACE, Tables, several, space_of

ITEM = ", ".join(COLUMNS["items"])
ITEM_OF = ", ".join(f"i.{name}" for name in COLUMNS["items"])
FOUND = "SELECT * FROM found(%s, %s::text[])"
MOST = 1_000_000  # more than there are
CLAIM = f"SELECT {ITEM} FROM items WHERE space_id = %(space)s AND key = c.key"
# For each key and time, one row in several copies where several reasons name it.
CLAIMS = f"""SELECT {ITEM_OF}
    FROM unnest(%(keys)s::text[], %(times)s::bigint[]) AS c (key, time)
    CROSS JOIN LATERAL (
        SELECT max("when") AS begins FROM items WHERE space_id = %(space)s AND key = c.key
    ) AS latest
    CROSS JOIN LATERAL (
        ({CLAIM} ORDER BY "when" DESC LIMIT 1)
        UNION ALL ({CLAIM} AND until IS NULL ORDER BY until, "when" LIMIT {MOST})  -- in the order of the right index
        UNION ALL ({CLAIM} AND "when" <= c.time ORDER BY "when" DESC, created DESC, seq DESC LIMIT 1)
        -- Of several that begin together, the one that ends first is the first: the others follow it.
        UNION ALL ({CLAIM} AND "when" > c.time ORDER BY "when", until IS NULL, until, created, seq LIMIT 1)
        -- Sought by their ends, which most have behind them; `+ 0` keeps the server from walking from the beginning.
        UNION ALL ({CLAIM} AND until > c.time AND "when" + 0 <= c.time)
        UNION ALL ({CLAIM} AND until > latest.begins AND "when" + 0 <= latest.begins AND latest.begins > c.time)
    ) AS i"""
SAYS = f"""SELECT {ITEM} FROM items WHERE space_id = %(space)s AND fingerprint = said.mark AND source = said.source
    AND superseded_by IS NULL AND retired IS NULL AND NOT repeatable"""
SAID = f"""SELECT said.place, {ITEM_OF}
    FROM unnest(%(marks)s::bytea[], %(sources)s::text[], %(speakers)s::text[])
        WITH ORDINALITY AS said (mark, source, speaker, place)
    CROSS JOIN LATERAL (
        ({SAYS} AND speaker = said.speaker ORDER BY seq DESC LIMIT {SAME})
        UNION ALL ({SAYS} AND said.speaker IS NULL ORDER BY speaker, seq DESC LIMIT {SAME})
    ) AS i ORDER BY i.seq DESC"""
HAS_MOVED = """SELECT
    EXISTS (SELECT 1 FROM unnest(%(prints)s::bytea[]) AS said (mark) CROSS JOIN LATERAL (
        SELECT 1 FROM items WHERE space_id = %(space)s AND fingerprint = said.mark AND seq > %(seq)s
        AND superseded_by IS NULL AND retired IS NULL AND NOT repeatable LIMIT 1) AS i)
    OR EXISTS (SELECT 1 FROM unnest(%(keys)s::text[]) AS claim (key) CROSS JOIN LATERAL (
        SELECT 1 FROM items WHERE space_id = %(space)s AND items.key = claim.key AND seq > %(seq)s LIMIT 1) AS i)
    OR EXISTS (SELECT 1 FROM unnest(%(ids)s::text[]) AS put (id) CROSS JOIN LATERAL (
        SELECT 1 FROM markers WHERE space_id = %(space)s AND markers.id = put.id AND seq > %(seq)s LIMIT 1) AS m)"""
TAKEN = "SELECT 1 FROM answers WHERE space_id = %s AND key = ANY(%s) LIMIT 1"
TOMBSTONED = "SELECT fingerprint FROM tombstones WHERE space_id = %s AND fingerprint = ANY(%s::bytea[])"
COUNT = """INSERT INTO accesses AS a (tenant, space_id, id, count, last)
    SELECT i.tenant, i.space_id, i.id, c.count, %s
    FROM unnest(%s::text[], %s::bigint[]) AS c (id, count)
    CROSS JOIN LATERAL (SELECT tenant, space_id, id FROM items WHERE space_id = %s AND items.id = c.id LIMIT 1) AS i
    ORDER BY i.id
    ON CONFLICT (space_id, id) DO UPDATE SET count = a.count + excluded.count, last = greatest(a.last, excluded.last)"""
COUNT_DAY = """UPDATE accesses AS a SET days =
    coalesce((SELECT jsonb_object_agg(key, value) FROM jsonb_each(a.days) WHERE key COLLATE "C" > %s), '{}')
    || jsonb_build_object(%s::text, coalesce((a.days ->> %s)::bigint, 0) + c.count)
    FROM unnest(%s::text[], %s::bigint[]) AS c (id, count) WHERE a.space_id = %s AND a.id = c.id"""
# Writers of several spaces share this quota: one at a time counts and writes.
ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
ELSEWHERE = "SELECT sum(items) FROM spaces WHERE tenant = ? AND id <> ?"
HEADS = "SELECT name, head, floor FROM spaces WHERE tenant = ? AND head > 0 ORDER BY name"
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


class Questions(Tables):
    """Those methods of `ledger.Rows` that not every SQL has."""

    saving = "saving"
    piece = "number"
    ids_of = "json_array_elements_text(a.ids) AS j (value)"

    def found(self, space: SpaceId, ids: Sequence[str]) -> list[tuple[Cells, int]]:
        rows = self.session.query(FOUND, (self.seen(space).id, list(set(ids))))
        return [(columns[:-1], columns[-1] or 0) for columns in rows]

    def sight(self, space: Space, sought: Sought) -> Seen:
        claims, said, answers = sought
        marks, sources, speakers = ([one[at] for one in said] for at in range(3))
        times = {"space": space.id, "keys": [key for key, _ in claims], "times": [time for _, time in claims]}
        spoken = {"space": space.id, "marks": marks, "sources": sources, "speakers": speakers}
        found = self.session.queries(
            {
                "said": (SAID, spoken) if said else None,
                "claimed": (CLAIMS, times) if claims else None,
                "answered": (several("answers"), (list(answers), space.id)) if answers else None,
                "forgotten": (TOMBSTONED, (space.id, marks)) if marks and space.counts["tombstones"] else None,
            }
        )
        by_place: list[list[Cells]] = [[] for _ in said]
        for place, *columns in found["said"]:
            by_place[place - 1].append(tuple(columns))
        return Seen(found["claimed"], by_place, found["answered"], {mark for (mark,) in found["forgotten"]})

    def facts(self, space: Space, grounds: Grounds) -> Facts:
        since, ids, said, keys, derived, answers = grounds
        sought = {"space": space.id, "seq": since, "ids": ids, "prints": said, "keys": keys}
        is_derived = derived and space.counts["tombstones"]
        found = self.session.queries(
            {
                "present": (several("items"), (ids, space.id)) if ids and space.counts["items"] else None,
                "moved": (HAS_MOVED, sought) if ids and since < space.head else None,
                "forgotten": (TOMBSTONED, (space.id, derived)) if is_derived else None,
                "taken": (TAKEN, (space.id, answers)) if answers else None,
            }
        )
        return Facts(found["present"], (True,) in found["moved"], bool(found["forgotten"]), bool(found["taken"]))

    def count_accesses(self, space: Space, counts: Mapping[str, int], *, at: int, days: tuple[str, str] | None) -> None:
        added = (list(counts), list(counts.values()), space.id)
        self.session.change(COUNT, (at, *added))
        if days is not None:  # their rows are locked by now, in that order
            day, since = days
            self.session.change(COUNT_DAY, (since, day, day, *added))

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

    def names(self, rest: str, *values: Any) -> list[SpaceId]:
        return [SpaceId(*row) for row in self.ask(f"SELECT tenant, name FROM spaces {rest}", *values)]

    def heads(self, tenant: str) -> dict[str, Head]:
        return {name: Head(head, floor) for name, head, floor in self.ask(HEADS, tenant)}

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

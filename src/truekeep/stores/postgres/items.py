"""Questions about items that are asked in PostgreSQL's own words, for its planner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truekeep.model import SpaceId
from truekeep.stores.ledger.cells import Cells, Space
from truekeep.stores.ledger.rows import SAME, Facts, Grounds, Seen, Sought
from truekeep.stores.tables import COLUMNS

from .tables import Tables, several

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


class ItemTables(Tables):
    """Those methods of `ledger.Rows` that are about items alone."""

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

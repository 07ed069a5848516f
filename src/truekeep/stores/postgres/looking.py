"""Looking: what a decision depends on, however much else is said under the same key or in the same words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from truekeep.model import MemoryItem, SpaceId
from truekeep.ports import Answer, Head, Saying, Sight
from truekeep.stores.ledger.space import Space
from truekeep.stores.records import fingerprint, microseconds

from .part import Part
from .rows import ITEM, ITEM_OF, item_of
from .session import Columns, Session
from .spaces import find

SAME = 16  # items that say one thing that are told
MOST = 1_000_000  # more than there are
CLAIM = f"SELECT {ITEM} FROM items WHERE space_id = %(space)s AND key = c.key"
# For each key and time, one row in several copies where several reasons name it.
CLAIMS = f"""SELECT c.key, {ITEM_OF}
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
REPLACED = f"""SELECT {ITEM} FROM items WHERE space_id = %s AND superseded_by = %s
    ORDER BY "when" DESC, created DESC, seq DESC LIMIT %s"""
ANSWERS = "SELECT key, request, id, outcome, superseded FROM answers WHERE space_id = %s AND key = ANY(%s)"
TOMBSTONED = "SELECT fingerprint FROM tombstones WHERE space_id = %s AND fingerprint = ANY(%s::bytea[])"


class Looking(Part):
    """The part of the port `Items` that decisions are based on."""

    def look(
        self,
        space: SpaceId,
        *,
        claims: Collection[tuple[str, datetime]] = (),
        sayings: Collection[Saying] = (),
        answers: Collection[str] = (),
    ) -> Sight:
        prints = {fingerprint(self._database.secret, space, said.statement): said.statement for said in sayings}
        sought = list(sayings)

        def fetch(session: Session) -> Sight:
            row = find(session, space)
            if row is None:
                return Sight(Head(0, 0), {}, {}, {}, frozenset())
            marks = list(prints)
            found = session.queries(
                {
                    "said": (SAID, self._sought(space, row, sought)) if sought else None,
                    "claimed": (CLAIMS, _sought_claims(row, claims)) if claims else None,
                    "answered": (ANSWERS, (row.id, list(answers))) if answers else None,
                    "forgotten": (TOMBSTONED, (row.id, marks)) if marks and row.counts["tombstones"] else None,
                }
            )
            by_saying: dict[Saying, list[MemoryItem]] = {}
            for place, *columns in found["said"]:
                by_saying.setdefault(sought[place - 1], []).append(item_of(tuple(columns)))
            return Sight(
                Head(row.head, row.floor),
                _by_key(found["claimed"]),
                by_saying,
                _answers(found["answered"]),
                frozenset(prints[mark] for (mark,) in found["forgotten"]),
            )

        return self._database.read_together(space.tenant, fetch)

    def _sought(self, space: SpaceId, row: Space, sayings: Sequence[Saying]) -> dict[str, object]:
        return {
            "space": row.id,
            "marks": [fingerprint(self._database.secret, space, one.statement) for one in sayings],
            "sources": [one.source or "" for one in sayings],
            "speakers": [one.speaker for one in sayings],
        }

    def replaced_by(self, space: SpaceId, id: str, *, limit: int = 1) -> list[MemoryItem]:
        def fetch(session: Session) -> list[MemoryItem]:
            row = find(session, space)
            return [] if row is None else [item_of(one) for one in session.query(REPLACED, (row.id, id, limit))]

        return self._database.read_together(space.tenant, fetch)


def answers_of(session: Session, row: Space, keys: Collection[str]) -> dict[str, Answer]:
    """What was answered under these idempotency keys."""
    return _answers(session.query(ANSWERS, (row.id, list(keys))))


def _answers(rows: Sequence[Columns]) -> dict[str, Answer]:
    return {key: Answer(request, id, outcome, tuple(names)) for key, request, id, outcome, names in rows}


def tombstoned(session: Session, row: Space, prints: Sequence[bytes]) -> set[bytes]:
    """Those of the fingerprints that have a tombstone."""
    if not row.counts["tombstones"] or not prints:
        return set()
    return {mark for (mark,) in session.query(TOMBSTONED, (row.id, list(prints)))}


def _sought_claims(row: Space, claims: Collection[tuple[str, datetime]]) -> dict[str, object]:
    return {
        "space": row.id,
        "keys": [key for key, _ in claims],
        "times": [microseconds(time) for _, time in claims],
    }


def _by_key(rows: Sequence[Columns]) -> dict[str, Sequence[MemoryItem]]:
    found: dict[str, dict[str, MemoryItem]] = {}
    for key, *columns in rows:
        found.setdefault(key, {})[columns[0]] = item_of(tuple(columns))
    return {key: sorted(items.values(), key=_place) for key, items in found.items()}


def _place(claim: MemoryItem) -> tuple[datetime, bool, datetime, datetime, int]:
    """In the order in which they follow each other."""
    return claim.when, claim.until is None, claim.until or claim.when, claim.created, claim.seq

"""Looking: what a decision depends on, however much else is said under the same key or in the same words."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import apsw

from truekeep.model import MemoryItem, SpaceId
from truekeep.ports import Answer, Head, Saying, Sight
from truekeep.stores.ledger.space import Space

from .part import Part
from .rows import ITEM, Columns, fingerprint, item_of, microseconds, query, verified

SAME = 16  # items that say one thing that are told
ITEMS = f"SELECT {ITEM} FROM items"
# Without INDEXED BY, SQLite may prefer to walk a key's whole history.
LATEST = f'{ITEMS} INDEXED BY items_by_beginning WHERE space = ? AND key = ? ORDER BY "when" DESC LIMIT 1'
LAST_BEFORE = f"""{ITEMS} INDEXED BY items_by_beginning WHERE space = ? AND key = ? AND "when" <= ?
    ORDER BY "when" DESC, created DESC, seq DESC LIMIT 1"""
# Of several that begin together, the one that ends first is the first: the others follow it.
FIRST_AFTER = f"""{ITEMS} INDEXED BY items_by_beginning WHERE space = ? AND key = ? AND "when" > ?
    ORDER BY "when", until IS NULL, until, created, seq LIMIT 1"""
ENDLESS = f"{ITEMS} INDEXED BY items_by_end WHERE space = ? AND key = ? AND until IS NULL"
HOLDING = f'{ITEMS} INDEXED BY items_by_end WHERE space = ?1 AND key = ?2 AND until > ?3 AND "when" <= ?3'
SOURCE, SPEAKER = (f"coalesce(body ->> '$.source.{part}', '')" for part in ("name", "speaker"))
SAID = f"""{ITEMS} INDEXED BY items_by_saying WHERE space = ? AND fingerprint = ? AND {SOURCE} = ?
    AND superseded_by IS NULL AND retired IS NULL AND repeatable = 0"""
SAID_BY = f"{SAID} AND {SPEAKER} = ? ORDER BY seq DESC LIMIT {SAME}"
SAID_BY_ANYBODY = f"SELECT * FROM ({SAID} ORDER BY {SPEAKER}, seq DESC LIMIT {SAME}) ORDER BY seq DESC"
REPLACED = f'{ITEMS} WHERE space = ? AND superseded_by = ? ORDER BY "when" DESC, created DESC, seq DESC LIMIT ?'
ANSWER = "SELECT space, key, request, id, outcome, superseded, at, checksum FROM answers WHERE space = ? AND key = ?"


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
        secret = self._spaces.secret()
        prints = {said.statement: fingerprint(secret, space, said.statement) for said in sayings}

        def fetch(connection: apsw.Connection) -> Sight:
            row = self._spaces.find(connection, space)
            if row is None:
                return Sight(Head(0, 0), {}, {}, {}, frozenset())
            said = {one: _said(connection, row, prints[one.statement], one) for one in sayings}
            return Sight(
                Head(row.head, row.floor),
                _claims(connection, row.id, claims),
                {saying: items for saying, items in said.items() if items},
                self._answers(connection, row, answers),
                self._tombstoned(connection, row, prints),
            )

        return self._database.read_together(fetch)

    def _answers(self, connection: apsw.Connection, row: Space, keys: Collection[str]) -> dict[str, Answer]:
        found = {}
        for key in keys:
            for columns in query(connection, ANSWER, (row.id, key)):
                found[key] = _answer(columns)
        if len(found) < len(keys):
            self._spaces.count(connection, row, "answers")
        return found

    def _tombstoned(self, connection: apsw.Connection, row: Space, prints: Mapping[str, bytes]) -> frozenset[str]:
        if not row.counts["tombstones"]:
            return frozenset()
        self._spaces.count(connection, row, "tombstones")
        return frozenset(said for said, mark in prints.items() if is_tombstoned(connection, row, mark))

    def replaced_by(self, space: SpaceId, id: str, *, limit: int = 1) -> list[MemoryItem]:
        def fetch(connection: apsw.Connection) -> list[MemoryItem]:
            row = self._spaces.find(connection, space)
            return [] if row is None else _items(connection, REPLACED, row.id, id, limit)

        return self._database.read_together(fetch)


def is_tombstoned(connection: apsw.Connection, row: Space, mark: bytes) -> bool:
    statement = "SELECT space, fingerprint, seq, checksum FROM tombstones WHERE space = ? AND fingerprint = ?"
    found = query(connection, statement, (row.id, mark))
    return any(verified("tombstones", columns, "tombstone") for columns in found)


def _said(connection: apsw.Connection, row: Space, mark: bytes, saying: Saying) -> list[MemoryItem]:
    sought = (row.id, mark, saying.source or "")
    if saying.speaker is None:
        return _items(connection, SAID_BY_ANYBODY, *sought)
    return _items(connection, SAID_BY, *sought, saying.speaker)


def _claims(
    connection: apsw.Connection, space: int, claims: Collection[tuple[str, datetime]]
) -> dict[str, Sequence[MemoryItem]]:
    found: dict[str, dict[str, MemoryItem]] = {}
    for key, time in claims:
        known = found.setdefault(key, {})
        known.update((item.id, item) for item in _around(connection, space, key, microseconds(time)))
    return {key: sorted(items.values(), key=_place) for key, items in found.items() if items}


def _place(claim: MemoryItem) -> tuple[datetime, bool, datetime, datetime, int]:
    """In the order in which they follow each other, as in FIRST_AFTER."""
    return claim.when, claim.until is None, claim.until or claim.when, claim.created, claim.seq


def _around(connection: apsw.Connection, space: int, key: str, time: int) -> list[MemoryItem]:
    """The claims with the key that matter to one that begins at the time."""
    latest = _items(connection, LATEST, space, key)
    if not latest:
        return []
    found = latest + _items(connection, ENDLESS, space, key)
    found += _items(connection, LAST_BEFORE, space, key, time) + _items(connection, FIRST_AFTER, space, key, time)
    for moment in {time, max(time, microseconds(latest[0].when))}:
        found += _items(connection, HOLDING, space, key, moment)
    return found


def _answer(columns: Columns) -> Answer:
    _, _, request, id, outcome, superseded, _, _ = verified("answers", columns, columns[3])
    return Answer(request, id, outcome, tuple(json.loads(superseded)))


def _items(connection: apsw.Connection, statement: str, *sought: Any) -> list[MemoryItem]:
    return [item_of("items", columns) for columns in query(connection, statement, sought)]

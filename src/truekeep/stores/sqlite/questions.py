"""What is asked in SQLite's own words, for its indexes, and what only it seals and tallies."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

from truekeep.model import SpaceId
from truekeep.ports import Head
from truekeep.stores.ledger.cells import Cells, Manifest, Space, UsageKey
from truekeep.stores.ledger.rows import ALL, SAME, Facts, Grounds, Seen, Sought, Values
from truekeep.stores.tables import KEY, USAGE, Book, to_json

from .rows import (
    AUDIT_COLUMNS,
    ITEM,
    KEY_COLUMNS,
    USAGE_COLUMNS,
    Columns,
    cells_of,
    checksum,
    count_keys,
    count_of,
    count_spaces,
    damaged,
    identity,
    keep_meta,
    meta,
    named,
    parts,
    query,
    sealed,
    space_of,
    tallied_keys,
    tally_keys,
    verified,
)
from .tables import SELECT, Tables

ITEMS = f"SELECT {ITEM} FROM items"
# A count a row by a subquery: joining the two tables takes twice as long for the same plan.
FOUND = f"""SELECT {ITEM}, (SELECT count FROM accesses AS a WHERE a.space = items.space AND a.id = items.id)
    FROM items WHERE space = ? AND id IN """
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
# `+seq` and INDEXED BY keep SQLite from walking all changes since then, or all that was ever said under a key.
HAS_MOVED = """SELECT
    EXISTS (SELECT 1 FROM items WHERE space = ?1 AND id = ?3 AND +seq > ?2)
    OR EXISTS (SELECT 1 FROM items INDEXED BY items_by_statement WHERE space = ?1 AND fingerprint = ?4 AND seq > ?2
        AND superseded_by IS NULL AND retired IS NULL AND repeatable = 0)
    OR EXISTS (SELECT 1 FROM items INDEXED BY items_by_key WHERE space = ?1 AND key = ?5 AND seq > ?2)
    OR EXISTS (SELECT 1 FROM markers WHERE space = ?1 AND id = ?3 AND +seq > ?2)"""
COUNT = """INSERT INTO accesses (space, id, count, last)
    SELECT space, id, ?, ? FROM items WHERE space = ? AND id = ?
    ON CONFLICT DO UPDATE SET count = count + excluded.count, last = max(last, excluded.last)"""
COUNT_DAY = """UPDATE accesses SET days = (
        SELECT json_group_object(day, count) FROM (
            SELECT day, sum(count) AS count FROM (
                SELECT key AS day, value AS count FROM json_each(days) UNION ALL SELECT ?1, ?2
            ) WHERE day > ?3 GROUP BY day
        )
    ) WHERE space = ?4 AND id = ?5"""
SNAPSHOT = "SELECT space, name, seq, manifest, checksum FROM snapshots WHERE space = ? AND name = ?"
SAVED = """SELECT DISTINCT s.tenant, s.name, p.started FROM pieces AS p JOIN spaces AS s ON s.id = p.space"""
KEYS = f"SELECT {KEY_COLUMNS}, (SELECT last FROM key_uses WHERE key_uses.id = access_keys.id) FROM access_keys"
KEY_MARKS = ", ".join("?" * len(KEY))
NOTE_USE = """INSERT INTO key_uses SELECT id, ? FROM access_keys WHERE id = ?
    ON CONFLICT (id) DO UPDATE SET last = max(last, excluded.last)"""
ADD_AUDIT = f"INSERT INTO audit VALUES ({', '.join('?' * len(AUDIT_COLUMNS))})"
# In their order: into a table of millions, one by one would touch a page each.
ADD_AUDITED = """INSERT INTO audit_items
    SELECT a.tenant, j.value, a.number FROM audit AS a CROSS JOIN json_each(a.ids) AS j WHERE a.number >= ?
    ORDER BY 1, 2, 3"""


class Questions(Tables):
    """Those methods of `ledger.Rows` that not every SQL has. A key that is missing is missed: they are tallied, too."""

    saving = "started"
    piece = "id"
    audited = AUDIT_COLUMNS
    ids_of = "json_each(a.ids) AS j"

    def found(self, space: SpaceId, ids: Sequence[str]) -> list[tuple[Cells, int]]:
        number = self.number_of(space)
        rows = [
            columns
            for part in parts(ids)
            for columns in query(self.connection, _with_marks(len(part)), (number, *part))
        ]
        if len(rows) < len(set(ids)):  # see that what is not there never was, or was erased
            self.miss("items", self.find(space))
        return [(cells_of("items", columns[:-1]), count_of(columns[-1])) for columns in rows]

    def sight(self, space: Space, sought: Sought) -> Seen:
        claims, said, answers = sought
        marks = [mark for mark, _, _ in said] if space.counts["tombstones"] else []
        return Seen(
            [cells for key, time in claims for cells in self._around(space.id, key, time)],
            [
                self._items(SAID_BY_ANYBODY if speaker is None else SAID_BY, space.id, mark, source, *_given(speaker))
                for mark, source, speaker in said
            ],
            self.of("answers", space, answers),
            {cells[0] for cells in self.of("tombstones", space, marks)},
        )

    def _around(self, space: int, key: str, time: int) -> list[Cells]:
        """The claims with the key that matter to one that begins at the time."""
        latest = self._items(LATEST, space, key)
        if not latest:
            return []
        found = latest + self._items(ENDLESS, space, key)
        found += self._items(LAST_BEFORE, space, key, time) + self._items(FIRST_AFTER, space, key, time)
        for moment in {time, max(time, latest[0][9])}:
            found += self._items(HOLDING, space, key, moment)
        return found

    def facts(self, space: Space, grounds: Grounds) -> Facts:
        since, ids, said, keys, derived, answers = grounds
        moved = since < space.head and any(
            query(self.connection, HAS_MOVED, (space.id, since, *sought))[0][0]
            for sought in zip_longest(ids, said, keys)
        )
        taken = "SELECT 1 FROM answers WHERE space = ? AND key = ?"
        replaced = parts(ids) if since else ()  # whoever saw nothing replaces nothing
        return Facts(
            [cells for part in replaced for cells in self._items(_several(len(part)), space.id, *part)],
            moved,
            bool(space.counts["tombstones"] and self.of("tombstones", space, derived)),
            any(query(self.connection, taken, (space.id, key)) for key in answers),
        )

    def superseded(self, space: Space, ids: Collection[str], *, limit: int = ALL) -> list[Cells]:
        self.miss("items", space)
        return super().superseded(space, ids, limit=limit)

    def count_accesses(self, space: Space, counts: Mapping[str, int], *, at: int, days: tuple[str, str] | None) -> None:
        added = [(count, at, space.id, id) for id, count in counts.items()]
        self.connection.executemany(COUNT, added).fetchall()
        if days is not None:
            by_day = [(days[0], count, days[1], space.id, id) for id, count in counts.items()]
            self.connection.executemany(COUNT_DAY, by_day).fetchall()

    def _items(self, statement: str, *sought: Any) -> list[Cells]:
        return [cells_of("items", columns) for columns in query(self.connection, statement, sought)]

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

    def names(self, rest: str, *values: Any) -> list[SpaceId]:
        count_spaces(self.connection)
        rows = self.ask(f"SELECT id, tenant, name, identity FROM spaces {rest}", *values)
        for *told, mark in rows:
            if identity(*told) != mark:
                raise damaged("spaces", told[2])
        return [SpaceId(tenant, name) for _, tenant, name, _ in rows]

    def heads(self, tenant: str) -> dict[str, Head]:
        rows = self._spaces("WHERE tenant = ? ORDER BY name", tenant)
        return {row[2]: Head(*row[4:6]) for row in rows if row[4]}

    def all_spaces(self, rest: str, *values: Any) -> list[Space]:
        return [space_of(row) for row in self._spaces(rest, *values)]

    def _spaces(self, rest: str, *values: Any) -> list[Columns]:
        count_spaces(self.connection)
        return [self.verified(SpaceId(*row[1:3]), row) for row in self.ask(f"{SELECT} {rest}", *values)]

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
            tally_keys(self.connection, added=new[-1])
        else:
            self.change(f"UPDATE access_keys SET ({KEY_COLUMNS}) = ({KEY_MARKS}) WHERE id = ?", *new, old[0])
            tally_keys(self.connection, added=new[-1], removed=sealed("access_keys", *old[:-1])[-1])
        return True

    def drop_key(self, key: Cells) -> bool:
        for table in ("access_keys", "key_uses"):
            self.connection.execute(f"DELETE FROM {table} WHERE id = ?", key[:1])
        tally_keys(self.connection, removed=sealed("access_keys", *key[:-1])[-1])
        return True

    def has_keys(self) -> bool:
        """By the tally: who lost all keys to damage must not be taken for one who never had any."""
        return bool(tallied_keys(self.connection)[1])

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


def _given(speaker: str | None) -> tuple[str, ...]:
    return () if speaker is None else (speaker,)


@cache
def _with_marks(marks: int) -> str:
    return f"{FOUND} (?{',?' * (marks - 1)})"


@cache
def _several(marks: int) -> str:
    return f"{ITEMS} WHERE space = ? AND id IN (?{',?' * (marks - 1)})"

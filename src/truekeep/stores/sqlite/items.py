"""Questions about items that are asked in SQLite's own words, for its indexes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

from truekeep.model import SpaceId
from truekeep.stores.ledger.cells import Cells, Space
from truekeep.stores.ledger.rows import ALL, SAME, Facts, Grounds, Seen, Sought

from .rows import ITEM, cells_of, count_of, parts, query
from .tables import Tables

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


class ItemTables(Tables):
    """Those methods of `ledger.Rows` that are about items alone."""

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


def _given(speaker: str | None) -> tuple[str, ...]:
    return () if speaker is None else (speaker,)


@cache
def _with_marks(marks: int) -> str:
    return f"{FOUND} (?{',?' * (marks - 1)})"


@cache
def _several(marks: int) -> str:
    return f"{ITEMS} WHERE space = ? AND id IN (?{',?' * (marks - 1)})"

"""Reading items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import repeat

import apsw

from truekeep.errors import DamagedStore
from truekeep.model import MemoryItem, SpaceId
from truekeep.ports import Head, Page, Row
from truekeep.stores.records import ACCESS_DAYS_KEPT, day_of

from .part import Part
from .rows import ITEM, Columns, checksum, item_of, microseconds, query, to_json, verified

WIDTH = ITEM.count(",") + 1
ONE = f"SELECT {ITEM} FROM items WHERE space = ? AND id = ?"
SEVERAL = f"SELECT {ITEM} FROM items WHERE space = ? AND id IN (SELECT value FROM json_each(?))"
# A count a row by a subquery: joining the two tables takes twice as long for the same plan.
FOUND = f"""SELECT {ITEM}, (SELECT count FROM accesses AS a WHERE a.space = items.space AND a.id = items.id)
    FROM items WHERE space = ? AND id IN """
FOUND_AT_ONCE = 1024  # ids in one statement
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
DAYS = """SELECT key, value FROM accesses AS a JOIN spaces AS s ON a.space = s.id, json_each(a.days)
    WHERE s.tenant = ? AND s.name = ? AND a.id = ?"""
ACCESSES = """SELECT a.id, a.count FROM spaces AS s JOIN accesses AS a ON a.space = s.id
    WHERE s.tenant = ? AND s.name = ? AND a.id IN (SELECT value FROM json_each(?))"""
CHANGED = f"SELECT {ITEM} FROM items WHERE space = ? AND seq > ? ORDER BY seq LIMIT ?"
CHANGED_WITH_VECTORS = f"""
    SELECT {", ".join("i." + name.strip() for name in ITEM.split(","))}, v.data, v.checksum
    FROM items AS i LEFT JOIN vectors AS v ON v.space = i.space AND v.id = i.id AND v.embedder = ?
    WHERE i.space = ? AND i.seq > ? ORDER BY i.seq LIMIT ?"""
MARKED = """
    SELECT space, id, seq, at, checksum FROM markers AS m WHERE space = ? AND seq > ?
    AND NOT EXISTS (SELECT 1 FROM items AS i WHERE i.space = m.space AND i.id = m.id)  -- imported again
    ORDER BY seq LIMIT ?"""
FORMER = f"SELECT row, {ITEM} FROM versions"
PAGE_OF_VERSIONS = 1000


class ItemRows(Part):
    """The reading half of the port `Items`."""

    def head(self, space: SpaceId) -> Head:
        return self._spaces.head(space)

    def changes(self, space: SpaceId, *, after: int, embedder: str = "", limit: int = 10_000) -> Page:
        def fetch(connection: apsw.Connection) -> tuple[Head, list[Columns], list[Columns]]:
            row = self._spaces.find(connection, space)
            if row is None:
                return Head(0, 0), [], []
            if after == 0:
                self._spaces.count(connection, row, "items", always=True)
            if embedder:
                items = query(connection, CHANGED_WITH_VECTORS, (embedder, row.id, after, limit + 1))
            else:
                items = query(connection, CHANGED, (row.id, after, limit + 1))
            marked = query(connection, MARKED, (row.id, after, limit + 1))
            return Head(row.head, row.floor), items, marked

        head, items, marked = self._database.read_together(fetch)
        rows = [_row(columns, embedder) for columns in items]
        if marked:
            rows += [Row(verified("markers", row, row[1])[2], row[1], None, None) for row in marked]
            rows.sort(key=lambda row: row.seq)
        return Page(head, rows[:limit], len(rows) > limit)

    def get(self, space: SpaceId, ids: Sequence[str]) -> list[MemoryItem]:
        def fetch(connection: apsw.Connection) -> dict[str, Columns]:
            row = self._spaces.find(connection, space)
            if row is None:
                return {}
            return {columns[1]: columns for columns in query(connection, SEVERAL, (row.id, to_json(ids)))}

        found = self._database.read(fetch) if ids else {}
        if len(found) < len(set(ids)):
            self._database.read_together(lambda connection: self._miss(connection, space))
        return [item_of("items", found[id]) for id in ids if id in found]

    def found(self, space: SpaceId, ids: Sequence[str]) -> list[tuple[MemoryItem, int]]:
        def fetch(connection: apsw.Connection) -> dict[str, Columns]:
            number = self._spaces.number(connection, space)
            parts = (ids[start : start + FOUND_AT_ONCE] for start in range(0, len(ids), FOUND_AT_ONCE))
            return {columns[1]: columns for part in parts for columns in _found(connection, number, part)}

        rows = self._database.read(fetch) if ids else {}
        if len(rows) < len(set(ids)):
            self._database.read_together(lambda connection: self._miss(connection, space))
        return [(item_of("items", rows[id][:-1]), _count(rows[id][-1])) for id in ids if id in rows]

    def _miss(self, connection: apsw.Connection, space: SpaceId) -> None:
        """Something is not there: see that it never was, or was erased."""
        row = self._spaces.find(connection, space)
        if row is not None:
            self._spaces.count(connection, row, "items")

    def history(self, space: SpaceId, id: str) -> list[MemoryItem]:
        def fetch(connection: apsw.Connection) -> list[MemoryItem]:
            row = self._spaces.find(connection, space)
            if row is None:
                return []
            self._spaces.count(connection, row, "items")
            self._spaces.count(connection, row, "versions")
            return [
                version
                for item in _chain(connection, row.id, id)
                for version in (*_former(connection, row.id, item.id), item)
            ]

        return self._database.read_together(fetch)

    def versions(self, space: SpaceId) -> Iterator[MemoryItem]:
        last = 0
        while True:

            def fetch(connection: apsw.Connection, after: int = last) -> list[Columns]:
                row = self._spaces.find(connection, space)
                if row is None:
                    return []
                self._spaces.count(connection, row, "versions", always=after == 0)
                return query(
                    connection,
                    f"{FORMER} WHERE space = ? AND row > ? ORDER BY row LIMIT ?",
                    (row.id, after, PAGE_OF_VERSIONS),
                )

            rows = self._database.read_together(fetch)
            if not rows:
                return
            yield from (item_of("versions", columns[1:]) for columns in rows)
            last = rows[-1][0]

    def accesses(self, space: SpaceId, ids: Sequence[str]) -> dict[str, int]:
        def fetch(connection: apsw.Connection) -> list[Columns]:
            return query(connection, ACCESSES, (*space, to_json(ids)))

        return {id: _count(count) for id, count in self._database.read(fetch)}

    def accesses_by_day(self, space: SpaceId, id: str) -> dict[str, int]:
        rows = self._database.read(lambda connection: query(connection, DAYS, (*space, id)))
        return {day: _count(count) for day, count in rows}

    def count_accesses(
        self, counts: Mapping[SpaceId, Mapping[str, int]], *, now: datetime, is_past: bool = False
    ) -> None:
        at, day, since = microseconds(now), day_of(now), day_of(now - ACCESS_DAYS_KEPT)

        def keep(connection: apsw.Connection) -> None:
            for space, counted in counts.items():
                row = self._spaces.find(connection, space)
                if row is None:
                    continue
                connection.executemany(COUNT, [(count, at, row.id, id) for id, count in counted.items()])
                if not is_past:
                    days = [(day, count, since, row.id, id) for id, count in counted.items()]
                    connection.executemany(COUNT_DAY, days)

        if any(counts.values()):
            self._database.write(keep)


def _row(columns: Columns, embedder: str) -> Row:
    item = item_of("items", columns[:WIDTH])
    vectors = columns[WIDTH] if embedder else None
    if vectors is not None and checksum("vectors", (columns[0], item.id, embedder, vectors)) != columns[-1]:
        raise DamagedStore(f"a row of vectors is damaged: {item.id!r}; restore a backup, or see what `check` tells")
    return Row(item.seq, item.id, item, vectors)


def _found(connection: apsw.Connection, space: int | None, ids: Sequence[str]) -> list[Columns]:
    """Rows and counts. The number of marks is rounded up, so that there are few statements to prepare."""
    marks = 1 << (len(ids) - 1).bit_length()
    return query(connection, _with_marks(marks), (space, *ids, *repeat(ids[-1], marks - len(ids))))


@cache
def _with_marks(marks: int) -> str:
    return f"{FOUND} (?{',?' * (marks - 1)})"


def _items(connection: apsw.Connection, statement: str, space: int, sought: str | bytes) -> list[MemoryItem]:
    return [item_of("items", columns) for columns in query(connection, statement, (space, sought))]


def _former(connection: apsw.Connection, space: int, id: str) -> list[MemoryItem]:
    statement = f"{FORMER} WHERE space = ? AND id = ? ORDER BY version, seq, row"
    return [item_of("versions", columns[1:]) for columns in query(connection, statement, (space, id))]


def _chain(connection: apsw.Connection, space: int, id: str) -> list[MemoryItem]:
    """Predecessors, the item, successors. In order of supersession: clocks of several machines may disagree."""
    before: list[MemoryItem] = []
    seen, generation = {id}, [id]
    while generation:
        earlier = [
            item
            for successor in generation
            for item in _items(
                connection, f"SELECT {ITEM} FROM items WHERE space = ? AND superseded_by = ?", space, successor
            )
            if item.id not in seen
        ]
        earlier.sort(key=lambda item: (item.created, item.seq))
        before[:0] = earlier
        generation = [item.id for item in earlier]
        seen.update(generation)
    after = _items(connection, ONE, space, id)
    while after and (successor := after[-1].superseded_by) is not None and successor not in seen:
        seen.add(successor)
        following = _items(connection, ONE, space, successor)
        if not following:
            break
        after += following
    return before + after


def _count(kept: object) -> int:
    """An access count; none is kept for what was never recalled."""
    if kept is not None and not isinstance(kept, int):
        raise DamagedStore("the access counts are damaged; restore a backup")
    return kept or 0

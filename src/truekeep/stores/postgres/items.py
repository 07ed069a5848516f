"""Reading items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from truekeep.model import MemoryItem, SpaceId
from truekeep.ports import Head, Page, Row
from truekeep.stores.records import ACCESS_DAYS_KEPT, day_of, microseconds

from .part import Part
from .rows import ITEM, ITEM_OF, item_of
from .session import Columns, Session
from .spaces import find, sought

# Row by row through the primary key. Told `id = ANY(...)`, and without statistics, as in a database that was filled a
# minute ago, the server may rather walk through the whole space. The LIMIT keeps it from turning this into the same.
SEVERAL = f"""SELECT {ITEM_OF} FROM unnest(%s::text[]) AS sought (id)
    CROSS JOIN LATERAL (SELECT {ITEM} FROM items WHERE space_id = %s AND items.id = sought.id LIMIT 1) AS i"""
HEAD = "SELECT head, floor FROM spaces WHERE tenant = %s AND name = ANY(%s)"
FOUND = "SELECT * FROM found(%s, %s::text[])"
ACCESSES = """SELECT sought.id, a.count FROM unnest(%s::text[]) AS sought (id)
    CROSS JOIN LATERAL (SELECT count FROM accesses WHERE space_id = %s AND accesses.id = sought.id LIMIT 1) AS a"""
CHANGED = f"""SELECT {ITEM}, NULL FROM items
    WHERE space_id = %(space)s AND seq > %(after)s AND id <> '' ORDER BY seq LIMIT %(limit)s"""
CHANGED_WITH_VECTORS = f"""SELECT {ITEM_OF}, v.data
    FROM (
        SELECT {ITEM} FROM items WHERE space_id = %(space)s AND seq > %(after)s AND id <> ''
        ORDER BY seq LIMIT %(limit)s
    ) AS i
    LEFT JOIN LATERAL (
        SELECT data FROM vectors WHERE space_id = %(space)s AND vectors.id = i.id AND embedder = %(embedder)s LIMIT 1
    ) AS v ON true ORDER BY i.seq"""
MARKED = """SELECT m.id, m.seq
    FROM (SELECT id, seq FROM markers WHERE space_id = %(space)s AND seq > %(after)s AND id <> '' ORDER BY seq) AS m
    LEFT JOIN LATERAL (
        SELECT 1 AS is_there FROM items WHERE space_id = %(space)s AND items.id = m.id LIMIT 1
    ) AS i ON true
    WHERE is_there IS NULL ORDER BY m.seq LIMIT %(limit)s"""  # others were imported again
FORMER = f"SELECT {ITEM}, filed FROM versions WHERE space_id = %s"
SUPERSEDED = f"SELECT {ITEM} FROM items WHERE space_id = %s AND superseded_by = ANY(%s)"
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
DAYS = """SELECT key, value::bigint FROM accesses, jsonb_each_text(days) WHERE space_id = %s AND id = %s"""
PAGE_OF_VERSIONS = 1000


class ItemRows(Part):
    """The reading half of the port `Items`."""

    def head(self, space: SpaceId) -> Head:
        rows = self._database.read(space.tenant, lambda session: session.query(HEAD, sought(session, space)))
        return Head(*rows[0]) if rows else Head(0, 0)

    def changes(self, space: SpaceId, *, after: int, embedder: str = "", limit: int = 10_000) -> Page:
        def fetch(session: Session) -> tuple[Head, list[Columns], list[Columns]]:
            row = find(session, space)
            if row is None:
                return Head(0, 0), [], []
            sought = {"space": row.id, "after": after, "limit": limit + 1, "embedder": embedder}
            changed = CHANGED_WITH_VECTORS if embedder else CHANGED
            items = session.query(changed, sought, binary=True)
            return Head(row.head, row.floor), items, session.query(MARKED, sought)

        head, items, marked = self._database.read_together(space.tenant, fetch)
        rows = [Row(columns[1], columns[0], item_of(columns[:-1]), columns[-1]) for columns in items]
        if marked:
            rows += [Row(seq, id, None, None) for id, seq in marked]
            rows.sort(key=lambda row: row.seq)
        return Page(head, rows[:limit], len(rows) > limit)

    def get(self, space: SpaceId, ids: Sequence[str]) -> list[MemoryItem]:
        return [item for item, _ in self.found(space, ids)]

    def found(self, space: SpaceId, ids: Sequence[str]) -> list[tuple[MemoryItem, int]]:
        def fetch(session: Session) -> dict[str, Columns]:
            number = self._number(session, space)
            rows = session.query(FOUND, (number, list(set(ids))))
            return {columns[0]: columns for columns in rows}

        rows = self._database.read(space.tenant, fetch) if ids else {}
        return [(item_of(rows[id][:-1]), rows[id][-1] or 0) for id in ids if id in rows]

    def history(self, space: SpaceId, id: str) -> list[MemoryItem]:
        def fetch(session: Session) -> list[MemoryItem]:
            row = find(session, space)
            if row is None:
                return []
            chain = _chain(session, row.id, id)
            versions: dict[str, list[MemoryItem]] = {item.id: [] for item in chain}
            statement = f"{FORMER} AND id = ANY(%s) ORDER BY version, seq, filed"
            for columns in session.query(statement, (row.id, list(versions))):
                versions[columns[0]].append(item_of(columns[:-1]))
            return [version for item in chain for version in (*versions[item.id], item)]

        return self._database.read_together(space.tenant, fetch)

    def versions(self, space: SpaceId) -> Iterator[MemoryItem]:
        last = 0
        while True:

            def fetch(session: Session, after: int = last) -> list[Columns]:
                row = find(session, space)
                statement = f"{FORMER} AND filed > %s ORDER BY filed LIMIT %s"
                return [] if row is None else session.query(statement, (row.id, after, PAGE_OF_VERSIONS))

            rows = self._database.read_together(space.tenant, fetch)
            if not rows:
                return
            yield from (item_of(columns[:-1]) for columns in rows)
            last = rows[-1][-1]

    def accesses(self, space: SpaceId, ids: Sequence[str]) -> dict[str, int]:
        def fetch(session: Session) -> dict[str, int]:
            return dict(session.query(ACCESSES, (list(set(ids)), self._number(session, space))))

        return self._database.read(space.tenant, fetch)

    def accesses_by_day(self, space: SpaceId, id: str) -> dict[str, int]:
        def fetch(session: Session) -> dict[str, int]:
            return dict(session.query(DAYS, (self._number(session, space), id)))

        return self._database.read(space.tenant, fetch)

    def count_accesses(
        self, counts: Mapping[SpaceId, Mapping[str, int]], *, now: datetime, is_past: bool = False
    ) -> None:
        """In order of spaces and ids, so that two who count the same items do not wait for each other in a circle."""
        day, since = day_of(now), day_of(now - ACCESS_DAYS_KEPT)

        def work(session: Session) -> None:
            numbers = {self._number(session, space): counted for space, counted in counts.items() if counted}
            for number, counted in sorted(numbers.items()):
                added = (list(counted), list(counted.values()))
                session.change(COUNT, (microseconds(now), *added, number))
                if not is_past:  # their rows are locked by now, in that order
                    session.change(COUNT_DAY, (since, day, day, *added, number))

        if any(counts.values()):
            tenants = {space.tenant for space in counts}
            self._database.change(tenants.pop() if len(tenants) == 1 else None, work)


def _chain(session: Session, space: int, id: str) -> list[MemoryItem]:
    """Predecessors, the item, successors. In order of supersession: clocks of several machines may disagree."""
    before: list[MemoryItem] = []
    seen, generation = {id}, [id]
    while generation:
        earlier = [item_of(columns) for columns in session.query(SUPERSEDED, (space, generation))]
        earlier = sorted((item for item in earlier if item.id not in seen), key=lambda item: (item.created, item.seq))
        before[:0] = earlier
        generation = [item.id for item in earlier]
        seen.update(generation)
    after = [item_of(columns) for columns in session.query(SEVERAL, ([id], space))]
    while after and (successor := after[-1].superseded_by) is not None and successor not in seen:
        seen.add(successor)
        following = session.query(SEVERAL, ([successor], space))
        if not following:
            break
        after.append(item_of(following[0]))
    return before + after

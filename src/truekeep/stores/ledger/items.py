"""Reading items, and what decisions about them depend on."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from truekeep.errors import DamagedStore
from truekeep.model import HIDDEN, MemoryItem, SpaceId
from truekeep.model.reports import day_of
from truekeep.ports import Head, Page, Row, Saying, Sight
from truekeep.stores.tables import fingerprint, microseconds

from .cells import Cells, Place, Space, answer_of, item_of
from .checkpoints import inherited, later
from .driver import Chapter
from .rows import Rows, Sought

PAGE_OF_VERSIONS = 1000
ACCESS_DAYS_KEPT = timedelta(days=30)  # of access counts by day, before the last one


class Items(Chapter):
    """The reading half of the port `Items`."""

    def head(self, space: SpaceId) -> Head:
        return self._driver.head(space)

    def heads(self, tenant: str) -> dict[str, Head]:
        found = self._driver.read(tenant, lambda rows: rows.heads(tenant))
        return {name: head for name, head in found.items() if not name.startswith(HIDDEN)}

    def changes(self, space: SpaceId, *, after: int, embedder: str = "", limit: int = 10_000) -> Page:
        def fetch(rows: Rows) -> tuple[Head, list[Row]]:
            row = rows.find(space)
            changed = later(rows, row, after, limit=limit + 1)
            vectors = _vectors(rows, row, [cells[0] for cells in changed], embedder)
            found = [Row(cells[1], cells[0], item_of(cells), vectors.get(cells[0])) for cells in changed]
            if erased := rows.erased(row, after, limit=limit + 1):
                found += [Row(seq, id, None, None) for id, seq, _ in erased]
                found.sort(key=lambda one: one.seq)
            return Head(row.head, row.floor), found

        head, found = self._driver.read(space.tenant, fetch, together=True)
        return Page(head, found[:limit], len(found) > limit)

    def get(self, space: SpaceId, ids: Sequence[str]) -> list[MemoryItem]:
        return [item for item, _ in self.found(space, ids)]

    def found(self, space: SpaceId, ids: Sequence[str]) -> list[tuple[MemoryItem, int]]:
        if not ids:
            return []
        rows = self._driver.read(space.tenant, lambda rows: rows.found(space, ids))
        by_id = {cells[0]: (cells, count) for cells, count in rows}
        return [(item_of(by_id[id][0]), by_id[id][1]) for id in ids if id in by_id]

    def history(self, space: SpaceId, id: str) -> list[MemoryItem]:
        def fetch(rows: Rows) -> list[MemoryItem]:
            row = rows.find(space)
            chain = _chain(rows, row, id)
            versions: dict[str, list[MemoryItem]] = {item.id: [] for item in chain}
            for cells in rows.of("versions", row, list(versions)):
                versions[cells[0]].append(item_of(cells))
            return [version for item in chain for version in (*versions[item.id], item)]

        return self._driver.read(space.tenant, fetch, together=True)

    def versions(self, space: SpaceId) -> Iterator[MemoryItem]:
        last: Place | None = ()
        while last is not None:

            def fetch(rows: Rows, after: Place = last) -> tuple[list[MemoryItem], Place | None]:
                page = rows.page("versions", rows.find(space), after=after, limit=PAGE_OF_VERSIONS)
                return [item_of(cells) for _, cells in page], page[-1][0] if page else None

            found, last = self._driver.read(space.tenant, fetch, together=True)
            yield from found

    def accesses(self, space: SpaceId, ids: Sequence[str]) -> dict[str, int]:
        sought = list(set(ids))
        found = self._driver.read(space.tenant, lambda rows: rows.of("accesses", rows.seen(space), sought))
        return {id: count for id, count, _, _ in found}

    def accesses_by_day(self, space: SpaceId, id: str) -> dict[str, int]:
        found = self._driver.read(space.tenant, lambda rows: rows.of("accesses", rows.seen(space), [id]))
        return _days(found[0][3]) if found else {}

    def count_accesses(
        self, counts: Mapping[SpaceId, Mapping[str, int]], *, now: datetime, is_past: bool = False
    ) -> None:
        """In order of spaces and ids, so that two who count the same items do not wait for each other in a circle."""
        days = None if is_past else (day_of(now), day_of(now - ACCESS_DAYS_KEPT))

        def work(rows: Rows) -> None:
            for space in sorted(counts):
                if counts[space]:
                    row = rows.seen(space)
                    rows.count_accesses(row, dict(sorted(counts[space].items())), at=microseconds(now), days=days)

        if any(counts.values()):
            tenants = {space.tenant for space in counts}
            self._driver.change(tenants.pop() if len(tenants) == 1 else None, work)

    def look(
        self,
        space: SpaceId,
        *,
        claims: Collection[tuple[str, datetime]] = (),
        sayings: Collection[Saying] = (),
        answers: Collection[str] = (),
    ) -> Sight:
        secret, sought = self._driver.secret, list(sayings)
        marks = [fingerprint(secret, space, one.statement) for one in sought]
        said = [(mark, one.source or "", one.speaker) for mark, one in zip(marks, sought, strict=True)]
        times = [(key, microseconds(time)) for key, time in claims]

        def fetch(rows: Rows) -> Sight:
            row = rows.find(space)
            seen = rows.sight(row, Sought(times, said, answers))
            same = {one: list(map(item_of, found)) for one, found in zip(sought, seen.said, strict=True) if found}
            gone = {one.statement for one, mark in zip(sought, marks, strict=True) if mark in seen.forgotten}
            gone.update(inherited(rows, row, secret, {one.statement for one in sought}).values())
            answered = {cells[0]: answer_of(cells) for cells in seen.answers}
            return Sight(Head(row.head, row.floor), _by_key(seen.claims), same, answered, frozenset(gone))

        return self._driver.read(space.tenant, fetch, together=True)

    def replaced_by(self, space: SpaceId, id: str, *, limit: int = 1) -> list[MemoryItem]:
        def fetch(rows: Rows) -> Sequence[Cells]:
            return rows.superseded(rows.find(space), [id], limit=limit)

        return [item_of(cells) for cells in self._driver.read(space.tenant, fetch, together=True)]


def _vectors(rows: Rows, row: Space, ids: Sequence[str], embedder: str) -> dict[str, bytes]:
    found = rows.vectors(row, ids, embedder) if ids and embedder else ()
    return {id: data for id, _, data in found}


def _chain(rows: Rows, row: Space, id: str) -> list[MemoryItem]:
    """Predecessors, the item, successors. In order of supersession: clocks of several machines may disagree."""
    before: list[MemoryItem] = []
    seen, generation = {id}, [id]
    while generation:
        earlier = [item_of(cells) for cells in rows.superseded(row, generation)]
        earlier = sorted((item for item in earlier if item.id not in seen), key=lambda item: (item.created, item.seq))
        before[:0] = earlier
        generation = [item.id for item in earlier]
        seen.update(generation)
    after = [item_of(cells) for cells in rows.of("items", row, [id])]
    while after and (successor := after[-1].superseded_by) is not None and successor not in seen:
        seen.add(successor)
        following = rows.of("items", row, [successor])
        if not following:
            break
        after.append(item_of(following[0]))
    return before + after


def _days(kept: str) -> dict[str, int]:
    """Nothing but a help for people, and so not sealed: damage shows here."""
    try:
        return {day: int(count) for day, count in json.loads(kept).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise DamagedStore("the access counts are damaged; restore a backup") from error


def _by_key(claims: Sequence[Cells]) -> dict[str, Sequence[MemoryItem]]:
    found: dict[str, dict[str, MemoryItem]] = {}
    for cells in claims:
        found.setdefault(cells[4], {})[cells[0]] = item_of(cells)
    return {key: sorted(items.values(), key=_place) for key, items in found.items()}


def _place(claim: MemoryItem) -> tuple[datetime, bool, datetime, datetime, int]:
    """In the order in which they follow each other."""
    return claim.when, claim.until is None, claim.until or claim.when, claim.created, claim.seq

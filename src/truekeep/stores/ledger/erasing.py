"""Erasing: rows, what was derived from them, and what tells of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from truekeep.model import MemoryItem, SpaceId
from truekeep.ports import Erased
from truekeep.stores.records import microseconds

from .applying import items_of, tombstoned
from .chapter import Chapter
from .cutting import cut_out, jobs_telling
from .fates import Fate, Gone
from .kept import item_of, kept
from .mentions import clear_mentions
from .rows import Rows
from .space import Space


class Erasing(Chapter):
    """The part of the port `Items` that forgets."""

    def erase(
        self,
        space: SpaceId,
        ids: Sequence[str],
        *,
        now: datetime,
        reopen: bool = False,
        along: Callable[[MemoryItem], bool] | None = None,
    ) -> Erased:
        def work(rows: Rows) -> Gone:
            row = rows.find(space)
            all_ids = ids if along is None else _with_predecessors(rows, row, ids, along)
            gone = _erase_items(rows, row, all_ids, now, reopen=reopen)
            marks = gone.fingerprints - tombstoned(rows, row, gone.fingerprints)
            rows.keep("tombstones", row, [(mark, row.head) for mark in marks])
            return gone

        gone = self._driver.write(space, work)
        if not gone.fates:
            return Erased((), 0, False)
        return Erased(tuple(gone.fates), self._search(space, gone), not self._driver.clean())

    def erase_expired(self, now: datetime, *, limit: int = 1000) -> int:
        by_space: dict[SpaceId, list[str]] = {}
        for space, id in self._driver.read(None, lambda rows: rows.expired(microseconds(now), limit)):
            by_space.setdefault(space, []).append(id)

        def work(rows: Rows, space: SpaceId) -> int:
            row = rows.find(space)
            items = [old.item for old in items_of(rows, row, by_space[space]).values()]
            over = [item.id for item in items if item.expires is not None and item.expires <= now]
            return len(_erase_items(rows, row, over, now, reopen=True).fates)

        return sum(self._driver.write_each(sorted(by_space), work)) if by_space else 0

    def erase_space(self, space: SpaceId) -> Erased:
        def work(rows: Rows) -> Sequence[str]:
            row = rows.find(space)
            if not row.is_there:
                return []
            ids = rows.empty(row)
            row.floor = row.next_seq()  # instead of a marker for each: whoever knew anything starts again
            rows.hide(space)
            rows.drop_usage(tenant=space.tenant, subject=f"space:{space.name}")
            return ids

        ids = self._driver.write(space, work)
        is_clean = self._driver.clean()
        return Erased(ids, self._search(space, Gone(dict.fromkeys(ids, Fate(None, None, None)))), not is_clean)

    def _search(self, space: SpaceId, gone: Gone) -> int:
        """How many of the erased can still be found; what a receipt says is found out, not assumed."""

        def seek(rows: Rows) -> int:
            row = rows.find(space)
            return rows.remaining(row, list(gone.fates)) + len(jobs_telling(rows, row, gone.texts))

        return self._driver.read(space.tenant, seek, together=True)


def _with_predecessors(
    rows: Rows, row: Space, ids: Sequence[str], along: Callable[[MemoryItem], bool]
) -> Collection[str]:
    found, waiting = dict.fromkeys(ids), list(ids)
    while waiting:
        superseded = [item_of(cells) for cells in rows.superseded(row, waiting)]
        waiting = [item.id for item in superseded if along(item) and item.id not in found]
        found.update(dict.fromkeys(waiting))
    return found


def _erase_items(rows: Rows, row: Space, ids: Collection[str], now: datetime, *, reopen: bool) -> Gone:
    """Erase those that are there, with everything but their tombstones."""
    gone, present = Gone(), items_of(rows, row, ids)
    if not present:
        return gone
    here = [id for id in dict.fromkeys(ids) if id in present]
    for id in here:
        item = present[id].item
        gone.fates[id] = Fate(item.until, item.retired, item.superseded_by)
    for one in (*present.values(), *(kept(cells) for cells in rows.of("versions", row, here))):
        gone.texts.add(one.item.content)
        gone.fingerprints.add(one.fingerprint)
        if one.item.superseded_by is not None:
            gone.successors.add(one.item.superseded_by)
    for table in ("items", "versions", "vectors", "accesses"):
        rows.drop(table, row, here)
    rows.drop_answers_about(row, here)
    rows.keep("markers", row, [(id, row.next_seq(), microseconds(now)) for id in here])
    clear_mentions(rows, row, gone, now, reopen=reopen)
    cut_out(rows, row, gone.texts)
    rows.drop_snapshots(row)
    return gone

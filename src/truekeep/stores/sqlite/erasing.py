"""Erasing: rows, what was derived from them, what tells of them, and the bytes that they leave behind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

import apsw

from truekeep.model import MemoryItem, SpaceId
from truekeep.ports import Erased
from truekeep.stores.fates import Fate
from truekeep.stores.ledger.space import Space

from .cutting import cut_out, jobs_telling
from .items import ONE
from .mentions import RETIRED, SUCCESSOR, UNTIL, Gone, clear_mentions
from .part import Part
from .rows import ITEM, item_of, microseconds, query, sealed, verified
from .spaces import TALLIED, tally
from .wiping import wipe_if_small, wipe_is_due

SUPERSEDED = f"SELECT {ITEM} FROM items WHERE space = ? AND superseded_by = ?"


class Erasing(Part):
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
        at = microseconds(now)

        def work(connection: apsw.Connection) -> Gone:
            row = self._spaces.find(connection, space)
            if row is None:
                return Gone()
            all_ids = ids if along is None else _with_predecessors(connection, row, ids, along)
            gone = _erase_items(connection, row, all_ids, at, reopen=reopen)
            if gone.fates:
                _entomb(connection, row, gone.fingerprints)
                self._spaces.save(connection, row)
            return gone

        gone = self._database.write(work)
        if not gone.fates:
            return Erased((), 0, False)
        return Erased(tuple(gone.fates), self._search(space, gone), not wipe_if_small(self._database))

    def erase_expired(self, now: datetime, *, limit: int = 1000) -> int:
        sought = (microseconds(now), limit)
        statement = "SELECT space, id FROM items WHERE expires <= ? ORDER BY expires LIMIT ?"

        def work(connection: apsw.Connection) -> int:
            by_space: dict[int, list[str]] = {}
            for space, id in query(connection, statement, sought):
                by_space.setdefault(space, []).append(id)
            for space, ids in by_space.items():
                row = self._spaces.by_id(connection, space)
                _erase_items(connection, row, ids, sought[0], reopen=True)
                self._spaces.save(connection, row)
            return sum(map(len, by_space.values()))

        # Idle processes ask often: only one that sees something goes on to take the write lock.
        if not self._database.read(lambda connection: query(connection, statement, sought)):
            return 0
        return self._database.write(work)

    def erase_space(self, space: SpaceId) -> Erased:
        def work(connection: apsw.Connection) -> list[str]:
            row = self._spaces.find(connection, space)
            if row is None:
                return []
            ids = [id for (id,) in query(connection, "SELECT id FROM items WHERE space = ?", (row.id,))]
            for table in (*TALLIED, "markers", "vectors", "accesses", "snapshots", "pieces", "moves"):
                connection.execute(f"DELETE FROM {table} WHERE space = ?", (row.id,))
            row.floor = row.next_seq()  # instead of a marker for each: whoever knew anything starts again
            row.counts = dict.fromkeys(row.counts, 0)
            self._spaces.hide(connection, row, space)
            connection.execute(
                "DELETE FROM usage WHERE tenant = ? AND subject = ?", (space.tenant, f"space:{space.name}")
            )
            wipe_is_due(connection)
            return ids

        ids = self._database.write(work)
        wiped = wipe_if_small(self._database)
        return Erased(ids, self._search(space, Gone(dict.fromkeys(ids, Fate(None, None, None)))), not wiped)

    def _search(self, space: SpaceId, gone: Gone) -> int:
        """How many of the erased can still be found; what a receipt says is found out, not assumed."""

        def seek(connection: apsw.Connection) -> int:
            row = self._spaces.find(connection, space)
            if row is None:
                return 0
            found = {id for id in gone.fates if _is_found(connection, row.id, id)}
            return len(found) + jobs_telling(connection, row.id, gone.texts)

        return self._database.read_together(seek)


def _is_found(connection: apsw.Connection, space: int, id: str) -> bool:
    statement = """SELECT
        EXISTS (SELECT 1 FROM items WHERE space = ?1 AND id = ?2)
        OR EXISTS (SELECT 1 FROM items WHERE space = ?1 AND superseded_by = ?2)
        OR EXISTS (SELECT 1 FROM versions WHERE space = ?1 AND id = ?2)
        OR EXISTS (SELECT 1 FROM vectors WHERE space = ?1 AND id = ?2)
        OR EXISTS (SELECT 1 FROM accesses WHERE space = ?1 AND id = ?2)
        OR EXISTS (SELECT 1 FROM answers WHERE space = ?1 AND id = ?2)"""
    return bool(query(connection, statement, (space, id))[0][0])


def _with_predecessors(
    connection: apsw.Connection, row: Space, ids: Sequence[str], along: Callable[[MemoryItem], bool]
) -> list[str]:
    found, waiting = dict.fromkeys(ids), list(ids)
    while waiting:
        superseded = query(connection, SUPERSEDED, (row.id, waiting.pop()))
        named = [item.id for item in (item_of("items", one) for one in superseded) if along(item)]
        waiting += [id for id in named if id not in found]
        found.update(dict.fromkeys(named))
    return list(found)


def _erase_items(connection: apsw.Connection, row: Space, ids: Sequence[str], at: int, *, reopen: bool) -> Gone:
    """Erase those that are there, with everything but their tombstones and the bytes in the file."""
    gone = Gone()
    for id in dict.fromkeys(ids):
        _erase_item(connection, row, id, gone)
    if gone.fates:
        _mark(connection, row, gone.fates, at)
        clear_mentions(connection, row, gone, at, reopen=reopen)
        cut_out(connection, row, gone.texts)
        _erase_snapshots(connection, row)
        wipe_is_due(connection)
    return gone


def _erase_item(connection: apsw.Connection, row: Space, id: str, gone: Gone) -> None:
    present = query(connection, ONE, (row.id, id))
    if not present:
        return
    gone.fates[id] = Fate(present[0][UNTIL], present[0][RETIRED], present[0][SUCCESSOR])
    former = query(connection, f"SELECT {ITEM} FROM versions WHERE space = ? AND id = ?", (row.id, id))
    for table, columns in (("items", present[0]), *(("versions", columns) for columns in former)):
        verified(table, columns, id)
        tally(row, table, removed=columns[-1])
        gone.texts.add(columns[3])
        if columns[6] is not None:
            gone.fingerprints.add(columns[6])
        if columns[SUCCESSOR] is not None:
            gone.successors.add(columns[SUCCESSOR])
    for table in ("items", "versions", "vectors", "accesses"):
        connection.execute(f"DELETE FROM {table} WHERE space = ? AND id = ?", (row.id, id))
    answers = "DELETE FROM answers WHERE space = ? AND id = ? RETURNING checksum"
    for (checksum,) in query(connection, answers, (row.id, id)):
        tally(row, "answers", removed=checksum)


def _mark(connection: apsw.Connection, row: Space, ids: Collection[str], at: int) -> None:
    for id in ids:
        marker = sealed("markers", row.id, id, row.next_seq(), at)
        connection.execute("INSERT OR REPLACE INTO markers VALUES (?, ?, ?, ?, ?)", marker)


def _entomb(connection: apsw.Connection, row: Space, fingerprints: Collection[bytes]) -> None:
    for mark in fingerprints:
        tombstone = sealed("tombstones", row.id, mark, row.head)
        statement = "INSERT OR IGNORE INTO tombstones VALUES (?, ?, ?, ?) RETURNING checksum"
        for (checksum,) in query(connection, statement, tombstone):
            tally(row, "tombstones", added=checksum)


def _erase_snapshots(connection: apsw.Connection, row: Space) -> None:
    connection.execute("DELETE FROM snapshots WHERE space = ?", (row.id,))
    connection.execute("DELETE FROM pieces WHERE space = ?", (row.id,))

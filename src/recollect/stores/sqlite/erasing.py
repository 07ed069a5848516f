"""Erasing: rows, what was derived from them, what tells of them, and the bytes that they leave behind."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import apsw

from recollect.model import SpaceId
from recollect.ports import Erased

from .applying import file_version, rewrite
from .items import ONE
from .part import Part
from .rows import ITEM, Column, Columns, microseconds, query, sealed, to_json, verified
from .spaces import TALLIED, Space, keep_meta, meta
from .wiping import wipe

BODY, RETIRED, SUCCESSOR = 4, 12, 14  # places in ITEM
ANSWERS = "SELECT space, key, request, id, outcome, superseded, at, checksum FROM answers"


@dataclass(slots=True)
class Gone:
    """What an erasure took away, as far as the rest of it needs to know. Lives only in memory."""

    ids: list[str] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)
    fingerprints: set[bytes] = field(default_factory=set)
    successors: set[str] = field(default_factory=set)


class Erasing(Part):
    """The part of the port `Items` that forgets."""

    def erase(self, space: SpaceId, ids: Sequence[str], *, now: datetime, tombstones: bool = True) -> Erased:
        at = microseconds(now)

        def work(connection: apsw.Connection) -> Gone:
            row = self._spaces.find(connection, space)
            gone = Gone()
            if row is None:
                return gone
            for id in dict.fromkeys(ids):
                _erase_item(connection, row, id, gone)
            if gone.ids:
                _mark(connection, row, gone.ids, at)
                _clear_mentions(connection, row, gone, at)
                if tombstones:
                    _entomb(connection, row, gone.fingerprints)
                _erase_jobs(connection, row, gone.texts)
                _erase_snapshots(connection, row)
                self._spaces.save(connection, row)
                _wipe_is_due(connection)
            return gone

        gone = self._database.write(work)
        if not gone.ids:
            return Erased((), 0, False)
        wiped = wipe(self._database)
        return Erased(tuple(gone.ids), self._search(space, gone), not wiped)

    def erase_jobs(self, space: SpaceId, *, session: str) -> bool:
        def work(connection: apsw.Connection) -> int:
            row = self._spaces.find(connection, space)
            if row is None:
                return 0
            statement = "DELETE FROM jobs WHERE space = ? AND json_extract(payload, '$.session') = ? RETURNING checksum"
            gone = query(connection, statement, (row.id, session))
            for (checksum,) in gone:
                row.tally("jobs", removed=checksum)
            if gone:
                self._spaces.save(connection, row)
                _wipe_is_due(connection)
            return len(gone)

        return not self._database.write(work) or wipe(self._database)

    def erase_space(self, space: SpaceId) -> Erased:
        def work(connection: apsw.Connection) -> list[str]:
            row = self._spaces.find(connection, space)
            if row is None:
                return []
            ids = [id for (id,) in query(connection, "SELECT id FROM items WHERE space = ?", (row.id,))]
            for table in (*TALLIED, "markers", "vectors", "accesses", "snapshots", "pieces"):
                connection.execute(f"DELETE FROM {table} WHERE space = ?", (row.id,))
            row.floor = row.next_seq()  # instead of a marker for each: whoever knew anything starts again
            row.counts = [0] * len(row.counts)
            self._spaces.save(connection, row)
            _wipe_is_due(connection)
            return ids

        ids = self._database.write(work)
        wiped = wipe(self._database)
        return Erased(ids, self._search(space, Gone(ids=ids)), not wiped)

    def _search(self, space: SpaceId, gone: Gone) -> int:
        """How many of the erased can still be found; what a receipt says is found out, not assumed."""

        def seek(connection: apsw.Connection) -> int:
            row = self._spaces.find(connection, space)
            if row is None:
                return 0
            found = {id for id in gone.ids if _is_found(connection, row.id, id)}
            return len(found) + len(_jobs_with(connection, row.id, gone.texts))

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


def _erase_item(connection: apsw.Connection, row: Space, id: str, gone: Gone) -> None:
    present = query(connection, ONE, (row.id, id))
    if not present:
        return
    gone.ids.append(id)
    former = query(connection, f"SELECT {ITEM} FROM versions WHERE space = ? AND id = ?", (row.id, id))
    for table, columns in (("items", present[0]), *(("versions", columns) for columns in former)):
        verified(table, columns, id)
        row.tally(table, removed=columns[-1])
        gone.texts.add(columns[3])
        if columns[6] is not None:
            gone.fingerprints.add(columns[6])
        if columns[SUCCESSOR] is not None:
            gone.successors.add(columns[SUCCESSOR])
    for table in ("items", "versions", "vectors", "accesses"):
        connection.execute(f"DELETE FROM {table} WHERE space = ? AND id = ?", (row.id, id))
    answers = "DELETE FROM answers WHERE space = ? AND id = ? RETURNING checksum"
    for (checksum,) in query(connection, answers, (row.id, id)):
        row.tally("answers", removed=checksum)


def _mark(connection: apsw.Connection, row: Space, ids: Sequence[str], at: int) -> None:
    for id in ids:
        marker = sealed("markers", row.id, id, row.next_seq(), at)
        connection.execute("INSERT OR REPLACE INTO markers VALUES (?, ?, ?, ?, ?)", marker)


def _clear_mentions(connection: apsw.Connection, row: Space, gone: Gone, at: int) -> None:
    """What was superseded by an erased item stays retired; only the name of its successor goes."""
    for id in gone.ids:
        statement = f"SELECT {ITEM} FROM items WHERE space = ? AND superseded_by = ?"
        for old in query(connection, statement, (row.id, id)):
            columns = _without(verified("items", old, old[1]), gone.ids, at)
            rewrite(connection, row, old, (*columns[:2], row.next_seq(), *columns[3:]))
    for id in gone.successors.difference(gone.ids):
        for old in query(connection, ONE, (row.id, id)):
            columns = _without(verified("items", old, id), gone.ids, at)
            if columns != old[:-1]:
                rewrite(connection, row, old, (*columns[:2], row.next_seq(), *columns[3:]))
    _clear_former(connection, row, gone.ids, at)
    _clear_answers(connection, row, frozenset(gone.ids))


def _clear_former(connection: apsw.Connection, row: Space, ids: Sequence[str], at: int) -> None:
    statement = f"SELECT row, {ITEM} FROM versions WHERE space = ? AND superseded_by IS NOT NULL"
    for number, *old in query(connection, statement, (row.id,)):
        if old[SUCCESSOR] in ids:
            columns = _without(verified("versions", tuple(old), old[1]), ids, at)
            connection.execute("DELETE FROM versions WHERE row = ?", (number,))
            row.tally("versions", removed=old[-1])
            file_version(connection, row, columns)


def _clear_answers(connection: apsw.Connection, row: Space, ids: frozenset[str]) -> None:
    """An answer that only mentions an erased item stays: its idempotency key must not come free."""
    statement = f"{ANSWERS} WHERE space = ? AND superseded != '[]'"
    for old in query(connection, statement, (row.id,)):
        superseded = json.loads(verified("answers", old, old[3])[5])
        if not ids.isdisjoint(superseded):
            left = to_json([id for id in superseded if id not in ids])
            new = sealed("answers", *old[:5], left, old[6])
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", new)
            row.tally("answers", added=new[-1], removed=old[-1])


def _without(columns: Columns, ids: Collection[str], at: int) -> tuple[Column, ...]:
    """The columns (without checksum) of an item, naming none of the ids any more."""
    new = list(columns[:-1])
    if new[SUCCESSOR] in ids:
        new[SUCCESSOR] = None
        if new[RETIRED] is None:
            new[RETIRED] = at
    body = json.loads(new[BODY])
    if any(id in (body.get("reason") or "") for id in ids):
        del body["reason"]
        new[BODY] = to_json(body)
    return tuple(new)


def _entomb(connection: apsw.Connection, row: Space, fingerprints: Collection[bytes]) -> None:
    for mark in fingerprints:
        tombstone = sealed("tombstones", row.id, mark, row.head)
        statement = "INSERT OR IGNORE INTO tombstones VALUES (?, ?, ?, ?) RETURNING checksum"
        for (checksum,) in query(connection, statement, tombstone):
            row.tally("tombstones", added=checksum)


def _erase_jobs(connection: apsw.Connection, row: Space, texts: Collection[str]) -> None:
    for number, checksum in _jobs_with(connection, row.id, texts):
        connection.execute("DELETE FROM jobs WHERE row = ?", (number,))
        row.tally("jobs", removed=checksum)


def _jobs_with(connection: apsw.Connection, space: int, texts: Collection[str]) -> list[tuple[int, int]]:
    """Number and checksum of the jobs that contain one of the texts; as JSON the texts look the way they do there."""
    sought = [to_json(text)[1:-1] for text in texts]
    statement = "SELECT row, checksum, payload, result, error FROM jobs WHERE space = ?"
    return [
        (number, checksum)
        for number, checksum, payload, result, error in query(connection, statement, (space,))
        if any(text in payload or text in result for text in sought) or any(text in (error or "") for text in texts)
    ]


def _erase_snapshots(connection: apsw.Connection, row: Space) -> None:
    connection.execute("DELETE FROM snapshots WHERE space = ?", (row.id,))
    connection.execute("DELETE FROM pieces WHERE space = ?", (row.id,))


def _wipe_is_due(connection: apsw.Connection) -> None:
    _, secret, _, spaces, total, _ = meta(connection)
    keep_meta(connection, secret, 1, spaces, total)

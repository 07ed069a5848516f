"""Erasing: rows, what was derived from them, and what tells of them.

What is erased is gone for every statement once it is committed. Its bytes leave the pages and the log of the server
when that cleans up after itself, and leave a backup when that is thrown away: the page about scaling out says how to
hurry it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from truekeep.model import JSON, MemoryItem, SpaceId
from truekeep.ports import Erased
from truekeep.stores import fates
from truekeep.stores.cutting import shortened, without
from truekeep.stores.fates import Fate
from truekeep.stores.ledger.space import Space
from truekeep.stores.records import body_of, microseconds, moment, to_json

from .applying import replace_rows
from .items import FORMER, SEVERAL, SUPERSEDED
from .jobs import jobs_of
from .part import Part
from .rows import ITEM, Kept, bytes_of, kept
from .session import Session
from .spaces import Writing, find

OF_SPACE = (
    *("items", "versions", "markers", "vectors", "tombstones", "answers", "accesses", "kept_values"),
    *("snapshots", "pieces", "jobs", "moves"),
)
IN_DOUBT = f"SELECT {ITEM} FROM items WHERE space_id = %s AND (body -> 'suspected_by') IS NOT NULL"
NAMING_OTHERS = f"""{FORMER} AND (superseded_by IS NOT NULL OR (body -> 'suspected_by') IS NOT NULL)
    AND (superseded_by = ANY(%s) OR (body -> 'suspected_by') IS NOT NULL)"""
MARK = """INSERT INTO markers (tenant, space_id, id, seq, at)
    SELECT %s, %s, m.id, m.seq, %s FROM unnest(%s::text[], %s::bigint[]) AS m (id, seq)
    ON CONFLICT (space_id, id) DO UPDATE SET seq = excluded.seq, at = excluded.at"""
ENTOMB = """INSERT INTO tombstones (tenant, space_id, fingerprint, seq)
    SELECT %s, %s, mark, %s FROM unnest(%s::bytea[]) AS t (mark) ON CONFLICT DO NOTHING"""
# An answer that only mentions an erased item stays: its idempotency key must not come free.
FORGET_MENTIONS = """UPDATE answers SET superseded = ARRAY(
        SELECT named FROM unnest(superseded) WITH ORDINALITY AS s (named, place) WHERE named <> ALL(%s) ORDER BY place
    ) WHERE space_id = %s AND superseded && %s::text[]"""
REVISE = "UPDATE versions SET body = %s, superseded_by = %s, retired = %s WHERE space_id = %s AND filed = %s"
CUT = "UPDATE jobs SET payload = %s, result = %s, error = %s WHERE space_id = %s AND id = %s"
EXPIRED = """SELECT s.tenant, s.name, i.id FROM items AS i JOIN spaces AS s ON s.id = i.space_id
    WHERE i.expires <= %s ORDER BY i.expires LIMIT %s"""
STILL_THERE = """SELECT count(*) FROM unnest(%(ids)s::text[]) AS gone (id) WHERE
    EXISTS (SELECT 1 FROM items AS i WHERE i.space_id = %(space)s AND i.id = gone.id)
    OR EXISTS (SELECT 1 FROM items AS i WHERE i.space_id = %(space)s AND i.superseded_by = gone.id)
    OR EXISTS (SELECT 1 FROM versions AS v WHERE v.space_id = %(space)s AND v.id = gone.id)
    OR EXISTS (SELECT 1 FROM vectors AS v WHERE v.space_id = %(space)s AND v.id = gone.id)
    OR EXISTS (SELECT 1 FROM accesses AS a WHERE a.space_id = %(space)s AND a.id = gone.id)
    OR EXISTS (SELECT 1 FROM answers AS a WHERE a.space_id = %(space)s AND a.id = gone.id)"""


Gone = fates.Gone[datetime]


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
        def work(writing: Writing) -> Gone:
            session, row = writing.session, writing.find()
            if row is None:
                return Gone()
            all_ids = ids if along is None else _with_predecessors(session, row, ids, along)
            gone = _erase_items(session, row, all_ids, now, reopen=reopen)
            if gone.fates:
                marks = list(gone.fingerprints)
                row.counts["tombstones"] += session.change(ENTOMB, (row.tenant, row.id, row.head, marks))
            return gone

        gone = self._database.write(space, work)
        if not gone.fates:
            return Erased((), 0, False)
        return Erased(tuple(gone.fates), self._search(space, gone), False)

    def erase_expired(self, now: datetime, *, limit: int = 1000) -> int:
        sought = (microseconds(now), limit)
        by_space: dict[SpaceId, list[str]] = {}
        for tenant, name, id in self._database.read(None, lambda session: session.query(EXPIRED, sought)):
            by_space.setdefault(SpaceId(tenant, name), []).append(id)
        return sum(self._erase_expired(space, ids, now) for space, ids in by_space.items())

    def _erase_expired(self, space: SpaceId, ids: Sequence[str], now: datetime) -> int:
        def work(writing: Writing) -> int:
            session, row = writing.session, writing.find()
            if row is None:
                return 0
            statement = "SELECT id FROM items WHERE space_id = %s AND id = ANY(%s) AND expires <= %s"
            over = [id for (id,) in session.query(statement, (row.id, list(ids), microseconds(now)))]
            return len(_erase_items(session, row, over, now, reopen=True).fates)

        return self._database.write(space, work)

    def erase_space(self, space: SpaceId) -> Erased:
        def work(writing: Writing) -> list[str]:
            session, row = writing.session, writing.find()
            if row is None:
                return []
            ids = [id for (id,) in session.query("SELECT id FROM items WHERE space_id = %s ORDER BY seq", (row.id,))]
            for table in OF_SPACE:
                session.change(f"DELETE FROM {table} WHERE space_id = %s", (row.id,))
            row.floor = row.next_seq()  # instead of a marker for each: whoever knew anything starts again
            row.counts["items"] = row.counts["tombstones"] = row.counts["kept_values"] = row.counts["bytes"] = 0
            writing.hide()
            session.change(
                "DELETE FROM usage WHERE tenant = %s AND subject = %s", (space.tenant, f"space:{space.name}")
            )
            return ids

        ids = self._database.write(space, work)
        return Erased(ids, self._search(space, Gone(dict.fromkeys(ids, Fate(None, None, None)))), False)

    def _search(self, space: SpaceId, gone: Gone) -> int:
        """How many of the erased can still be found; what a receipt says is found out, not assumed."""

        def seek(session: Session) -> int:
            row = find(session, space)
            if row is None:
                return 0
            found = session.query(STILL_THERE, {"ids": list(gone.fates), "space": row.id})[0][0]
            jobs = jobs_of(session, row, lock=False) if gone.texts else []
            return int(found) + sum(_told(job.payload, job.result, job.error, gone.texts) is not None for job in jobs)

        return self._database.read_together(space.tenant, seek)


def _with_predecessors(
    session: Session, row: Space, ids: Sequence[str], along: Callable[[MemoryItem], bool]
) -> list[str]:
    found, waiting = dict.fromkeys(ids), list(ids)
    while waiting:
        superseded = [kept(columns).item for columns in session.query(SUPERSEDED, (row.id, waiting))]
        waiting = [item.id for item in superseded if along(item) and item.id not in found]
        found.update(dict.fromkeys(waiting))
    return list(found)


def _erase_items(session: Session, row: Space, ids: Sequence[str], now: datetime, *, reopen: bool) -> Gone:
    """Erase those that are there, with everything but their tombstones."""
    gone = Gone()
    sought = list(dict.fromkeys(ids))
    present = {columns[0]: kept(columns) for columns in session.query(SEVERAL, (sought, row.id))}
    if not present:
        return gone
    here = [id for id in sought if id in present]
    former = [kept(columns[:-1]) for columns in session.query(f"{FORMER} AND id = ANY(%s)", (row.id, here))]
    for id in here:
        item = present[id].item
        gone.fates[id] = Fate(item.until, item.retired, item.superseded_by)
    for one in (*present.values(), *former):
        gone.texts.add(one.item.content)
        gone.fingerprints.add(one.fingerprint)
        gone.successors.update({one.item.superseded_by} - {None})  # type: ignore[arg-type]  # None is taken out
        row.counts["bytes"] -= bytes_of(one.item)
    for table in ("items", "versions", "vectors", "accesses", "answers"):
        session.change_later(f"DELETE FROM {table} WHERE space_id = %s AND id = ANY(%s)", (row.id, here))
    row.counts["items"] -= len(here)
    seqs = [row.next_seq() for _ in here]
    session.change_later(MARK, (row.tenant, row.id, microseconds(now), here, seqs))
    _clear_mentions(session, row, gone, now, reopen=reopen)
    _cut_out(session, row, gone.texts)
    for table in ("snapshots", "pieces"):
        session.change_later(f"DELETE FROM {table} WHERE space_id = %s", (row.id,))
    return gone


def _clear_mentions(session: Session, row: Space, gone: Gone, now: datetime, *, reopen: bool) -> None:
    """What was superseded by an erased item stays retired, unless it is reopened; the name of its successor goes."""
    ids = frozenset(gone.fates)
    retired = [kept(columns) for columns in session.query(SUPERSEDED, (row.id, list(ids)))]
    others = [kept(columns) for columns in session.query(SEVERAL, (list(gone.successors - ids), row.id))]
    doubted = [kept(columns) for columns in session.query(IN_DOUBT, (row.id,))]
    changed: dict[str, tuple[Kept, MemoryItem]] = {}
    for old in retired:
        item = _without(old.item, ids, now)
        if reopen:
            item = _reopened(session, row, item, gone.left_by(old.item.superseded_by or ""))
        changed[item.id] = (old, item)
    for old in (*others, *doubted):
        item = _without(old.item, ids, now)
        if old.item.id not in changed and item != old.item:
            changed[item.id] = (old, item)
    new = [old._replace(item=replace(item, seq=row.next_seq())) for old, item in changed.values()]
    replace_rows(session, row, new, [old for old, _ in changed.values()])
    _clear_former(session, row, ids, now)
    session.change_later(FORGET_MENTIONS, (list(ids), row.id, list(ids)))


def _reopened(session: Session, row: Space, item: MemoryItem, fate: Fate[datetime]) -> MemoryItem:
    """An item whose successor never was: it ends as that one did, or not at all."""
    until, reason = fate.until, None
    for columns in session.query(SEVERAL, ([fate.successor], row.id)):
        until, reason = kept(columns).item.when, f"superseded by {fate.successor}"
    return replace(item, until=until, retired=fate.retired, superseded_by=fate.successor, reason=reason)


def _clear_former(session: Session, row: Space, ids: frozenset[str], now: datetime) -> None:
    for *columns, filed in session.query(NAMING_OTHERS, (row.id, list(ids))):
        old = kept(tuple(columns)).item
        new = _without(old, ids, now)
        if new != old:
            retired = None if new.retired is None else microseconds(new.retired)
            session.change_later(REVISE, (body_of(new), new.superseded_by, retired, row.id, filed))
            row.counts["bytes"] += bytes_of(new) - bytes_of(old)


def _without(item: MemoryItem, ids: frozenset[str], now: datetime) -> MemoryItem:
    """The item, naming none of the ids any more."""
    if item.superseded_by in ids:
        item = replace(item, superseded_by=None, retired=item.retired or moment(microseconds(now)))
    if item.reason is not None and any(id in item.reason for id in ids):
        item = replace(item, reason=None)
    if not ids.isdisjoint(item.suspected_by):
        item = replace(item, suspected_by=tuple(id for id in item.suspected_by if id not in ids))
    return item


def _cut_out(session: Session, row: Space, texts: Collection[str]) -> None:
    """Jobs that are still to be done lose the texts; those that are done or failed lose their whole payload."""
    for job in jobs_of(session, row):
        told = _told(job.payload, job.result, job.error, texts)
        if told is not None:
            payload, result, error = told
            if job.state not in ("waiting", "running"):
                payload = {}
            session.change_later(CUT, (to_json(payload), to_json(result), error, row.id, job.id))


def _told(
    payload: Mapping[str, JSON], result: Mapping[str, JSON], error: str | None, texts: Collection[str]
) -> tuple[JSON, JSON, str | None] | None:
    """What a job tells, without the texts; None when it tells none of them."""
    left = without(payload, texts), without(result, texts), None if error is None else shortened(error, texts)
    return None if left == (payload, result, error) else left

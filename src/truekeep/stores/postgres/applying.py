"""Keeping items: a decision and all that it changes, or nothing of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from truekeep.model import Job, MemoryItem, SpaceId
from truekeep.ports import Answer, Applied, Change, Charge, Head, Moved, Put, Restored
from truekeep.stores.ledger import Rows
from truekeep.stores.ledger.charging import Bill
from truekeep.stores.ledger.space import Space
from truekeep.stores.records import fingerprint, is_newer, microseconds, told

from .items import FORMER, SEVERAL
from .jobs import see_claimed
from .looking import TOMBSTONED, tombstoned
from .part import Part
from .rows import Kept, bytes_of, file_versions, item_of, keep_items, kept
from .session import Session
from .spaces import Writing
from .tables import Tables

# Whether anything that the puts depend on changed after the decision: their statements, their claim keys, or that a
# row was erased. What became of their own rows is seen when those are read.
HAS_MOVED = """SELECT
    EXISTS (SELECT 1 FROM unnest(%(prints)s::bytea[]) AS said (mark) CROSS JOIN LATERAL (
        SELECT 1 FROM items WHERE space_id = %(space)s AND fingerprint = said.mark AND seq > %(seq)s
        AND superseded_by IS NULL AND retired IS NULL AND NOT repeatable LIMIT 1) AS i)
    OR EXISTS (SELECT 1 FROM unnest(%(keys)s::text[]) AS claim (key) CROSS JOIN LATERAL (
        SELECT 1 FROM items WHERE space_id = %(space)s AND items.key = claim.key AND seq > %(seq)s LIMIT 1) AS i)
    OR EXISTS (SELECT 1 FROM unnest(%(ids)s::text[]) AS put (id) CROSS JOIN LATERAL (
        SELECT 1 FROM markers WHERE space_id = %(space)s AND markers.id = put.id AND seq > %(seq)s LIMIT 1) AS m)"""
TAKEN = "SELECT 1 FROM answers WHERE space_id = %s AND key = ANY(%s) LIMIT 1"
LIFT = "DELETE FROM tombstones WHERE space_id = %s AND fingerprint = ANY(%s::bytea[])"
KEEP_VECTORS = """INSERT INTO vectors (tenant, space_id, id, embedder, data)
    SELECT %s, %s, n.id, %s, n.data FROM unnest(%s::text[], %b::bytea[]) AS n (id, data)
    ON CONFLICT (space_id, id, embedder) DO UPDATE SET data = excluded.data"""
HAVE_VECTORS = "SELECT id FROM vectors WHERE space_id = %s AND id = ANY(%s) AND embedder = %s"
KEEP_ANSWER = """INSERT INTO answers (tenant, space_id, key, request, id, outcome, superseded, at)
    VALUES (%s, %s, %s, %s, %s, %s, %s::text[], %s)"""


class Applying(Part):
    """The writing half of the port `Items`."""

    def apply(
        self,
        space: SpaceId,
        change: Change,
        *,
        based_on: int,
        charge: Charge | None = None,
        job: Job | None = None,
    ) -> Applied:
        prints = self._fingerprints(space, change.puts)

        def work(writing: Writing) -> Applied:
            if job is not None:
                see_claimed(writing.session, writing.find(), job)
            session, row = writing.session, writing.open()
            present = _guarded(session, row, change, prints, based_on)
            bill = _admitted(Tables(session, self._numbers), row, charge, change.puts)
            items = _put(session, row, list(zip(change.puts, prints, strict=True)), present, change.embedder)
            at = told(change) if change.answers else None
            for key, answer in change.answers.items():
                keep_answer(session, row, key, answer, _changed(session, row, answer) if at is None else at)
            added = _add_vectors(session, row, change)
            bill.settle()
            return Applied(Head(row.head, row.floor), items, added)

        return self._database.write(space, work, _size(change.puts))

    def restore(
        self, space: SpaceId, puts: Sequence[Put], versions: Sequence[Put], *, charge: Charge | None = None
    ) -> Restored:
        prints, former_prints = self._fingerprints(space, puts), self._fingerprints(space, versions)

        def work(writing: Writing) -> Restored:
            session, row = writing.session, writing.open()
            stopped = tombstoned(session, row, [*prints, *former_prints])
            let_in = [(put, mark) for put, mark in zip(puts, prints, strict=True) if mark not in stopped]
            present = _rows(session, row, [put.item.id for put, _ in let_in])
            here = {id: old.item for id, old in present.items()}
            welcome = [(put, mark) for put, mark in let_in if is_newer(put.item, here.get(put.item.id))]
            unchanged = {put.item.id for put, _ in let_in} - {put.item.id for put, _ in welcome}
            bill = _admitted(Tables(session, self._numbers), row, charge, [put for put, _ in welcome])
            _put(session, row, welcome, present, "")
            restored, refused = _restore_versions(
                session, row, list(zip(versions, former_prints, strict=True)), stopped
            )
            bill.settle()
            refused_ids = [put.item.id for put, mark in zip(puts, prints, strict=True) if mark in stopped]
            return Restored(refused_ids, restored, refused, sorted(unchanged))

        return self._database.write(space, work, _size(puts) + _size(versions))

    def _fingerprints(self, space: SpaceId, puts: Sequence[Put]) -> list[bytes]:
        return [fingerprint(self._database.secret, space, put.statement) for put in puts]


def _rows(session: Session, row: Space, ids: Sequence[str]) -> dict[str, Kept]:
    """Those of the items that are there. A space that holds none need not be asked."""
    if not row.counts["items"] or not ids:
        return {}
    return {columns[0]: kept(columns) for columns in session.query(SEVERAL, (list(set(ids)), row.id))}


def _admitted(rows: Rows, row: Space, charge: Charge | None, puts: Sequence[Put]) -> Bill:
    """The bill of puts that may be made. An item that is merely retired by another one costs no write."""
    bill = Bill(rows, row, charge)
    if charge is not None:
        bill.admit(sum(put.item.superseded_by is None for put in puts), [put.item.id for put in puts])
    return bill


def _put(
    session: Session, row: Space, puts: Sequence[tuple[Put, bytes]], present: Mapping[str, Kept], embedder: str
) -> list[MemoryItem]:
    """Make rows as the puts say, in their order; the items as they are now kept."""
    state, items = dict(present), []
    former: list[Kept] = []
    outdated: set[str] = set()  # ids whose vectors are of another text
    vectors: dict[str, bytes] = {}
    for put, mark in puts:
        item = replace(put.item, seq=row.next_seq())
        old = state.get(item.id)
        if old is not None and put.keep_previous:
            former.append(old)
        if old is not None and old.item.content != item.content:
            outdated.add(item.id)
            vectors.pop(item.id, None)
        if put.vectors is not None and embedder:
            vectors[item.id] = put.vectors
        state[item.id] = Kept(item, mark, put.repeatable)
        items.append(item)
    written = {item.id: state[item.id] for item in items}
    outdated &= present.keys()
    if outdated:
        session.change_later("DELETE FROM vectors WHERE space_id = %s AND id = ANY(%s)", (row.id, list(outdated)))
    replace_rows(session, row, written.values(), [present[id] for id in written if id in present])
    file_versions(session, row, former)
    _lift_tombstones(session, row, [mark for put, mark in puts if put.lifts and not put.derived])
    _keep_vectors(session, row, embedder, vectors)
    return items


def replace_rows(session: Session, row: Space, rows: Iterable[Kept], replaced: Sequence[Kept]) -> None:
    """Keep the rows, some of them in place of others, and count them."""
    new = list(rows)
    row.counts["bytes"] += keep_items(session, row, new) - sum(bytes_of(old.item) for old in replaced)
    row.counts["items"] += len(new) - len(replaced)


def _guarded(session: Session, row: Space, change: Change, prints: Sequence[bytes], based_on: int) -> dict[str, Kept]:
    """The rows that the puts replace, if all is still as it was when the change was decided."""
    # Whoever saw nothing puts new rows only, and misses no marker that was purged.
    if change.puts and not (based_on == 0 or row.floor <= based_on <= row.head):
        raise Moved("the space was emptied, or replaced by an older copy")
    ids = list({put.item.id for put in change.puts})
    pairs = list(zip(change.puts, prints, strict=True))
    sought = {
        "space": row.id,
        "seq": based_on,
        "ids": ids,
        "prints": [mark for put, mark in pairs if not put.repeatable],
        "keys": [put.item.key for put in change.puts if put.item.key is not None],
    }
    derived = [mark for put, mark in pairs if put.derived]
    found = session.queries(
        {
            "present": (SEVERAL, (ids, row.id)) if ids and row.counts["items"] else None,
            "moved": (HAS_MOVED, sought) if ids and based_on < row.head else None,
            "forgotten": (TOMBSTONED, (row.id, derived)) if derived and row.counts["tombstones"] else None,
            "taken": (TAKEN, (row.id, list(change.answers))) if change.answers else None,
        }
    )
    present = {columns[0]: kept(columns) for columns in found["present"]}
    if (True,) in found["moved"] or any(old.item.seq > based_on for old in present.values()):
        raise Moved("what the change was decided on has changed")
    if found["forgotten"]:
        raise Moved("the statement was forgotten")
    if found["taken"]:
        raise Moved("the idempotency key was used meanwhile")
    return present


def _lift_tombstones(session: Session, row: Space, prints: Sequence[bytes]) -> None:
    if row.counts["tombstones"] and prints:
        row.counts["tombstones"] -= session.change(LIFT, (row.id, list(prints)))


def keep_answer(session: Session, row: Space, key: str, answer: Answer, at: int) -> None:
    named = list(answer.superseded)
    session.change_later(KEEP_ANSWER, (row.tenant, row.id, key, answer.request, answer.id, answer.outcome, named, at))


def _changed(session: Session, row: Space, answer: Answer) -> int:
    """When the item of an answer was last changed."""
    return max((microseconds(old.item.updated) for old in _rows(session, row, [answer.id]).values()), default=0)


def _add_vectors(session: Session, row: Space, change: Change) -> int:
    """How many were kept. Also gives the items a new seq, so that the indexes of other processes learn of them."""
    ids = [new.id for new in change.vectors]
    present = _rows(session, row, ids)
    ready = {id for (id,) in session.query(HAVE_VECTORS, (row.id, ids, change.embedder))} if ids else set()
    made = {
        new.id: new.vectors
        for new in change.vectors
        if new.id in present and present[new.id].item.content == new.content and new.id not in ready
    }
    if made:
        _keep_vectors(session, row, change.embedder, made)
        old = [present[id] for id in made]
        replace_rows(session, row, [one._replace(item=replace(one.item, seq=row.next_seq())) for one in old], old)
    return len(made)


def _keep_vectors(session: Session, row: Space, embedder: str, vectors: Mapping[str, bytes]) -> None:
    if vectors:
        session.change_later(KEEP_VECTORS, (row.tenant, row.id, embedder, list(vectors), list(vectors.values())))


def _restore_versions(
    session: Session, row: Space, versions: Sequence[tuple[Put, bytes]], stopped: set[bytes]
) -> tuple[int, int]:
    """File those of items that are here, and that are not here themselves; how many were filed, and how many refused.

    Versions of an item that was refused, or that is in no line of this import, are left out.
    """
    ids = list({put.item.id for put, _ in versions})
    here = _rows(session, row, ids)
    refused = sum(put.item.id in here and mark in stopped for put, mark in versions)
    welcome = [(put, mark) for put, mark in versions if put.item.id in here and mark not in stopped]
    if not welcome:
        return 0, refused
    rows = session.query(f"{FORMER} AND id = ANY(%s)", (row.id, ids))
    known: dict[tuple[str, int], list[MemoryItem]] = {}
    for columns in rows:
        known.setdefault((columns[0], columns[6]), []).append(item_of(columns[:-1]))
    new: list[Kept] = []
    for put, mark in welcome:
        same = known.setdefault((put.item.id, put.item.version), [])
        if not any(replace(one, seq=put.item.seq) == put.item for one in same):
            new.append(Kept(put.item, mark, put.repeatable))
            same.append(put.item)
    file_versions(session, row, new)
    return len(new), refused


def _size(puts: Sequence[Put]) -> int:
    return sum(len(put.item.content) + len(put.vectors or b"") + 500 for put in puts)

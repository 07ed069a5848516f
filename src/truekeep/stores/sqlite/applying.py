"""Keeping items: a decision and all that it changes, or nothing of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import apsw

from truekeep.model import Job, MemoryItem, SpaceId
from truekeep.ports import Answer, Applied, Change, Charge, Head, Moved, NewVectors, Put, Restored
from truekeep.stores.ledger import Rows
from truekeep.stores.ledger.charging import Bill
from truekeep.stores.ledger.space import Space
from truekeep.stores.records import is_newer, told

from .items import ONE
from .jobs import see_claimed
from .looking import is_tombstoned
from .part import Part
from .rows import (
    ITEM,
    ITEM_MARKS,
    Column,
    Columns,
    fingerprint,
    item_columns,
    item_of,
    query,
    replaced_one,
    sealed,
    to_json,
    verified,
)
from .spaces import tally
from .tables import Tables

# Most puts are new: asking first whether they are would cost as much as trying.
INSERT_NEW = f"INSERT INTO items ({ITEM}) VALUES ({ITEM_MARKS}) ON CONFLICT (space, id) DO NOTHING"
INSERT_FORMER = f"INSERT INTO versions ({ITEM}) VALUES ({ITEM_MARKS})"
UPDATE = f"UPDATE items SET ({ITEM}) = ({ITEM_MARKS}) WHERE space = ? AND id = ? AND checksum = ?"
KEEP_VECTORS = "INSERT OR REPLACE INTO vectors (space, id, embedder, data, checksum) VALUES (?, ?, ?, ?, ?)"
HAS_VECTORS = "SELECT 1 FROM vectors WHERE space = ? AND id = ? AND embedder = ?"
# Whether anything that a put depends on changed after the decision: its own row, its statement, its claim key.
# `+seq` and INDEXED BY keep SQLite from walking all changes since then, or all that was ever said under a key.
HAS_MOVED = """SELECT
    EXISTS (SELECT 1 FROM items WHERE space = ?1 AND id = ?3 AND +seq > ?2)
    OR EXISTS (SELECT 1 FROM items INDEXED BY items_by_statement WHERE space = ?1 AND fingerprint = ?4 AND seq > ?2
        AND superseded_by IS NULL AND retired IS NULL AND repeatable = 0)
    OR EXISTS (SELECT 1 FROM items INDEXED BY items_by_key WHERE space = ?1 AND key = ?5 AND seq > ?2)
    OR EXISTS (SELECT 1 FROM markers WHERE space = ?1 AND id = ?3 AND +seq > ?2)"""


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

        def work(connection: apsw.Connection) -> Applied:
            if job is not None:
                see_claimed(connection, self._spaces.find(connection, space), job)
            row = self._spaces.open(connection, space)
            if any(put.derived for put in change.puts):
                self._spaces.count(connection, row, "tombstones")
            _guard(connection, row, change, prints, based_on)
            bill = _admitted(Tables(connection, self._spaces), row, charge, change.puts)
            items = [
                put_row(connection, row, put, mark, change.embedder)
                for put, mark in zip(change.puts, prints, strict=True)
            ]
            at = told(change) if change.answers else None
            for key, answer in change.answers.items():
                keep_answer(connection, row, key, answer, _changed(connection, row, answer) if at is None else at)
            added = [_add_vectors(connection, row, vectors, change.embedder) for vectors in change.vectors]
            self._spaces.save(connection, row)
            bill.settle()
            return Applied(Head(row.head, row.floor), items, sum(added))

        return self._database.write(work, _size(change.puts))

    def restore(
        self, space: SpaceId, puts: Sequence[Put], versions: Sequence[Put], *, charge: Charge | None = None
    ) -> Restored:
        prints, former_prints = self._fingerprints(space, puts), self._fingerprints(space, versions)

        def work(connection: apsw.Connection) -> Restored:
            row = self._spaces.open(connection, space)
            self._spaces.count(connection, row, "tombstones")
            stopped = [row.counts["tombstones"] > 0 and is_tombstoned(connection, row, mark) for mark in prints]
            refused = [put.item.id for put, is_stopped in zip(puts, stopped, strict=True) if is_stopped]
            let_in = [
                (put, mark) for put, mark, is_stopped in zip(puts, prints, stopped, strict=True) if not is_stopped
            ]
            welcome = [
                (put, mark) for put, mark in let_in if is_newer(put.item, _present(connection, row, put.item.id))
            ]
            unchanged = {put.item.id for put, _ in let_in} - {put.item.id for put, _ in welcome}
            bill = _admitted(Tables(connection, self._spaces), row, charge, [put for put, _ in welcome])
            for put, mark in welcome:
                put_row(connection, row, put, mark, "")
            former = [
                _restore_version(connection, row, version, mark)
                for version, mark in zip(versions, former_prints, strict=True)
            ]
            self._spaces.save(connection, row)
            bill.settle()
            return Restored(refused, former.count("restored"), former.count("refused"), sorted(unchanged))

        return self._database.write(work, _size(puts) + _size(versions))

    def _fingerprints(self, space: SpaceId, puts: Sequence[Put]) -> list[bytes]:
        secret = self._spaces.secret()
        return [fingerprint(secret, space, put.statement) for put in puts]


def _admitted(rows: Rows, row: Space, charge: Charge | None, puts: Sequence[Put]) -> Bill:
    """The bill of puts that may be made. An item that is merely retired by another one costs no write."""
    bill = Bill(rows, row, charge)
    if charge is not None:
        bill.admit(sum(put.item.superseded_by is None for put in puts), [put.item.id for put in puts])
    return bill


def _present(connection: apsw.Connection, row: Space, id: str) -> MemoryItem | None:
    found = query(connection, ONE, (row.id, id))
    return item_of("items", found[0]) if found else None


def rewrite(connection: apsw.Connection, row: Space, old: Columns, columns: tuple[Column, ...]) -> None:
    """Put other columns in place of an item's row, and tally it. `old` is the row as it is now, or this fails."""
    new = sealed("items", *columns)
    connection.execute(UPDATE, (*new, row.id, old[1], old[-1]))
    replaced_one(connection, "items")
    tally(row, "items", added=new[-1], removed=old[-1])


def put_row(connection: apsw.Connection, row: Space, put: Put, mark: bytes, embedder: str) -> MemoryItem:
    """Make one row as the put says; the item as it is now kept."""
    item = put.item
    columns = item_columns(put, space=row.id, seq=row.next_seq(), fingerprint=mark)
    new = sealed("items", *columns)
    connection.execute(INSERT_NEW, new)
    if connection.changes():
        tally(row, "items", added=new[-1])
    else:
        _replace(connection, row, put, columns)
    if row.counts["tombstones"] and put.lifts and not put.derived:
        _lift_tombstone(connection, row, mark)
    if put.vectors is not None and embedder:
        connection.execute(KEEP_VECTORS, sealed("vectors", row.id, item.id, embedder, put.vectors))
    return replace(item, seq=row.head)


def _replace(connection: apsw.Connection, row: Space, put: Put, columns: tuple[Column, ...]) -> None:
    old = verified("items", query(connection, ONE, (row.id, put.item.id))[0], put.item.id)
    if put.keep_previous:
        file_version(connection, row, old[:-1])
    if old[3] != put.item.content:  # vectors of another text; those of the same text stay, whatever else changes
        connection.execute("DELETE FROM vectors WHERE space = ? AND id = ?", (row.id, put.item.id))
    rewrite(connection, row, old, columns)


def file_version(connection: apsw.Connection, row: Space, columns: tuple[Column, ...]) -> None:
    former = sealed("versions", *columns)
    connection.execute(INSERT_FORMER, former)
    tally(row, "versions", added=former[-1])


def _guard(connection: apsw.Connection, row: Space, change: Change, prints: Sequence[bytes], based_on: int) -> None:
    # Whoever saw nothing puts new rows only, and misses no marker that was purged.
    if change.puts and not (based_on == 0 or row.floor <= based_on <= row.head):
        raise Moved("the space was emptied, or replaced by an older copy")
    for put, mark in zip(change.puts, prints, strict=True):
        if based_on < row.head:
            sought = (row.id, based_on, put.item.id, None if put.repeatable else mark, put.item.key)
            if query(connection, HAS_MOVED, sought)[0][0]:
                raise Moved(f"what {put.item.id} was decided on has changed")
        if put.derived and row.counts["tombstones"] and is_tombstoned(connection, row, mark):
            raise Moved(f"the statement of {put.item.id} was forgotten")
    for key in change.answers:
        if query(connection, "SELECT 1 FROM answers WHERE space = ? AND key = ?", (row.id, key)):
            raise Moved("the idempotency key was used meanwhile")


def _lift_tombstone(connection: apsw.Connection, row: Space, mark: bytes) -> None:
    statement = "DELETE FROM tombstones WHERE space = ? AND fingerprint = ? RETURNING checksum"
    for (gone,) in query(connection, statement, (row.id, mark)):
        tally(row, "tombstones", removed=gone)


def keep_answer(connection: apsw.Connection, row: Space, key: str, answer: Answer, at: int) -> None:
    superseded = to_json(list(answer.superseded))
    columns = sealed("answers", row.id, key, answer.request, answer.id, answer.outcome, superseded, at)
    connection.execute("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", columns)
    tally(row, "answers", added=columns[-1])


def _changed(connection: apsw.Connection, row: Space, answer: Answer) -> int:
    """When the item of an answer was last changed."""
    found = query(connection, ONE, (row.id, answer.id))
    return int(found[0][9]) if found else 0


def _add_vectors(connection: apsw.Connection, row: Space, new: NewVectors, embedder: str) -> bool:
    """Whether they were kept. Also gives the item a new seq, so that the indexes of other processes learn of them."""
    present = query(connection, ONE, (row.id, new.id))
    if not present or present[0][3] != new.content or query(connection, HAS_VECTORS, (row.id, new.id, embedder)):
        return False
    old = verified("items", present[0], new.id)
    connection.execute(KEEP_VECTORS, sealed("vectors", row.id, new.id, embedder, new.vectors))
    rewrite(connection, row, old, (*old[:2], row.next_seq(), *old[3:-1]))
    return True


def _restore_version(
    connection: apsw.Connection, row: Space, put: Put, mark: bytes
) -> Literal["restored", "refused", "left out"]:
    version = put.item
    if not query(connection, ONE, (row.id, version.id)):
        return "left out"  # of an item that was refused, or that is in no line of this import
    if row.counts["tombstones"] and is_tombstoned(connection, row, mark):
        return "refused"
    statement = f"SELECT {ITEM} FROM versions WHERE space = ? AND id = ? AND version = ?"
    present = query(connection, statement, (row.id, version.id, version.version))
    if any(replace(item_of("versions", columns), seq=version.seq) == version for columns in present):
        return "left out"
    file_version(connection, row, item_columns(put, space=row.id, seq=version.seq, fingerprint=mark))
    return "restored"


def _size(puts: Sequence[Put]) -> int:
    return sum(len(put.item.content) + len(put.vectors or b"") + 500 for put in puts)

"""Keeping items: a decision and all that it changes, or nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from truekeep.model import Job, MemoryItem, SpaceId
from truekeep.ports import Applied, Change, Charge, Head, Moved, Put, Restored
from truekeep.stores.tables import fingerprint, microseconds

from .cells import Kept, Space, answer_cells, item_of, kept, made
from .checkpoints import file_items, inherited
from .driver import Chapter
from .jobs import see_claimed
from .persons import barred
from .quotas import Bill
from .rows import Grounds, Rows


class Applying(Chapter):
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
        puts = self._marked(space, change.puts)

        def work(rows: Rows) -> Applied:
            if job is not None:
                see_claimed(rows, rows.find(space), job)
            # Vectors may come when the space is erased: that does not bring its name back.
            row = rows.find(space, make=bool(puts or change.answers))
            present = guarded(rows, row, change, puts, based_on)
            if inherited(rows, row, self._driver.secret, {put.statement for put, _ in puts if put.derived}):
                raise Moved("the statement was forgotten")
            new = [put.item for put, _ in puts if put.derived and put.item.id not in present]
            if self._bars(rows, row, new):
                raise Moved("the speaker was erased")
            bill = _admitted(rows, row, charge, change.puts)
            items = _put(rows, row, puts, present, change.embedder)
            lifted = {put.statement for put, _ in puts if put.lifts and not put.derived}
            if elsewhere := inherited(rows, row, self._driver.secret, lifted):
                rows.drop("tombstones", row, elsewhere)
            _keep_answers(rows, row, change)
            added = _add_vectors(rows, row, change)
            bill.settle()
            return Applied(Head(row.head, row.floor), items, added)

        return self._driver.write(space, work, _size(change.puts))

    def restore(
        self,
        space: SpaceId,
        puts: Sequence[Put],
        versions: Sequence[Put],
        *,
        charge: Charge | None = None,
        embedder: str = "",
    ) -> Restored:
        all_puts, former = self._marked(space, puts), self._marked(space, versions)

        def work(rows: Rows) -> Restored:
            row = rows.find(space, make=True)
            stopped = tombstoned(rows, row, {mark for _, mark in (*all_puts, *former)})
            told = {put.statement: mark for put, mark in (*all_puts, *former)}
            stopped |= {told[said] for said in inherited(rows, row, self._driver.secret, told).values()}
            bars = self._bars(rows, row, [put.item for put, _ in (*all_puts, *former)])

            def is_stopped(put: Put, mark: bytes) -> bool:
                since = bars.get(put.item.speaker or "")  # what was said since was said on purpose
                return mark in stopped or (since is not None and microseconds(put.item.created) <= since)

            let_in = [(put, mark) for put, mark in all_puts if not is_stopped(put, mark)]
            present = items_of(rows, row, {put.item.id for put, _ in let_in})
            here = {id: old.item for id, old in present.items()}
            welcome = [(put, mark) for put, mark in let_in if is_newer(put.item, here.get(put.item.id))]
            unchanged = {put.item.id for put, _ in let_in} - {put.item.id for put, _ in welcome}
            bill = _admitted(rows, row, charge, [put for put, _ in welcome])
            _put(rows, row, welcome, present, embedder)
            restored, refused = _restore_versions(rows, row, former, is_stopped)
            bill.settle()
            refused_ids = [put.item.id for put, mark in all_puts if is_stopped(put, mark)]
            return Restored(refused_ids, restored, refused, sorted(unchanged))

        return self._driver.write(space, work, _size(puts) + _size(versions))

    def _bars(self, rows: Rows, row: Space, items: Iterable[MemoryItem]) -> dict[str, int]:
        """Those of the speakers who are barred, and since when."""
        speakers = {item.speaker for item in items if item.speaker}
        return barred(rows, self._driver.secret, row.tenant, "speaker", speakers)

    def _marked(self, space: SpaceId, puts: Sequence[Put]) -> list[tuple[Put, bytes]]:
        secret = self._driver.secret
        return [(put, fingerprint(secret, space, put.statement)) for put in puts]


def items_of(rows: Rows, row: Space, ids: Iterable[str]) -> dict[str, Kept]:
    """Those of the items that are there. A space that holds none need not be asked."""
    sought = list(dict.fromkeys(ids)) if row.counts["items"] else []
    return {cells[0]: kept(cells) for cells in rows.of("items", row, sought)} if sought else {}


def tombstoned(rows: Rows, row: Space, marks: Iterable[bytes]) -> set[bytes]:
    """Those of the fingerprints that have a tombstone."""
    sought = list(marks) if row.counts["tombstones"] else []
    return {cells[0] for cells in rows.of("tombstones", row, sought)} if sought else set()


def guarded(
    rows: Rows, row: Space, change: Change, puts: Sequence[tuple[Put, bytes]], based_on: int
) -> dict[str, Kept]:
    """The rows that the puts replace, if all is still as it was when the change was decided."""
    # Whoever saw nothing puts new rows only, and misses no marker that was purged.
    if puts and not (based_on == 0 or row.floor <= based_on <= row.head):
        raise Moved("the space was emptied, or replaced by an older copy")
    grounds = Grounds(
        since=based_on,
        ids=list({put.item.id for put, _ in puts}),
        said=[mark for put, mark in puts if not put.repeatable],
        keys=[put.item.key for put, _ in puts if put.item.key is not None],
        derived=[mark for put, mark in puts if put.derived],
        answers=list(change.answers),
    )
    facts = rows.facts(row, grounds)
    present = {cells[0]: kept(cells) for cells in facts.present}
    if facts.has_moved or any(old.item.seq > based_on for old in present.values()):
        raise Moved("what the change was decided on has changed")
    if facts.is_forgotten:
        raise Moved("the statement was forgotten")
    if facts.is_answered:
        raise Moved("the idempotency key was used meanwhile")
    return present


def _admitted(rows: Rows, row: Space, charge: Charge | None, puts: Sequence[Put]) -> Bill:
    """The bill of puts that may be made. An item that is merely retired by another one costs no write."""
    bill = Bill(rows, row, charge)
    if charge is not None:
        bill.admit(sum(put.item.superseded_by is None for put in puts), [put.item.id for put in puts])
    return bill


def _put(
    rows: Rows, row: Space, puts: Sequence[tuple[Put, bytes]], present: Mapping[str, Kept], embedder: str
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
        state[item.id] = made(item, mark, put.repeatable)
        items.append(item)
    outdated &= present.keys()
    if outdated:
        rows.drop("vectors", row, outdated)
    written = {item.id: state[item.id].cells for item in items}
    replaced = [present[id].cells for id in written if id in present]
    filed = {old.item.id for old in former}
    file_items(rows, row, [cells for cells in replaced if cells[0] not in filed])
    rows.keep("items", row, list(written.values()), replaced)
    rows.keep("versions", row, [old.cells for old in former])
    lifted = {mark for put, mark in puts if put.lifts and not put.derived}
    if lifted and row.counts["tombstones"]:
        rows.drop("tombstones", row, lifted)
    rows.keep("vectors", row, [(id, embedder, data) for id, data in vectors.items()])
    return items


def _keep_answers(rows: Rows, row: Space, change: Change) -> None:
    if change.answers:
        at = told(change)
        rows.keep("answers", row, [answer_cells(key, answer, at) for key, answer in change.answers.items()])


def _add_vectors(rows: Rows, row: Space, change: Change) -> int:
    """How many were kept. Also gives the items a new seq, so that the indexes of other processes learn of them."""
    if not change.vectors:
        return 0
    ids = [new.id for new in change.vectors]
    present = {cells[0]: cells for cells in rows.of("items", row, ids)}
    ready = rows.have_vectors(row, ids, change.embedder)
    added = {
        new.id: new.vectors
        for new in change.vectors
        if new.id in present and present[new.id][2] == new.content and new.id not in ready
    }
    old = [present[id] for id in added]
    rows.keep("vectors", row, [(id, change.embedder, data) for id, data in added.items()])
    file_items(rows, row, old)
    rows.keep("items", row, [(cells[0], row.next_seq(), *cells[2:]) for cells in old], old)
    return len(added)


def _restore_versions(
    rows: Rows, row: Space, versions: Sequence[tuple[Put, bytes]], is_stopped: Callable[[Put, bytes], bool]
) -> tuple[int, int]:
    """File those of items that are here, and that are not here themselves; how many were filed, and how many refused.

    Versions of an item that was refused, or that is in no line of this import, are left out.
    """
    here = items_of(rows, row, [put.item.id for put, _ in versions])
    of_these = [(put, mark) for put, mark in versions if put.item.id in here]
    welcome = [(put, mark) for put, mark in of_these if not is_stopped(put, mark)]
    refused = len(of_these) - len(welcome)
    if not welcome:
        return 0, refused
    known: dict[tuple[str, int], list[MemoryItem]] = {}
    for cells in rows.of("versions", row, list(here)):
        known.setdefault((cells[0], cells[6]), []).append(item_of(cells))
    new: list[Kept] = []
    for put, mark in welcome:
        same = known.setdefault((put.item.id, put.item.version), [])
        if not any(replace(one, seq=put.item.seq, written_by=put.item.written_by) == put.item for one in same):
            new.append(made(put.item, mark, put.repeatable))
            same.append(put.item)
    rows.keep("versions", row, [one.cells for one in new])
    return len(new), refused


def _size(puts: Sequence[Put]) -> int:
    return sum(len(put.item.content) + len(put.vectors or b"") + 500 for put in puts)


def told(change: Change) -> int:
    """When a change was decided, by what it says or by its items; a store asks no clock."""
    if change.at is not None:
        return microseconds(change.at)
    return max((microseconds(put.item.updated) for put in change.puts), default=0)


def is_newer(item: MemoryItem, here: MemoryItem | None) -> bool:
    """Whether an item that is put back tells of a later state than the one that is here."""
    return here is None or _state(here) < _state(item)


def _state(item: MemoryItem) -> tuple[datetime, int, bool]:
    return item.updated, item.version, not item.is_current  # a clock that stands still tells less than these

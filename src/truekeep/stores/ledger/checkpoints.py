"""Checkpoints: names of moments, and what was kept of them.

A checkpoint costs one row. From then on, what changes is filed once as it was: the row of an item among the versions,
a value among the former values. Without a checkpoint nothing more is kept than ever.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime

from truekeep.errors import Conflict, InvalidInput, NotFound
from truekeep.model import Checkpoint, MemoryItem, SpaceId, Value
from truekeep.ports import Difference, Head
from truekeep.stores.tables import fingerprint, microseconds, moment, to_json

from .cells import Cells, Space, item_of, value_of
from .driver import Chapter
from .rows import ALL, Rows

MOST = 1000  # checkpoints of a space: whoever changes something looks at them
PAGE = 1000
NOTHING = (None, 0, 0, 0, None)  # what a former value has to tell of a key that had none


class Checkpoints(Chapter):
    """The port `Checkpoints`."""

    def add_checkpoint(self, space: SpaceId, name: str, *, now: datetime, origin: str | None = None) -> Checkpoint:
        def work(rows: Rows) -> Checkpoint:
            row = rows.find(space, make=True)
            present = rows.all("checkpoints", row)
            if any(cells[0] == name for cells in present):
                raise Conflict(f"the space {space.name!r} has a checkpoint {name!r} already; choose another name")
            if len(present) >= MOST:
                raise Conflict(f"the space {space.name!r} has {MOST:,} checkpoints already; drop one")
            named = None if origin is None else to_json(_inherit(rows, row, SpaceId(space.tenant, origin)))
            made = (name, row.head, row.value_head, microseconds(now), 0, named)
            rows.keep("checkpoints", row, [made])
            return checkpoint_of(made)

        return self._driver.write(space, work)

    def drop_checkpoint(self, space: SpaceId, name: str) -> None:
        def work(rows: Rows) -> None:
            row = rows.find(space)
            _found(rows, row, name, space)
            rows.drop("checkpoints", row, [name])
            _drop_unneeded(rows, row)

        self._driver.write(space, work)

    def checkpoints(self, space: SpaceId) -> list[Checkpoint]:
        found = self._driver.read(space.tenant, lambda rows: rows.all("checkpoints", rows.find(space)), together=True)
        return sorted(map(checkpoint_of, found), key=lambda one: (one.seq, one.at, one.name))

    def difference(self, space: SpaceId, since: str, until: str | None = None) -> Difference:
        def fetch(rows: Rows) -> Difference:
            row = rows.find(space)
            first = _found(rows, row, since, space)
            last = None if until is None else _found(rows, row, until, space)
            if last is not None and (last[1] < first[1] or last[2] < first[2]):
                raise InvalidInput("until", f"is before {since!r}; give the earlier checkpoint first")
            erased = _erased_since(rows, row, first) - (0 if last is None else _erased_since(rows, row, last))
            head = Head(row.head, row.floor)
            return Difference(head, _items(rows, row, first, last), _values(rows, row, first, last), erased)

        return self._driver.read(space.tenant, fetch, together=True)


def checkpoint_of(cells: Cells) -> Checkpoint:
    name, seq, _, at, _, origins = cells
    return Checkpoint(name=name, seq=seq, at=moment(at), origin=json.loads(origins)[0] if origins else None)


def file_items(rows: Rows, row: Space, old: Sequence[Cells]) -> None:
    """File rows as they are, before they change: those that a checkpoint knows as they are."""
    if old and rows.page("checkpoints", row, after=(min(cells[1] for cells in old), ""), limit=1):
        last = max(cells[1] for cells in rows.all("checkpoints", row))
        rows.keep("versions", row, [cells for cells in old if cells[1] <= last])


def file_value(rows: Rows, row: Space, key: str, old: Sequence[Cells]) -> None:
    """File what stood under a key until this version, or that nothing did, if a checkpoint knows it so."""
    if not rows.page("checkpoints", row, after=(), limit=1):
        return
    last = max(cells[2] for cells in rows.all("checkpoints", row))
    since = [old[0][2]] if old else [cells[1] for cells in rows.of("former_values", row, [key])]
    if max(since, default=0) <= last:
        rows.keep("former_values", row, [(key, row.value_head, *(old[0][1:] if old else NOTHING))])


def note_purged(rows: Rows, row: Space, seqs: Sequence[int]) -> None:
    """Count erased items of which nothing will tell any more."""
    old = [cells for cells in rows.all("checkpoints", row) if cells[1] < max(seqs, default=0)]
    new = [(*cells[:4], cells[4] + sum(seq > cells[1] for seq in seqs), cells[5]) for cells in old]
    rows.keep("checkpoints", row, new, old)


def later(rows: Rows, row: Space, after: int, *, limit: int = ALL) -> list[Cells]:
    """Items with a later seq, in order."""
    return [cells for _, cells in rows.page("items", row, after=(after,) if after else (), limit=limit)]


def inherited(rows: Rows, row: Space, secret: bytes, statements: Collection[str]) -> dict[bytes, str]:
    """The statements that were forgotten in the spaces of which this one is a copy, by their tombstones."""
    if not (statements and row.counts["tombstones"]):
        return {}
    marks = {
        fingerprint(secret, SpaceId(row.tenant, name), statement): statement
        for name in _origins(rows, row)
        for statement in statements
    }
    return {cells[0]: marks[cells[0]] for cells in rows.of("tombstones", row, list(marks))} if marks else {}


def _inherit(rows: Rows, row: Space, origin: SpaceId) -> list[str]:
    """Take over the tombstones of a space; the names under which they were made."""
    source = rows.seen(origin)
    present = {cells[0] for cells in rows.all("tombstones", row)}
    rows.keep("tombstones", row, [cells for cells in rows.all("tombstones", source) if cells[0] not in present])
    return [origin.name, *_origins(rows, source)]


def _origins(rows: Rows, row: Space) -> list[str]:
    named = [json.loads(cells[5]) for cells in rows.all("checkpoints", row) if cells[5] is not None]
    return list(dict.fromkeys(name for names in named for name in names))


def _found(rows: Rows, row: Space, name: str, space: SpaceId) -> Cells:
    for cells in rows.of("checkpoints", row, [name]) if row.is_there else ():
        return cells
    raise NotFound(f"no checkpoint {name!r} in the space {space.name!r}; `checkpoints` lists those that there are")


def _drop_unneeded(rows: Rows, row: Space) -> None:
    """Drop the former values that no checkpoint knows any more."""
    moments = [cells[2] for cells in rows.all("checkpoints", row)]
    former = rows.all("former_values", row)
    needed = [cells for cells in former if any(cells[3] <= moment < cells[1] for moment in moments)]
    if len(needed) < len(former):
        rows.drop("former_values", row, {cells[0] for cells in former})
        rows.keep("former_values", row, needed)


def _erased_since(rows: Rows, row: Space, checkpoint: Cells) -> int:
    return int(checkpoint[4]) + len(rows.erased(row, checkpoint[1]))


def _items(
    rows: Rows, row: Space, first: Cells, last: Cells | None
) -> list[tuple[MemoryItem | None, MemoryItem | None]]:
    """Items that changed after the first moment, as they were then, and at the last."""
    present = later(rows, row, first[1])
    former: dict[str, list[Cells]] = {}
    for cells in rows.of("versions", row, [cells[0] for cells in present]) if present else ():
        former.setdefault(cells[0], []).append(cells)

    def at(cells: Cells, seq: int) -> Cells | None:
        """Versions that were imported are of no moment of this space: their seq is 0."""
        if cells[1] <= seq:
            return cells
        earlier = [one for one in former.get(cells[0], ()) if 0 < one[1] <= seq]
        return max(earlier, key=lambda one: (one[6], one[1]), default=None)

    moments = [(at(cells, first[1]), cells if last is None else at(cells, last[1])) for cells in present]
    return [(_item(before), _item(after)) for before, after in moments if before != after]


def _item(cells: Cells | None) -> MemoryItem | None:
    return None if cells is None else item_of(cells)


def _values(rows: Rows, row: Space, first: Cells, last: Cells | None) -> list[tuple[str, Value | None, Value | None]]:
    """Values that were edited after the first moment, as they were then, and at the last."""
    former: dict[str, list[Cells]] = {}
    place: Cells = (first[2],)
    while page := rows.page("former_values", row, after=place, limit=PAGE):
        for _, cells in page:
            former.setdefault(cells[0], []).append(cells)
        place = page[-1][0]
    present = {cells[0]: value_of(cells) for cells in rows.of("kept_values", row, list(former))} if former else {}

    def at(key: str, version: int) -> Value | None:
        for cells in former[key]:
            if cells[1] > version:
                return None if cells[2] is None else value_of((key, *cells[2:]))
        return present.get(key)

    return [(key, at(key, first[2]), present.get(key) if last is None else at(key, last[2])) for key in former]

"""Erasing: rows, what was derived from them, and what tells of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple, TypeAlias

from truekeep.model import JSON, MemoryItem, SpaceId
from truekeep.model.items import is_over
from truekeep.model.reports import subject_of
from truekeep.ports import Erased
from truekeep.stores.tables import hidden_name, microseconds, moment, to_json

from .applying import items_of, tombstoned
from .cells import Cells, Kept, Space, item_of, job_of, kept
from .checkpoints import file_items
from .driver import Chapter
from .rows import Rows

CUT = "…"  # without it, what stood left and right of a text might grow together to the same text
LABELS = frozenset({"session", "role", "speaker", "id", "when"})  # who and where; not what was said
# Scripts that set no spaces between words: Thai to Lao, Burmese, Khmer, kana, ideographs. There a text ends anywhere.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)

Which: TypeAlias = bool | Callable[[MemoryItem], bool]  # all of them, none, or those for which it is true


class Fate(NamedTuple):
    """How an item ended; three times None for one that did not."""

    until: datetime | None
    retired: datetime | None
    successor: str | None


@dataclass(slots=True)
class Gone:
    """What is gone. Lives only in memory."""

    fates: dict[str, Fate] = field(default_factory=dict)  # by id
    texts: set[str] = field(default_factory=set)
    fingerprints: set[bytes] = field(default_factory=set)
    successors: set[str] = field(default_factory=set)

    def left_by(self, id: str) -> Fate:
        """What an item that this erased one had superseded takes over: its fate, or that of whoever erased followed."""
        fate, seen = self.fates[id], {id}
        while fate.successor in self.fates and fate.successor not in seen:
            seen.add(fate.successor)
            fate = self.fates[fate.successor]
        return fate


class Erasing(Chapter):
    """The part of the port `Items` that forgets."""

    def erase(
        self,
        space: SpaceId,
        ids: Sequence[str],
        *,
        now: datetime,
        reopen: Which = False,
        along: Callable[[MemoryItem], bool] | None = None,
        wipe: bool = True,
    ) -> Erased:
        def work(rows: Rows) -> Gone:
            row = rows.find(space)
            all_ids = ids if along is None else _with_predecessors(rows, row, ids, along)
            gone = _erase_items(rows, row, all_ids, now, reopen=reopen)
            marks = gone.fingerprints - tombstoned(rows, row, gone.fingerprints)
            rows.keep("tombstones", row, [(mark, row.head) for mark in marks])
            return gone

        gone = self._driver.erase(space, work)
        if not gone.fates:
            return Erased((), 0, False)
        remaining = self._search(space, gone)
        return Erased(tuple(gone.fates), remaining, not (wipe and self._driver.clean()))

    def erase_expired(self, now: datetime, *, limit: int = 1000) -> int:
        by_space: dict[SpaceId, list[str]] = {}
        for space, id, _ in self._driver.read(None, lambda rows: rows.old("items", microseconds(now), limit=limit)):
            by_space.setdefault(space, []).append(str(id))

        def work(rows: Rows, space: SpaceId) -> int:
            row = rows.find(space)
            items = [old.item for old in items_of(rows, row, by_space[space]).values()]
            over = [item.id for item in items if is_over(item.expires, now)]
            return len(_erase_items(rows, row, over, now, reopen=True).fates)

        return sum(self._driver.write_each(sorted(by_space), work)) if by_space else 0

    def erase_space(self, space: SpaceId) -> Erased:
        def work(rows: Rows) -> Sequence[str]:
            row = rows.find(space)
            if not row.is_there:
                return []
            ids = rows.empty(row)
            row.floor = row.next_seq()  # instead of a marker for each: whoever knew anything starts again
            # Its counters stay under a name that tells nothing, so that whoever knew the space learns of its end.
            rows.rename(row, hidden_name(self._driver.secret, space))
            rows.strike("usage", tenant=space.tenant, subject=subject_of("space", space.name))
            return ids

        ids = self._driver.erase(space, work)
        is_clean = self._driver.clean()
        return Erased(ids, self._search(space, Gone(dict.fromkeys(ids, Fate(None, None, None)))), not is_clean)

    def _search(self, space: SpaceId, gone: Gone) -> int:
        """How many of the erased can still be found; what a receipt says is found out, not assumed."""

        def seek(rows: Rows) -> int:
            row = rows.find(space)
            return rows.remaining(row, list(gone.fates)) + len(_jobs_telling(rows, row, gone.texts))

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


def _erase_items(rows: Rows, row: Space, ids: Collection[str], now: datetime, *, reopen: Which) -> Gone:
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
    rows.keep("markers", row, [(id, row.next_seq(), microseconds(now)) for id in here])
    _clear_mentions(rows, row, gone, now, reopen=reopen)
    _cut_out(rows, row, gone.texts)
    rows.clear("snapshots", row)
    rows.clear("pieces", row)
    return gone


def _clear_mentions(rows: Rows, row: Space, gone: Gone, now: datetime, *, reopen: Which) -> None:
    """What was superseded by an erased item stays retired, unless it is reopened; the name of its successor goes."""
    ids = frozenset(gone.fates)
    naming = [*map(kept, rows.naming("items", row, ids)), *items_of(rows, row, gone.successors - ids).values()]
    changed: dict[str, tuple[Kept, MemoryItem]] = {}
    for old in naming:
        item = _naming_none(old.item, ids, now)
        if old.item.superseded_by in ids and (reopen(old.item) if callable(reopen) else reopen):
            item = _reopened(rows, row, item, gone.left_by(old.item.superseded_by or ""))
        if item != old.item:
            changed[item.id] = (old, item)
    new = [old.renewed(replace(item, seq=row.next_seq())).cells for old, item in changed.values()]
    file_items(rows, row, [old.cells for old, _ in changed.values()])
    rows.keep("items", row, new, [old.cells for old, _ in changed.values()])
    _clear_former(rows, row, ids, now)
    _clear_answers(rows, row, ids)


def _reopened(rows: Rows, row: Space, item: MemoryItem, fate: Fate) -> MemoryItem:
    """An item whose successor never was: it ends as that one did, or not at all."""
    until, reason = fate.until, None
    if fate.successor is not None:
        for successor in items_of(rows, row, [fate.successor]).values():
            until, reason = successor.item.when, f"superseded by {fate.successor}"
    return replace(item, until=until, retired=fate.retired, superseded_by=fate.successor, reason=reason)


def _clear_former(rows: Rows, row: Space, ids: frozenset[str], now: datetime) -> None:
    found = [kept(cells) for cells in rows.naming("versions", row, ids)]
    outdated = list(dict.fromkeys(old.item.id for old in found if _naming_none(old.item, ids, now) != old.item))
    if not outdated:
        return
    former = [kept(cells) for cells in rows.of("versions", row, outdated)]
    rows.drop("versions", row, outdated)
    rows.keep("versions", row, [old.renewed(_naming_none(old.item, ids, now)).cells for old in former])


def _clear_answers(rows: Rows, row: Space, ids: frozenset[str]) -> None:
    """An answer that only mentions an erased item stays: its idempotency key must not come free."""
    naming = rows.naming("answers", row, ids)
    if about := [cells[0] for cells in naming if cells[2] in ids]:
        rows.drop("answers", row, about)
    old = [cells for cells in naming if cells[2] not in ids and not ids.isdisjoint(json.loads(cells[4]))]
    new = [(*cells[:4], to_json([id for id in json.loads(cells[4]) if id not in ids]), cells[5]) for cells in old]
    rows.keep("answers", row, new, old)


def _naming_none(item: MemoryItem, ids: frozenset[str], now: datetime) -> MemoryItem:
    """The item, naming none of the ids any more."""
    if item.superseded_by in ids:
        item = replace(item, superseded_by=None, retired=item.retired or moment(microseconds(now)))
    if item.reason is not None and any(id in item.reason for id in ids):
        item = replace(item, reason=None)
    if not ids.isdisjoint(item.suspected_by):
        item = replace(item, suspected_by=tuple(id for id in item.suspected_by if id not in ids))
    return item


def _cut_out(rows: Rows, row: Space, texts: Collection[str]) -> None:
    """Jobs that are still to be done lose the texts; those that are done or failed lose their whole payload."""
    telling = _jobs_telling(rows, row, texts)
    rows.keep("jobs", row, list(telling.values()), list(telling))


def _jobs_telling(rows: Rows, row: Space, texts: Collection[str]) -> dict[Cells, Cells]:
    """The jobs of the space that contain one of the texts, each with what shall be left of it."""
    found = {}
    sought = [to_json(text)[1:-1] for text in texts]  # as it looks within JSON
    for cells in rows.all("jobs", row) if texts else ():
        whole = f"{cells[2]}\n{cells[5]}\n{to_json(cells[6])}"
        if not any(text in whole for text in sought):  # most jobs need not be read
            continue
        job = job_of(SpaceId(row.tenant, row.name), cells)
        told: list[JSON] = [job.payload, job.result, job.error]
        payload, result, error = (_without(one, texts) for one in told)
        if [payload, result, error] != told:
            left = payload if job.state in ("waiting", "running") else {}
            found[cells] = (*cells[:2], to_json(left), *cells[3:5], to_json(result), error, *cells[7:])
    return found


def _without(told: JSON, texts: Collection[str]) -> JSON:
    """The same without the texts, in every string but labels."""
    if isinstance(told, str):
        return _shortened(told, texts)
    if isinstance(told, Mapping):
        return {name: inner if name in LABELS else _without(inner, texts) for name, inner in told.items()}
    if isinstance(told, list):
        return [_without(inner, texts) for inner in told]
    return told


def _shortened(told: str, texts: Collection[str]) -> str:
    here = sorted((text for text in texts if text in told), key=len, reverse=True)
    if not here:
        return told
    pattern = re.compile("|".join(_whole(text) for text in here))
    return pattern.sub("" if pattern.search(CUT) else CUT, told)


def _whole(text: str) -> str:
    """A pattern for the text where it is no part of a longer word."""
    before = r"(?<!\w)" if _joins(text[0]) else ""
    after = r"(?!\w)" if _joins(text[-1]) else ""
    return before + re.escape(text) + after


def _joins(character: str) -> bool:
    """Whether it makes one word with a letter beside it."""
    return re.match(r"\w", character) is not None and not UNSPACED.match(character)

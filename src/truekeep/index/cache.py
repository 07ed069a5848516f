"""The indexes of many spaces: kept up to date, within a budget of bytes, shared by all threads."""

from __future__ import annotations

import itertools
import logging
import threading
from collections import OrderedDict
from typing import NamedTuple, Protocol

from truekeep.language import is_english
from truekeep.model import SpaceId
from truekeep.ports import Head, Items, Page, Row, Snapshot, Snapshots

from .snapshot import compact, pack
from .space_index import SpaceIndex
from .view import View

log = logging.getLogger(__name__)

BUDGET = 512 << 20
_ENTRY_BYTES = 25 << 10  # measured: what an index takes besides what it counts, however little it holds
_WORTH_SAVING = 2_000  # items; a smaller space is read from its rows in no time


class Source(Items, Snapshots, Protocol):
    """What a cache reads from and saves to: a store, as far as it matters here."""


class Foreign(NamedTuple):
    """Who makes the vectors of what is not English, in the same space as the embedder of the rest."""

    name: str
    is_here: bool  # if not, what it has made before is used, and what it has not is left to the other


class _Entry:
    """One space. Its lock is held while the index changes, and never while somebody searches."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.index: SpaceIndex | None = None
        self.looked = -1  # when the store was last asked for news, by the cache's count
        self.saved = 0  # the seq of the snapshot in the store
        self.nbytes = 0


class IndexCache:
    """Gives the index of any space as of its latest commit; the least recently used go when memory runs short."""

    def __init__(
        self,
        store: Source,
        *,
        embedder: str,
        dimension: int,
        foreign: Foreign | None = None,
        budget: int = BUDGET,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._foreign = foreign
        # Under a name of its own: a snapshot of before would hide that other texts now lack vectors.
        self._snapshots = f"{embedder}+{foreign.name}" if foreign and foreign.is_here else embedder
        self._dimension = dimension
        self._budget = budget
        self._lock = threading.Lock()
        self._entries: OrderedDict[SpaceId, _Entry] = OrderedDict()
        self._total = 0
        self._calls = itertools.count()

    @property
    def nbytes(self) -> int:
        return self._total

    def waiting(self) -> tuple[int, int]:
        """How many items of the open spaces wait for vectors, and how many for verdicts."""
        with self._lock:
            found = [entry.index.waiting for entry in self._entries.values() if entry.index is not None]
        return sum(vectors for vectors, _ in found), sum(verdicts for _, verdicts in found)

    def refreshed(self, space: SpaceId) -> View:
        """The index with every commit that any process made before this call."""
        entry = self._entry(space)
        called = next(self._calls)
        with entry.lock:
            index, moved = entry.index, False
            if index is None or entry.looked < called:  # or whoever had the lock before us looked after our call
                entry.looked = next(self._calls)
                head = self._store.head(space)
                if head.seq == 0 and index is None:  # nobody has it: whoever asks for names shall fill no memory
                    self._forget(space, entry)
                    return SpaceIndex(self._dimension).view()
                if moved := index is None or index.seq != head.seq:
                    index = self._followed(space, entry, head)
            view = index.view()
        if moved:
            self._weigh(space, entry, index.nbytes + _ENTRY_BYTES)
        return view

    def save_snapshots(self, *, least_changes: int = 2_000) -> int:
        """Save those that moved far since they were last saved; how many that were."""
        with self._lock:
            entries = list(self._entries.items())
        saved = 0
        for space, entry in entries:
            with entry.lock:
                index = entry.index
                if index is None or index.seq - entry.saved < least_changes:
                    continue
                view = index.view()
            if view.live >= _WORTH_SAVING:
                self._store.save_snapshot(
                    space, self._snapshots, Snapshot(view.seq, pack(compact(view), dimension=self._dimension))
                )
                entry.saved = view.seq
                saved += 1
        return saved

    def drop(self, space: SpaceId) -> None:
        """Forget the index of a space; it is read again when it is next asked for."""
        with self._lock:
            entry = self._entries.pop(space, None)
            self._total -= entry.nbytes if entry else 0

    def reset_after_fork(self) -> None:
        """In the child: locks that another thread held are held for ever, and what they guarded is half done."""
        self._lock = threading.Lock()
        # Tried, not asked: locked() does not see a thread that won a lock and still waits for the interpreter's own.
        sound = [(space, entry) for space, entry in self._entries.items() if entry.lock.acquire(blocking=False)]
        for _, entry in sound:
            entry.lock.release()
        self._entries = OrderedDict(sound)
        self._total = sum(entry.nbytes for entry in self._entries.values())

    def _entry(self, space: SpaceId) -> _Entry:
        with self._lock:
            entry = self._entries.get(space)
            if entry is None:
                entry = self._entries[space] = _Entry()
            self._entries.move_to_end(space)
            return entry

    def _forget(self, space: SpaceId, entry: _Entry) -> None:
        with self._lock:
            if self._entries.get(space) is entry:
                del self._entries[space]
                self._total -= entry.nbytes

    def _followed(self, space: SpaceId, entry: _Entry, head: Head) -> SpaceIndex:
        index, entry.index = entry.index, None  # whatever fails below, no half-changed index stays
        if index is None:
            index = self._opened(space, entry)
        while index.seq != head.seq:
            if index.seq > head.seq or 0 < index.seq < head.floor:
                index = SpaceIndex(self._dimension)  # another past, or erasures that we can no longer learn of
            page = self._changes(space, index.seq)
            head = page.head
            if 0 < index.seq < head.floor:
                continue
            if any(row.item is None for row in page.rows):
                entry.saved = 0  # erasing took the snapshot away
            index.absorb(page.rows, upto=None if page.more else head.seq)
        entry.index = index
        return index

    def _changes(self, space: SpaceId, after: int) -> Page:
        """What has changed, each text with its vectors by whoever knows its language."""
        page = self._store.changes(space, after=after, embedder=self._embedder)
        if self._foreign is None or not (foreign := {row.id for row in page.rows if self._is_foreign(row)}):
            return page
        others = self._store.changes(space, after=after, embedder=self._foreign.name).rows
        made = {(row.id, row.seq): row.vectors for row in others}  # what has changed since is on a later page
        rows = [row._replace(vectors=made.get((row.id, row.seq))) if row.id in foreign else row for row in page.rows]
        return page._replace(rows=rows)

    def _is_foreign(self, row: Row) -> bool:
        if row.item is None or self._foreign is None or not (self._foreign.is_here or row.vectors is None):
            return False
        return not is_english(row.item.content)

    def _opened(self, space: SpaceId, entry: _Entry) -> SpaceIndex:
        snapshot = self._store.load_snapshot(space, self._snapshots)
        if snapshot is not None:
            try:
                index = SpaceIndex.from_parts(snapshot.parts, dimension=self._dimension, seq=snapshot.seq)
            except ValueError as error:
                log.info("snapshot of a space not used: %s", error)
            else:
                entry.saved = snapshot.seq
                return index
        return SpaceIndex(self._dimension)

    def _weigh(self, space: SpaceId, entry: _Entry, nbytes: int) -> None:
        with self._lock:
            if self._entries.get(space) is not entry:
                return  # dropped meanwhile
            self._total += nbytes - entry.nbytes
            entry.nbytes = nbytes
            while self._total > self._budget and len(self._entries) > 1:
                self._total -= self._entries.popitem(last=False)[1].nbytes

"""The derived index of one space under one embedder: follows the changes of the store, lends views to readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np

from truekeep.model import MemoryItem
from truekeep.ports import Row

from . import columns, vectors
from .arrays import Table
from .columns import DEAD, MORTAL, NONE_YET, UNJUDGED, Names, content_print, flags, microseconds, vector_print
from .compounds import compound_terms
from .date_terms import text_dates
from .ids import IdMap, halves, is_uuid
from .postings import Postings
from .snapshot import Compact, compact, empty, unpack
from .tokens import tag_term, text_terms
from .vectors import Passages
from .view import View

_ENCODED_AT_ONCE = 1_024  # items; with one passage each they are 1.5 MB at 384 dimensions
_LEAST_DEAD = 1_000


class SpaceIndex:
    """One thread at a time may `absorb`; the views that `view` gives are read by any thread without a lock.

    A row belongs to one text with one set of vectors. When an item gets another text, its row dies and a new one is
    made; when something else about it changes, the row's columns do.
    """

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._view: View | None = None  # as it is now, once somebody asked
        self.seq = 0
        self._adopt(empty(dimension))

    @property
    def nbytes(self) -> int:
        names = sum(table.nbytes for table in self._names.values())
        return self._items.nbytes + self._passages.nbytes + self._postings.nbytes + self._ids.nbytes + names

    def absorb(self, rows: Sequence[Row], *, upto: int | None = None) -> None:
        """Take in changes in order of seq. `upto`: the head they reach, where the last row does not tell it."""
        self._view = None  # ours must not be what keeps columns from being changed in place
        arrived: dict[int, MemoryItem] = {}
        meanings: dict[int, bytes] = {}
        for change in rows:
            key = halves(change.id)
            row = self._row_of(key)
            made = self._usable(change.vectors)
            mark = content_print(change.item) if change.item else 0
            if row is not None and (change.item is None or not self._same(row, mark, made)):
                self._bury(row)
                arrived.pop(row, None)
                meanings.pop(row, None)
                row = None
            if change.item is None:
                continue
            if row is None:
                row = self._append(key, change.item, change.seq, mark)
                arrived[row] = change.item
            else:
                self._update(row, change.item, change.seq)
            if made is not None and self._items.columns["first"][row] == NONE_YET:
                meanings[row] = made
        self._file_words(arrived)
        self._file_meanings(meanings)
        self.seq = max(self.seq, rows[-1].seq if rows else 0, upto or 0)
        self._ids.settle(*(self._items.columns[half][: self._items.size] for half in ("high", "low")))
        if self._counts.dead > max(_LEAST_DEAD, self._counts.live // 4):
            self._adopt(compact(self.view()))

    def view(self) -> View:
        """The index as it is now; later changes do not show in it."""
        if self._view is None:
            self._view = self._lent_view()
        return self._view

    @property
    def waiting(self) -> tuple[int, int]:
        """How many items wait for vectors, and how many for verdicts."""
        return self._counts.pending, self._counts.unjudged

    def _lent_view(self) -> View:
        items, items_lease = self._items.lend()
        passages, passages_lease = self._passages.lend()
        return View(
            seq=self.seq,
            size=self._items.size,
            counts=self._counts.copy(),
            columns=items,
            passages=Passages(passages, self._passages.size),
            postings=self._postings.view(self._items.size),
            by_id=self._ids.view(),
            other_ids=self._other_ids,
            names=self._names,
            leases=(items_lease, passages_lease),
        )

    @classmethod
    def from_parts(cls, parts: Mapping[str, bytes], *, dimension: int, seq: int) -> SpaceIndex:
        """Open a snapshot. Raises ValueError when it is of another format or dimension, or damaged."""
        content = unpack(parts, dimension=dimension)
        index = cls(dimension)
        index._adopt(content)
        index.seq = seq
        return index

    def _adopt(self, content: Compact) -> None:
        self._view = None
        self._items = Table(columns.SCHEMA, content.items)
        self._passages = Table(vectors.schema(self._dimension), content.passages)
        self._postings = Postings(content.postings)
        self._names = {column: Names(names) for column, names in content.names.items()}
        self._other_ids = dict(content.other_ids)
        self._counts = content.counts.copy()
        self._ids = IdMap(content.items["high"], content.items["low"])

    # Rows

    def _row_of(self, key: tuple[int, int]) -> int | None:
        cells = self._items.columns
        for row in self._ids.candidates(key, cells["high"], cells["low"]):
            if not cells["flags"].item(row) & DEAD:
                return row
        return None

    def _usable(self, made: bytes | None) -> bytes | None:
        """Vectors of another size than ours are as good as none: they will be made again."""
        return made if made is not None and len(made) % (2 * self._dimension) == 0 else None

    def _same(self, row: int, mark: int, made: bytes | None) -> bool:
        cells = self._items.columns
        if cells["print"].item(row) != mark:
            return False
        return bool(cells["first"][row] == NONE_YET or cells["vector_print"][row] == vector_print(made))

    def _append(self, key: tuple[int, int], item: MemoryItem, seq: int, mark: int) -> int:
        cells = self._cells(item, seq)
        row = self._items.append(high=key[0], low=key[1], print=mark, first=NONE_YET, **cells)
        self._ids.add(key, row)
        if not is_uuid(key[0]):
            self._other_ids[row] = item.id
        self._counts.live += 1
        self._counts.pending += 1
        self._counts.mortal += bool(cells["flags"] & MORTAL)
        self._counts.unjudged += bool(cells["flags"] & UNJUDGED)
        return row

    def _update(self, row: int, item: MemoryItem, seq: int) -> None:
        before = self._items.columns["flags"].item(row)
        cells = self._cells(item, seq)
        for name, value in cells.items():
            self._items.put(row, name, value)
        self._counts.mortal += bool(cells["flags"] & MORTAL) - bool(before & MORTAL)
        self._counts.unjudged += bool(cells["flags"] & UNJUDGED) - bool(before & UNJUDGED)

    def _cells(self, item: MemoryItem, seq: int) -> dict[str, int]:
        return {
            "seq": seq,
            "when": microseconds(item.when),
            "created": microseconds(item.created),
            "until": microseconds(item.until),
            "retired": microseconds(item.retired),
            "expires": microseconds(item.expires),
            "kind": self._names["kind"].add(item.kind),
            "speaker": self._names["speaker"].add(item.source.speaker),
            "session": self._names["session"].add(item.source.session),
            "source": self._names["source"].add(item.source.name),
            "flags": flags(item),
        }

    def _bury(self, row: int) -> None:
        cells, counts = self._items.columns, self._counts
        state = cells["flags"].item(row)
        counts.live -= 1
        counts.dead += 1
        counts.mortal += not state & MORTAL
        counts.pending -= cells["first"].item(row) == NONE_YET
        counts.unjudged -= bool(state & UNJUDGED)
        counts.passages -= cells["passages"].item(row)
        counts.length -= int(cells["length"].item(row))
        self._items.put(row, "flags", state | DEAD)

    # Words and meaning

    def _file_words(self, arrived: Mapping[int, MemoryItem]) -> None:
        rows = list(arrived)
        words = [text_terms(item.content) for item in arrived.values()]
        lengths = [len(terms) for terms in words]
        self._items.put_all(rows, "length", lengths)
        self._counts.length += sum(lengths)
        for terms, item in zip(words, arrived.values(), strict=True):
            terms += map(tag_term, item.tags)
            terms += text_dates(item.content, item.when)
            terms += compound_terms(item.content)
        self._postings.add(rows, words)

    def _file_meanings(self, meanings: Mapping[int, bytes]) -> None:
        rows, made = list(meanings), list(meanings.values())
        for start in range(0, len(rows), _ENCODED_AT_ONCE):
            part = slice(start, start + _ENCODED_AT_ONCE)
            self._file_batch(rows[part], made[part])

    def _file_batch(self, rows: Sequence[int], made: Sequence[bytes]) -> None:
        counts = [len(each) // (2 * self._dimension) for each in made]
        joined = np.frombuffer(b"".join(made), "<f2").reshape(-1, self._dimension)
        owners = np.repeat(np.array(rows, np.int32), counts)
        encoded = vectors.encode(joined.astype(np.float32))
        first = self._passages.extend({"owner": owners, **encoded}, len(joined))
        self._items.put_all(rows, "first", list(accumulate(counts[:-1], initial=first)))
        self._items.put_all(rows, "passages", counts)
        self._items.put_all(rows, "vector_print", [vector_print(each) for each in made])
        self._counts.pending -= len(rows)
        self._counts.passages += len(joined)

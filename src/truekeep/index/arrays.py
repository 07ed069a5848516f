"""Columns that grow at the end while others read them, and small things that NumPy lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias
from weakref import ref

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array: TypeAlias = NDArray[Any]
Rows: TypeAlias = NDArray[np.int32]
Schema: TypeAlias = Mapping[str, tuple[DTypeLike, tuple[int, ...]]]  # column to type and shape of one cell


class Lease:
    """Held by everyone who reads columns: while one lives, no cell that it may see is overwritten."""

    __slots__ = ("__weakref__",)


class Table:
    """Columns of equal length. One thread writes (the owner's lock sees to that), any thread reads what it was lent.

    New rows go behind what a reader knows of. A cell is overwritten in place when nobody reads, which is nearly always,
    and in a copy of its column otherwise: so readers need no lock and see one moment in time.
    """

    def __init__(self, schema: Schema, columns: Mapping[str, Array]) -> None:
        self._schema = schema
        self.columns = dict(columns)  # not copied until they must change
        self.size = len(next(iter(columns.values())))
        self._lent: set[str] = set()
        self._lent_rows = 0
        self._lease: ref[Lease] | None = None

    @property
    def nbytes(self) -> int:
        return sum(np.dtype(kind).itemsize * prod(cell) for kind, cell in self._schema.values()) * self.size

    def append(self, **cells: object) -> int:
        """Add one row and tell its number; a column left out is zero."""
        row = self.size
        self._reserve(row + 1)
        for name, column in self.columns.items():
            column[row] = cells.get(name, 0)
        self.size = row + 1
        return row

    def extend(self, columns: Mapping[str, Array], count: int) -> int:
        """Add `count` rows at once and tell the number of the first."""
        start = self.size
        self._reserve(start + count)
        for name, values in columns.items():
            self.columns[name][start : start + count] = values
        self.size = start + count
        return start

    def put(self, row: int, name: str, value: object) -> None:
        """Overwrite one cell; nothing happens when it holds that value already."""
        if self.columns[name][row] != value:
            self._writeable(name, row)[row] = value

    def put_all(self, rows: Sequence[int], name: str, values: Sequence[int]) -> None:
        """Overwrite a cell of each of the rows."""
        if rows:
            self._writeable(name, min(rows))[rows] = values

    def lend(self) -> tuple[dict[str, Array], Lease]:
        """The columns as they are now, for as long as the lease is held."""
        lease = self._lease() if self._lease else None
        if lease is None:
            lease = Lease()
            self._lease = ref(lease)
        self._lent.update(self.columns)
        self._lent_rows = self.size
        return dict(self.columns), lease

    def _writeable(self, name: str, row: int) -> Array:
        """The column to write to, for this row and those behind it."""
        column = self.columns[name]
        is_read = row < self._lent_rows and name in self._lent and self._lease is not None and self._lease()
        if is_read or not column.flags.writeable:
            column = self.columns[name] = column.copy()
            self._lent.discard(name)
        return column

    def _reserve(self, size: int) -> None:
        first = next(iter(self.columns.values()))
        if size <= len(first):
            return
        capacity = max(size, 16, self.size + self.size // 2)
        for name, (kind, cell) in self._schema.items():
            grown = np.empty((capacity, *cell), kind)
            grown[: self.size] = self.columns[name][: self.size]
            self.columns[name] = grown


def blank(schema: Schema) -> dict[str, Array]:
    """Columns without rows."""
    return {name: np.empty((0, *cell), kind) for name, (kind, cell) in schema.items()}


def ranges(starts: Array, counts: Array) -> NDArray[np.int64]:
    """`starts[0], starts[0]+1, ...` for `counts[0]` numbers, then the same for the next, in one array."""
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - (ends - counts), counts)


def united(some: Sequence[Rows]) -> Rows:
    """The rows of all, each once, in order. As np.unique, which loads masked arrays before its first answer."""
    rows = np.sort(np.concatenate(some))
    is_new = np.ones(len(rows), dtype=np.bool_)
    is_new[1:] = rows[1:] != rows[:-1]
    return rows[is_new]


def smallest(keys: Sequence[Callable[[Array], Array]], among: Array, k: int) -> Array:
    """The `k` of `among` that come first by the first key, then by the second, and so on; in that order."""
    chosen = smallest_unsorted(keys, among, k)
    return chosen[np.lexsort([key(chosen) for key in reversed(keys)])]


def smallest_unsorted(keys: Sequence[Callable[[Array], Array]], among: Array, k: int) -> Array:
    """The same, in no particular order.

    A key is asked only for those that it has to tell apart, so long lists of ties cost no sort of everything.
    """
    if len(among) <= k or not keys:
        return among[:k]
    if k <= 0:
        return among[:0]
    values = keys[0](among)
    kth = np.partition(values, k - 1)[k - 1]
    sure = among[values < kth]
    return np.concatenate([sure, smallest_unsorted(keys[1:], among[values == kth], k - len(sure))])


_ONES = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


def _counted_by_bytes(words: Array) -> NDArray[np.uint8]:
    """As `np.bitwise_count`, which NumPy has since 2.0; some frameworks still hold their environment below that."""
    octets = np.ascontiguousarray(words).view(np.uint8).reshape(*words.shape, words.dtype.itemsize)
    return np.asarray(_ONES[octets].sum(axis=-1, dtype=np.uint8))


bit_count: Callable[[Array], NDArray[np.uint8]] = getattr(np, "bitwise_count", _counted_by_bytes)

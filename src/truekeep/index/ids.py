"""Ids as two 64-bit numbers, and the row that an id lives in.

A dict from id to row would take more memory than the words of most items. UUIDs, which is what Truekeep makes, are
kept as the 128 bits that they are; any other id by a hash, whose version bits no UUID has, with the text beside it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from hashlib import blake2b

import numpy as np

from .arrays import Array

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[1-9a-f][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_NO_VERSION = ~(0xF << 76)
_LOW = (1 << 64) - 1


def halves(id: str) -> tuple[int, int]:
    """The id as two numbers; ids sort by them, whatever they look like."""
    if _UUID.fullmatch(id):
        key = int(id.replace("-", ""), 16)
    else:
        hashed = blake2b(id.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        key = int.from_bytes(hashed) & _NO_VERSION
    return key >> 64, key & _LOW


def is_uuid(high: int) -> bool:
    return bool(high & 0xF000)


def uuid(high: int, low: int) -> str:
    first, second = high.to_bytes(8).hex(), low.to_bytes(8).hex()
    return f"{first[:8]}-{first[8:12]}-{first[12:]}-{second[:4]}-{second[4:]}"


class IdView:
    """Finds rows by id: most in an array sorted by both halves, the latest in a dict."""

    def __init__(self, ordered: Array, latest: dict[tuple[int, int], int]) -> None:
        self._ordered = ordered
        self._latest = latest

    def candidates(self, key: tuple[int, int], high: Array, low: Array) -> list[int]:
        """Rows that hold the id, dead ones among them; a row behind the reader's last means: it was replaced."""
        ordered = self._ordered
        found = [row] if (row := self._latest.get(key)) is not None else []
        if not len(ordered) or key[0] > high.item(ordered[-1]):
            return found  # UUIDs are made in ascending order: most new ones end here
        start = bisect_left(ordered, key[0], key=high.item)
        if high.item(ordered[start]) != key[0]:
            return found
        end = bisect_right(ordered, key[0], lo=start, key=high.item)
        place = bisect_left(ordered, key[1], lo=start, hi=end, key=low.item)
        while place < end and low.item(ordered[place]) == key[1]:
            found.append(int(ordered[place]))
            place += 1
        return found


class IdMap(IdView):
    """The same for its only writer. `high` and `low` are the halves of every row's id."""

    def __init__(self, high: Array, low: Array) -> None:
        super().__init__(_in_order(high, low), {})

    @property
    def nbytes(self) -> int:
        return self._ordered.nbytes + 250 * len(self._latest)  # measured: two ints, a tuple, a dict entry

    def add(self, key: tuple[int, int], row: int) -> None:
        self._latest[key] = row

    def settle(self, high: Array, low: Array) -> None:
        """Sort the latest in, once they are many."""
        if len(self._latest) > max(1024, len(self._ordered) // 8):
            self._ordered = _in_order(high, low)
            self._latest = {}  # a new one: views go on reading the old

    def view(self) -> IdView:
        return IdView(self._ordered, self._latest)


def _in_order(high: Array, low: Array) -> Array:
    """Rows by both halves. The first half is nearly sorted already and nearly unique, which a full sort cannot use."""
    order = np.argsort(high, kind="stable").astype(np.int32)
    ordered = high[order]
    same = ordered[1:] == ordered[:-1]
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same)) if same.any() else same[:0]
    rows = order[tied]
    order[tied] = rows[np.lexsort((low[rows], high[rows]))]
    return order

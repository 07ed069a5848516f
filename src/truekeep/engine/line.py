"""The claims with one key, in the order in which they became true.

A batch may bring thousands under one key, a price or a position, and each is decided about in its turn. All that such a
decision depends on are its neighbours in the line, so only those are looked at.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from truekeep.model import MemoryItem

_BESIDE = 8  # on each side: several may have become true at the same time


class _Place(NamedTuple):
    when: datetime
    number: int  # as they came
    id: str


class Line:
    """The ids of claims with one key."""

    def __init__(self, claims: Iterable[MemoryItem] = ()) -> None:
        self._line: list[_Place] = []
        self._places: dict[str, _Place] = {}
        self._number = 0
        self._loose: set[str] = set()  # of those that do not end where the next one begins: they may hold at any time
        for claim in claims:
            self.put(claim)

    def put(self, claim: MemoryItem) -> None:
        """Give the claim its place, or another one when that changed."""
        place = self._places.get(claim.id)
        if place is None or place.when != claim.when:
            self.remove(claim.id)
            self._number += 1
            place = self._places[claim.id] = _Place(claim.when, self._number, claim.id)
            insort(self._line, place)
        after = self._behind(claim.when)
        ends_there = after < len(self._line) and claim.until == self._line[after].when
        if claim.until is None or (claim.is_current and not ends_there):
            self._loose.add(claim.id)
        else:
            self._loose.discard(claim.id)

    def remove(self, id: str) -> None:
        place = self._places.pop(id, None)
        if place is not None:
            del self._line[bisect_right(self._line, place) - 1]
            self._loose.discard(id)

    def around(self, when: datetime) -> list[str]:
        """The claims that matter to one that becomes true at this time, or, said now, behind all others."""
        at = self._behind(when)
        near = [*self._line[max(0, at - _BESIDE) : at + _BESIDE], *self._line[-_BESIDE:]]
        return list(dict.fromkeys([*(place.id for place in near), *self._loose]))

    def _behind(self, when: datetime) -> int:
        return bisect_right(self._line, when, key=lambda place: place.when)

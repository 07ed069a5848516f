"""Looking: what a decision depends on, however much else is said under the same key or in the same words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from truekeep.model import MemoryItem, SpaceId
from truekeep.ports import Head, Saying, Sight
from truekeep.stores.records import answer_from, fingerprint, microseconds

from .cells import Cells
from .chapter import Chapter
from .kept import item_of
from .questions import Sought
from .rows import Rows


class Looking(Chapter):
    """The part of the port `Items` that decisions are based on."""

    def look(
        self,
        space: SpaceId,
        *,
        claims: Collection[tuple[str, datetime]] = (),
        sayings: Collection[Saying] = (),
        answers: Collection[str] = (),
    ) -> Sight:
        secret, sought = self._driver.secret, list(sayings)
        marks = [fingerprint(secret, space, one.statement) for one in sought]
        said = [(mark, one.source or "", one.speaker) for mark, one in zip(marks, sought, strict=True)]
        times = [(key, microseconds(time)) for key, time in claims]

        def fetch(rows: Rows) -> Sight:
            row = rows.find(space)
            seen = rows.sight(row, Sought(times, said, answers))
            same = {one: list(map(item_of, found)) for one, found in zip(sought, seen.said, strict=True) if found}
            gone = {one.statement for one, mark in zip(sought, marks, strict=True) if mark in seen.forgotten}
            answered = {cells[0]: answer_from(*cells) for cells in seen.answers}
            return Sight(Head(row.head, row.floor), _by_key(seen.claims), same, answered, frozenset(gone))

        return self._driver.read(space.tenant, fetch, together=True)

    def replaced_by(self, space: SpaceId, id: str, *, limit: int = 1) -> list[MemoryItem]:
        def fetch(rows: Rows) -> Sequence[Cells]:
            return rows.superseded(rows.find(space), [id], limit=limit)

        return [item_of(cells) for cells in self._driver.read(space.tenant, fetch, together=True)]


def _by_key(claims: Sequence[Cells]) -> dict[str, Sequence[MemoryItem]]:
    found: dict[str, dict[str, MemoryItem]] = {}
    for cells in claims:
        found.setdefault(cells[4], {})[cells[0]] = item_of(cells)
    return {key: sorted(items.values(), key=_place) for key, items in found.items()}


def _place(claim: MemoryItem) -> tuple[datetime, bool, datetime, datetime, int]:
    """In the order in which they follow each other."""
    return claim.when, claim.until is None, claim.until or claim.when, claim.created, claim.seq

"""Reading: the rows of a store as the other one shall have them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from truekeep.engine.statement import statement
from truekeep.model import SpaceId
from truekeep.ports import Cells, Table, View
from truekeep.stores.records import fingerprint
from truekeep.stores.tables import COLUMNS, FINGERPRINT, TABLES

from .hashing import Tally, of_space

CONTENT, BODY = COLUMNS["items"].index("content"), COLUMNS["items"].index("body")


@dataclass(frozen=True, slots=True)
class Reading:
    """A view of a store, for a target that keys its fingerprints by `secret`.

    A tombstone is nothing but a fingerprint: under another secret it would recognise nothing, and is left out.
    """

    view: View
    secret: bytes

    @property
    def is_rekeyed(self) -> bool:
        return self.view.secret != self.secret

    def counts(self, space: SpaceId) -> dict[Table, int]:
        counts = self.view.counts(space)
        return {**counts, "tombstones": 0} if self.is_rekeyed else counts

    def rows(self, space: SpaceId, table: Table) -> Iterator[Sequence[Cells]]:
        if not self.is_rekeyed:
            yield from self.view.rows(space, table)
        elif table in ("items", "versions"):
            for page in self.view.rows(space, table):
                yield [self._rekeyed(space, row) for row in page]
        elif table != "tombstones":
            yield from self.view.rows(space, table)

    def hash(self, space: SpaceId) -> str:
        tallies = {table: Tally() for table in TABLES}
        for table, tally in tallies.items():
            for page in self.rows(space, table):
                tally.add(page)
        return of_space(tallies, self.view.counters(space))

    def _rekeyed(self, space: SpaceId, row: Cells) -> Cells:
        speaker = json.loads(str(row[BODY])).get("source", {}).get("speaker")
        mark = fingerprint(self.secret, space, statement(str(row[CONTENT]), speaker))
        return (*row[:FINGERPRINT], mark, *row[FINGERPRINT + 1 :])

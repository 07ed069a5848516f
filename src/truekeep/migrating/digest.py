"""Reading: the rows of a store as the other one shall have them, and the digest by which they are compared."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from truekeep.engine.statement import statement
from truekeep.model import SpaceId
from truekeep.ports import Cells, Counters, Table, View
from truekeep.stores.tables import COLUMNS, FINGERPRINT, TABLES, fingerprint


class Tally:
    """The rows of one table so far."""

    def __init__(self) -> None:
        self.count = 0
        self._hash = blake2b(digest_size=16)

    def add(self, rows: Sequence[Cells]) -> None:
        for row in rows:
            self._hash.update(b"".join(map(_written, row)) + b";")
        self.count += len(rows)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


def _written(cell: str | int | bytes | None) -> bytes:
    """A cell so that no two rows read alike: with its kind and its length."""
    match cell:
        case None:
            return b"n"
        case bytes():
            return b"b%d:%b" % (len(cell), cell)
        case str():
            text = cell.encode("utf-8", "surrogatepass")
            return b"s%d:%b" % (len(text), text)
        case _:
            return b"i%d:" % cell


def of_space(tallies: Mapping[Table, Tally], counters: Counters) -> str:
    """Of everything that a space is."""
    parts = [f"{table} {tally.count} {tally.digest}" for table, tally in tallies.items()]
    return blake2b("\n".join([*parts, repr(tuple(counters))]).encode(), digest_size=16).hexdigest()


def of_store(secret: bytes) -> str:
    """Names a store without telling its secret."""
    return blake2b(secret, digest_size=16, person=b"truekeep move").hexdigest()


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
        return of_space(self.tallied(space), self.view.counters(space))

    def tallied(self, space: SpaceId) -> dict[Table, Tally]:
        tallies = {table: Tally() for table in TABLES}
        for table, tally in tallies.items():
            for page in self.rows(space, table):
                tally.add(page)
        return tallies

    def _rekeyed(self, space: SpaceId, row: Cells) -> Cells:
        speaker = json.loads(str(row[BODY])).get("source", {}).get("speaker")
        mark = fingerprint(self.secret, space, statement(str(row[CONTENT]), speaker))
        return (*row[:FINGERPRINT], mark, *row[FINGERPRINT + 1 :])

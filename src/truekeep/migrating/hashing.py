"""Hashing: two stores hold the same if their rows, in order, give the same digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from truekeep.ports import Cells, Counters, Table


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

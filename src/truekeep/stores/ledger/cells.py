"""Cells: what rows consist of, as `stores.tables` names it; and what the ledger makes of them.

Times are microseconds since 1970, JSON is the text that was kept, a flag is 0 or 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from truekeep.model import MemoryItem, SpaceId
from truekeep.stores.records import body_of, item_fields, item_from

Cells: TypeAlias = "tuple[Any, ...]"
Name: TypeAlias = "str | bytes"
Place: TypeAlias = "tuple[Any, ...]"  # of a row in the order of its table
Manifest: TypeAlias = "Mapping[str, Sequence[tuple[int, int]]]"  # by part: numbers of pieces, and their CRC-32
UsageKey: TypeAlias = "tuple[str, str, str, str]"


NOWHERE = -1


class Space:
    """Where a space is and how far it has come. What is changed here is kept when the transaction ends."""

    __slots__ = ("counts", "floor", "head", "id", "name", "tenant", "value_head")

    def __init__(self, id: int, tenant: str, name: str, *, counts: dict[str, int], came: Sequence[int]) -> None:
        self.id = id
        self.tenant = tenant
        self.name = name  # a hidden one while the space is erased
        self.head, self.floor, self.value_head = came
        self.counts = counts  # how many items, tombstones and kept_values it holds, and what its driver counts besides

    @property
    def is_there(self) -> bool:
        """Whether it ever held anything; if not, it has no rows, and none may be kept in it."""
        return self.id != NOWHERE

    def next_seq(self) -> int:
        self.head += 1
        return self.head

    def copy(self) -> Space:
        """As it is now, to go back to."""
        return Space(
            self.id, self.tenant, self.name, counts=dict(self.counts), came=(self.head, self.floor, self.value_head)
        )

    def counters(self) -> tuple[int, ...]:
        return (self.head, self.floor, self.value_head, *self.counts.values())


def unused(space: SpaceId) -> Space:
    return Space(NOWHERE, *space, counts=Counter(), came=(0, 0, 0))


class Kept(NamedTuple):
    """A row of an item, or of a former version."""

    item: MemoryItem
    cells: Cells

    @property
    def fingerprint(self) -> bytes:
        mark: bytes = self.cells[5]
        return mark

    def renewed(self, item: MemoryItem) -> Kept:
        """The row with the item as it shall be."""
        return made(item, self.fingerprint, self.cells[14])


def item_of(cells: Cells) -> MemoryItem:
    return item_from(*cells[:5], *cells[6:14])


def kept(cells: Cells) -> Kept:
    return Kept(item_of(cells), cells)


def made(item: MemoryItem, fingerprint: bytes, repeatable: bool) -> Kept:
    """The row that an item makes."""
    return Kept(item, (item.id, item.seq, *item_fields(item, body_of(item), fingerprint), int(repeatable)))

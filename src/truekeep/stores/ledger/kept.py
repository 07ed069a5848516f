"""Items as they are kept: the item, and the cells of its row."""

from __future__ import annotations

from typing import NamedTuple

from truekeep.model import MemoryItem
from truekeep.stores.records import body_of, item_fields, item_from

from .cells import Cells


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

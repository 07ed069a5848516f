"""Rows as a store would give them, and plain answers to compare the index with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truekeep.index.arms import Words
from truekeep.index.snapshot import compact, pack
from truekeep.index.space_index import SpaceIndex
from truekeep.index.view import View
from truekeep.model import MemoryItem
from truekeep.ports import Row
from truekeep.testing import samples
from truekeep.testing.fakes import FakeEmbedder

DIMENSION = 16
EMBEDDER = FakeEmbedder(DIMENSION)
NOW = samples.NOW


def vectors_of(*passages: str) -> bytes:
    return EMBEDDER.embed(passages).astype(np.float16).tobytes()


def query_vector(text: str) -> NDArray[np.float32]:
    return np.asarray(EMBEDDER.embed([text])[0])


def row(seq: int, id: str, content: str, *, pending: bool = False, **fields: Any) -> Row:
    item = samples.item(id, content, **fields)
    return Row(seq, id, item, None if pending else vectors_of(content))


def erased(seq: int, id: str) -> Row:
    return Row(seq, id, None, None)


def index_of(rows: Sequence[Row], *, dimension: int = DIMENSION) -> SpaceIndex:
    index = SpaceIndex(dimension)
    index.absorb(rows)
    return index


def packed(index: SpaceIndex, *, dimension: int = DIMENSION) -> dict[str, bytes]:
    """A snapshot of its live rows."""
    return pack(compact(index.view()), dimension=dimension)


def texts(*contents: str) -> list[Row]:
    """One row a text, with ids "0", "1", ... and ascending times."""
    return [
        row(number + 1, str(number), content, when=NOW + timedelta(minutes=number))
        for number, content in enumerate(contents)
    ]


def found(view: View, text: str, k: int = 100) -> list[str]:
    rows, _ = Words(view, text).top(k)
    return view.ids(rows)


def latest(rows: Sequence[Row]) -> list[Row]:
    """What a store would tell a newcomer: the last state of each item, by seq; no trace of erased ones."""
    states = {change.id: change for change in rows}
    return sorted((change for change in states.values() if change.item), key=lambda change: change.seq)


def items_of(rows: Sequence[Row]) -> list[MemoryItem]:
    return [change.item for change in latest(rows) if change.item]

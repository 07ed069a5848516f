"""With the real model: end to end times, and how many of the true nearest neighbours the index finds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from truekeep import Memory, MemoryItem
from truekeep.embedders.minilm import MiniLM
from truekeep.engine.ids import new_id
from truekeep.index.arms import Meaning
from truekeep.index.space_index import SpaceIndex
from truekeep.ports import Row

from .corpus import SEED
from .measure import Check, Result, timed
from .sentences import questions, sentences
from .workbench import SPACE, Workbench

_NEIGHBOURS = 10
_STEP = 20_000
_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def end_to_end(bench: Workbench) -> Iterator[Result]:
    """Remember and recall with MiniLM on one thread, no text asked twice, in a file of 10,000 items."""
    size = 10_000
    count = 60 if bench.quick else 200
    path = bench.copy(bench.file(size, MiniLM.name), "end-to-end")
    memory = bench.keep(Memory(SPACE, at=path, embedder=MiniLM(threads=1), background=False))
    memory.recall("warm up")
    remembered = timed(memory.remember, sentences(count))
    yield Result(case="remember, with MiniLM", items=size, timing=remembered)
    asked = list(dict.fromkeys(questions(3 * count)))  # the model remembers what it was asked before
    recalled = timed(memory.recall, asked[:count])
    yield Result(case="recall, with MiniLM", items=size, timing=recalled)
    embedder = MiniLM(threads=1)
    alone = timed(lambda text: embedder.embed([text]), asked[count : 2 * count])
    yield Result(case="  of which MiniLM", items=1, timing=alone)


def neighbours(bench: Workbench) -> Iterator[Result]:
    """Of the true nearest ten by float32, how many are among the ten that the index finds.

    Some thousand vectors are the model's own, of different sentences; the others lie between two of those, with
    noise, because embedding a million texts would take an hour.
    """
    real, size, asked = (2_000, 100_000, 50) if bench.quick else (10_000, 1_000_000, 100)
    embedder = MiniLM(threads=1)
    own = embedder.embed(sentences(real))
    index = SpaceIndex(embedder.dimension)
    kept = np.empty((size, embedder.dimension), dtype=np.float16)
    random = np.random.default_rng(SEED)
    for start in range(0, size, _STEP):
        kept[start : start + _STEP] = _between(own, _STEP, random)
        if start == 0:
            kept[:real] = own
        index.absorb(_rows(kept[start : start + _STEP], start))
    view = index.view()
    matrix = kept.astype(np.float32)
    found = 0
    for vector in embedder.embed(questions(asked)):
        true = np.argpartition(matrix @ vector, -_NEIGHBOURS)[-_NEIGHBOURS:]
        found += len(np.intersect1d(true, Meaning(view, vector).top(_NEIGHBOURS)[0]))
    check = Check(found / (asked * _NEIGHBOURS), 0.99, " of the top 10", at_least=True)
    note = f"{real:,} texts, the rest in between"
    yield Result(case="true neighbours found, MiniLM", items=size, note=note, checks=[check])


def _between(own: NDArray[np.float32], count: int, random: np.random.Generator) -> NDArray[np.float32]:
    one, other = own[random.integers(len(own), size=count)], own[random.integers(len(own), size=count)]
    share = random.uniform(0.5, 0.95, size=(count, 1)).astype(np.float32)
    noise = random.standard_normal(one.shape, dtype=np.float32) * np.float32(0.2 / np.sqrt(one.shape[1]))
    mixed = share * one + (1 - share) * other + noise
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True), dtype=np.float32)


def _rows(vectors: NDArray[np.float16], start: int) -> list[Row]:
    return [
        Row(start + number + 1, item.id, item, vector.tobytes())
        for number, vector in enumerate(vectors)
        for item in [MemoryItem(id=new_id(_MOMENT), content="x", created=_MOMENT, updated=_MOMENT, when=_MOMENT)]
    ]

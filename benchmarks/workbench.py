"""Files to measure on, made once a run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from truekeep import Memory, MemoryItem
from truekeep.engine.ids import new_id
from truekeep.model import SpaceId
from truekeep.ports import Change, Put, Store
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.fakes import FakeEmbedder

from .corpus import BLOCK, Corpus

SPACE = "bench"
RARE_TAG = "rare"
SMALL = 100  # items in each of many small spaces
_BEGIN = datetime(2025, 1, 1, tzinfo=UTC)


class Prepared(FakeEmbedder):
    """The fake embedder with answers at hand for prepared texts: what is measured then is the engine alone."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, NDArray[np.float32]] = {}

    def prepare(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._known.update(zip(texts, vectors, strict=True))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if all(text in self._known for text in texts):
            return np.array([self._known[text] for text in texts])
        return super().embed(texts)

    def embed_within(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """As MiniLM does it: without reading the text again."""
        del spans
        return np.asarray(self.embed([text])[0])


class Workbench:
    """A temporary folder with files of the sizes asked for.

    Items are written straight through the store's `apply`, vectors included: what a `remember` of each would leave
    behind, without its fsync and its embedding.
    """

    def __init__(self, folder: Path, *, quick: bool) -> None:
        self.folder = folder
        self.quick = quick
        self.corpus = Corpus()
        self.embedder = Prepared()
        self._handles: dict[int, Memory] = {}
        self._closing = ExitStack()

    def close(self) -> None:
        self._closing.close()

    def questions(self, size: int, count: int) -> list[str]:
        """Questions about a space of that size, prepared."""
        asked = self.corpus.questions(size, count)
        self.embedder.prepare(asked, self.embedder.embed(asked))
        return asked

    def new_texts(self, number: int) -> list[str]:
        """Ten thousand texts that are in no file, prepared; others for another number."""
        block = self.corpus.block(900 + number)
        self.embedder.prepare(block.texts, self.corpus.vectors(block).astype(np.float32))
        return block.texts

    def file(self, size: int, embedder: str | None = None) -> Path:
        """A file whose space holds `size` items. It was never opened by a memory: there is no snapshot in it."""
        embedder = embedder or self.embedder.name
        path = self.folder / f"{embedder}-{size}.db"
        if not path.exists():
            store = SqliteStore(path)
            for puts in self.puts(size):
                apply(store, SPACE, puts, embedder)
            store.close()
        return path

    def copy(self, path: Path, name: str) -> Path:
        """A copy that a case may change."""
        return Path(shutil.copy(path, self.folder / f"{name}-{path.name}"))

    def opened(self, size: int) -> Memory:
        """A handle on a space of that size, its index in memory; shared by the cases that only read."""
        if size not in self._handles:
            self._handles[size] = self.keep(self.memory(self.copy(self.file(size), "read")))
            self._handles[size].recall("warm up")
        return self._handles[size]

    def memory(self, path: Path, space: str = SPACE, *, background: bool = False) -> Memory:
        """A handle for measuring the engine alone."""
        return Memory(space, at=path, embedder=self.embedder, background=background)

    def keep(self, memory: Memory) -> Memory:
        """See that it is closed at the end of the run."""
        self._closing.callback(memory.close)
        return memory

    def small_spaces(self, count: int) -> Path:
        """A file with many spaces of a hundred items each."""
        path = self.folder / f"{count}-spaces.db"
        if not path.exists():
            store = SqliteStore(path)
            puts = (put for block in self.puts(count * SMALL) for put in block)
            for number in range(count):
                apply(store, f"{SPACE}-{number}", [next(puts) for _ in range(SMALL)], self.embedder.name)
            store.close()
        return path

    def matrix(self, size: int) -> NDArray[np.float32]:
        """The vectors of a file as one float32 matrix, for a scan."""
        blocks = [self.corpus.vectors(block)[:count] for block, count in self.corpus.blocks(size)]
        return np.concatenate(blocks).astype(np.float32)

    def puts(self, size: int) -> Iterator[list[Put]]:
        """What a file of that size is filled with, by the block."""
        for number, (block, count) in enumerate(self.corpus.blocks(size)):
            vectors = self.corpus.vectors(block)
            begin = _BEGIN + timedelta(minutes=number * BLOCK)
            yield [
                Put(
                    item=_item(begin + timedelta(minutes=row), block.texts[row], block.kinds[row], block.tagged[row]),
                    statement=block.texts[row],
                    vectors=vectors[row].tobytes(),
                )
                for row in range(count)
            ]


def _item(moment: datetime, text: str, kind: str, tagged: bool) -> MemoryItem:
    return MemoryItem(
        id=new_id(moment),
        content=text,
        kind=kind,
        tags=(RARE_TAG,) if tagged else (),
        created=moment,
        updated=moment,
        when=moment,
    )


def apply(store: Store, space: str, puts: list[Put], embedder: str) -> None:
    """Keep the puts in one transaction."""
    space_id = SpaceId("local", space)
    store.apply(space_id, Change(puts=puts, embedder=embedder), based_on=store.head(space_id).seq)

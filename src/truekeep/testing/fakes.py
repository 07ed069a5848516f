"""Fakes that behave: a deterministic embedder, a clock that stands still, embedders that fail, hang or are choosy."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import numpy as np
from numpy.random import PCG64, Generator  # now: a child that is forked while a thread loads it would hang
from numpy.typing import NDArray

from truekeep.errors import EmbedderError

REFUSED = EmbedderError("the embedder does not take it, on purpose")


class FakeEmbedder:
    """Texts that share words are alike; the same text always gives the same vector, in every process."""

    in_process = True

    def __init__(self, dimension: int = 384, *, name: str = "fake", passage_words: int = 200) -> None:
        self.dimension = dimension
        self.name = f"{name}-{dimension}"
        self._passage_words = passage_words

    def passages(self, text: str) -> list[str]:
        words = text.split()
        size = self._passage_words
        if len(words) <= size:
            return [text]
        step = size * 3 // 4
        return [" ".join(words[start : start + size]) for start in range(0, len(words) - size + step, step)]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row] += _word_vector(word.strip(".,;:!?\"'()"), self.dimension)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[norms[:, 0] == 0, 0] = 1.0  # no words: still a unit vector
        return np.asarray(vectors / np.where(norms == 0, 1.0, norms), dtype=np.float32)


@lru_cache(maxsize=200_000)
def _word_vector(word: str, dimension: int) -> NDArray[np.float32]:
    seed = zlib.crc32(word.encode("utf-8", "surrogatepass"))
    vector = Generator(PCG64(seed)).standard_normal(dimension, dtype=np.float32)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


class FailingEmbedder(FakeEmbedder):
    """Raises while `broken` is set, then works."""

    def __init__(self, dimension: int = 384) -> None:
        super().__init__(dimension)
        self.broken = True
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if self.broken:
            raise EmbedderError("the embedder is broken on purpose", retryable=True)
        return super().embed(texts)


class ChoosyEmbedder(FakeEmbedder):
    """Raises `error` when any of the texts holds the word "poison", then works once it is None."""

    def __init__(self, dimension: int = 384, error: Exception = REFUSED, *, in_process: bool = True) -> None:
        super().__init__(dimension)
        self.in_process = in_process
        self.error: Exception | None = error
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if self.error and any("poison" in text for text in texts):
            raise self.error
        return super().embed(texts)


class HangingEmbedder(FakeEmbedder):
    """Blocks every call until `release` is set."""

    in_process = False

    def __init__(self, dimension: int = 384) -> None:
        super().__init__(dimension)
        self.release = threading.Event()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.release.wait()
        return super().embed(texts)


class FixedClock:
    """A clock that moves only when told to, also backwards."""

    def __init__(self, now: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, by: timedelta) -> None:
        self.now += by

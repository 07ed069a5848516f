"""The meaning of texts, by the embedder of the package, kept in a file: making them takes a minute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from truekeep.embedders.minilm.embedder import MiniLM

_BETWEEN = "\0"  # texts in the file; an array of strings would be as wide as the longest


class Vectors:
    """One unit vector a text."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._embedder = MiniLM()
        self._known: dict[str, NDArray[np.float32]] = {}
        if file.exists():
            with np.load(file) as saved:
                texts = bytes(saved["texts"]).decode().split(_BETWEEN)
                self._known = dict(zip(texts, saved["vectors"].astype(np.float32), strict=True))

    def learn(self, texts: Iterable[str]) -> None:
        """Make the vectors that are not there yet, and save all."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if not new:
            return
        for text, vector in zip(new, self._embedder.embed(new), strict=True):
            self._known[text] = np.asarray(vector, dtype=np.float32)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("wb") as out:
            vectors = np.stack(list(self._known.values())).astype(np.float16)
            texts = np.frombuffer(_BETWEEN.join(self._known).encode(), dtype=np.uint8)
            np.savez_compressed(out, texts=texts, vectors=vectors)

    def __getitem__(self, text: str) -> NDArray[np.float32]:
        return self._known[text]

    def cosines(self, text: str, others: Sequence[str]) -> NDArray[np.float32]:
        """How near the others are."""
        if not others:
            return np.zeros(0, dtype=np.float32)
        near = np.stack([self._known[other] for other in others]) @ self._known[text]
        return np.asarray(near, dtype=np.float32)

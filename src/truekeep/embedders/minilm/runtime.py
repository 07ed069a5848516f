"""The embedding model at work: text to tokens to meaning."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from truekeep.native import NATIVE

from .loading import PerProcess, load_session, shared_tokenizer
from .weights import FOLDER as FOLDER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

MOST_TOKENS = 256  # what the model can see, [CLS] and [SEP] included
REMEMBERED = 1024  # vectors of short texts: a repeated query costs nothing
_READ = 64  # texts whose tokens' vectors are kept for a question about a part of them, some 20 KB each


class Runtime:
    """The loaded model; safe to use from any thread."""

    def __init__(self, threads: int) -> None:
        self._tokenizer = shared_tokenizer(FOLDER / "tokenizer.json")
        self._session = load_session(FOLDER / "model.onnx", threads)
        # Every run takes some 10 MB of activations: a burst of callers waits here rather than in the allocator.
        self._runs = threading.BoundedSemaphore(threads)
        self.remembered_vector = lru_cache(maxsize=REMEMBERED)(lambda text: self._reading(text).vector)
        self._reading = lru_cache(maxsize=_READ)(self._read)

    def tokens(self, text: str) -> Encoding:
        """The whole text as tokens, [CLS] and [SEP] included, however long."""
        return self._tokenizer.encode(text)

    def vector(self, text: str) -> NDArray[np.float32]:
        """The meaning of one text, as far as the model can see.

        One text a run: the int8 graph scales its activations by the extremes of the whole batch, so a neighbour would
        change the vector (cosine down to 0.98 of itself), and a batch is hardly faster on a CPU (1.3 times at best).
        """
        return self._read(text).vector

    def vector_within(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """The meaning of stretches of a text, as the whole text puts it: the mean of their tokens."""
        import numpy as np

        read = self._reading(text)
        chosen = [
            place
            for place, (start, end) in enumerate(read.offsets)
            if start < end and any(first <= start and end <= last for first, last in spans)
        ]
        if not chosen:
            return read.vector
        mean = read.tokens[chosen].mean(axis=0, dtype=np.float32)
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)

    def _read(self, text: str) -> Reading:
        import numpy as np

        encoding = self._tokenizer.encode(text)
        ids = encoding.ids
        if len(ids) > MOST_TOKENS:
            ids = [*ids[: MOST_TOKENS - 1], ids[-1]]
        given = np.asarray([ids], dtype=np.int64)
        with self._runs, NATIVE:
            vectors, tokens = self._session.run(
                ["embedding", "tokens"], {"input_ids": given, "attention_mask": np.ones_like(given)}
            )
        return Reading(vectors[0], tokens[0].astype(np.float16), encoding.offsets[: len(ids)])


class Reading(NamedTuple):
    """What the model made of one text."""

    vector: NDArray[np.float32]
    tokens: NDArray[np.float16]  # one vector each
    offsets: Sequence[tuple[int, int]]  # where in the text each token stands


shared = PerProcess(Runtime)  # by how many threads it has

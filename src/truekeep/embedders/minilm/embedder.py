"""`MiniLM`: the default embedder, and its model at work: text to tokens to meaning."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from truekeep.errors import EmbedderError
from truekeep.native import NATIVE

from .loading import FOLDER, PerProcess, chosen_threads, load_session, shared_tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

# Half of what the model can see: it was trained on this length, and a single fact among 250 tokens is nearly lost in
# their mean (its likeness to the question that it answers: 0.21 among 254 tokens, 0.33 among 128, 0.63 alone).
PASSAGE_TOKENS = 128
SHORT = 512  # characters: longer texts are not asked twice
MOST_TOKENS = 256  # what the model can see, [CLS] and [SEP] included
REMEMBERED = 1024  # vectors of short texts: a repeated query costs nothing
MOST_PASSAGES = 700  # any text of 64 KiB needs fewer; of a longer one the rest is found by its words
_READ = 64  # texts whose tokens' vectors are kept for a question about a part of them, some 20 KB each


class MiniLM:
    """all-MiniLM-L6-v2, int8: 384 dimensions, a few milliseconds a short text, no network.

    Args:
        threads: how many threads one embedding may use, and how many embeddings may run at once in this process;
            by default one fewer than there are cores, four at most. Objects with the same number share one model.
    """

    name = "minilm-l6-int8-v1-384"
    dimension = 384
    in_process = True

    def __init__(self, *, threads: int | None = None) -> None:
        self._threads = chosen_threads(threads)

    def passages(self, text: str) -> list[str]:
        """Pieces of the text that overlap by a quarter, cut between words."""
        # A text never has more tokens than UTF-8 bytes, so most memories need no look at their tokens here.
        if len(text.encode("utf-8", "replace")) <= PASSAGE_TOKENS:
            return [text]
        tokens = self._runtime().tokens(_checked(text))
        words, offsets = tokens.word_ids[1:-1], tokens.offsets[1:-1]
        if len(words) <= PASSAGE_TOKENS:
            return [text]
        # A word has at most 100 tokens: the tokeniser makes one unknown token of a longer one.
        starts = [n for n in range(len(words)) if n == 0 or words[n] != words[n - 1]]
        return [
            text[0 if first == 0 else offsets[first][0] : offsets[last - 1][1] if last < len(words) else len(text)]
            for first, last in windows(starts, len(words), size=PASSAGE_TOKENS)
        ]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        runtime = self._runtime()
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vector = runtime.remembered_vector if len(text) <= SHORT else runtime.vector
            with _explained(text):
                vectors[row] = vector(_checked(text))
        return vectors

    def embed_within(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """The meaning of stretches of a text, as the whole text puts it; for free when it was embedded just now."""
        runtime = self._runtime()
        with _explained(text):
            return runtime.vector_within(_checked(text), spans)

    def _runtime(self) -> Runtime:
        try:
            return shared(self._threads)
        except Exception as error:  # a broken installation; memory must go on by words
            raise EmbedderError(f"MiniLM cannot be loaded: {error}; reinstall truekeep and onnxruntime") from error

    def __repr__(self) -> str:
        return f"MiniLM(threads={self._threads})"


def windows(starts: Sequence[int], end: int, *, size: int) -> list[tuple[int, int]]:
    """Stretches from word start to word start, each as long as a passage may be, that overlap by a quarter.

    There must always be a word start within reach: no word may be longer than a passage.
    """
    overlap = size // 4
    found: list[tuple[int, int]] = []
    boundaries = [*starts, end]
    first = last = 0  # places in boundaries
    while boundaries[last] < end and len(found) < MOST_PASSAGES:
        while last + 1 < len(boundaries) and boundaries[last + 1] - boundaries[first] <= size:
            last += 1
        found.append((boundaries[first], boundaries[last]))
        while first < last and boundaries[last] - boundaries[first] > overlap:
            first += 1
    return found


@contextmanager
def _explained(text: str) -> Iterator[None]:
    try:
        yield
    except EmbedderError:
        raise
    except Exception as error:  # onnxruntime's exceptions have no common root
        raise EmbedderError(f"MiniLM failed on a text of {len(text)} characters: {error}") from error


def _checked(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise EmbedderError("a text with lone surrogates has no tokens") from error
    return text


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

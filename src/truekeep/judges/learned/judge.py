"""`LearnedJudge`: the default judge, what it sees at once, and what its file must be, byte for byte.

It sees `[CLS] head [SEP] text [SEP] text [SEP]`, in tokens; `training` cuts with the same. One input holds the texts
that compete: the head is read once, and they are seen beside each other.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from truekeep.embedders.minilm.loading import FOLDER as EMBEDDER
from truekeep.embedders.minilm.loading import PerProcess, altered, chosen_threads, load_session, shared_tokenizer
from truekeep.errors import ConfigurationError
from truekeep.native import NATIVE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CLS, SEP = 101, 102
LONGEST = 256  # tokens of a window
HEAD = 64  # the beginning of a statement or question; the end of a message before
TEXT = 72

Tokens = Sequence[int]


class Window(NamedTuple):
    """What is read at once, and where in it each text stands."""

    ids: list[int]
    head: int  # tokens of the first segment, [CLS] and [SEP] included
    spans: list[tuple[int, int]]


def windows(
    head: Tokens, texts: Sequence[Tokens], *, most: int = LONGEST, ends: bool = False
) -> Iterator[tuple[Window, list[int]]]:
    """Windows that hold all texts, and which texts each holds: more than one only where they do not fit.

    Args:
        head: what the texts are judged by.
        texts: what is judged.
        most: texts in a window.
        ends: whether the end of a long head matters rather than its beginning.
    """
    kept = list(head[-HEAD:] if ends else head[:HEAD])
    begin = [CLS, *kept, SEP]
    ids = list(begin)
    spans: list[tuple[int, int]] = []
    held: list[int] = []
    for place, text in enumerate(texts):
        cut = list(text[:TEXT]) or [SEP]
        if spans and (len(ids) + len(cut) + 1 > LONGEST or len(spans) == most):
            yield Window(ids, len(begin), spans), held
            ids, spans, held = list(begin), [], []
        spans.append((len(ids), len(ids) + len(cut)))
        held.append(place)
        ids += [*cut, SEP]
    if spans:
        yield Window(ids, len(begin), spans), held


FOLDER = Path(__file__).parent
SHIPPED = FOLDER / "model.onnx"
SHA256 = {"model.onnx": "49e2e571ff5ab8be5631e31d916c611af08492122cec24d94f9a2bf5e0ef2938"}
_LOGITS = 11  # of a token: relevance, four relations, then keep and five kinds
_RELEVANCE, _RELATION, _SENTENCE = slice(0, 1), slice(1, 5), slice(5, 11)
_OLDER, _MEMORIES = 3, 5  # texts that it learned to see beside each other
_READ = 4_096  # characters: by far more than a window holds of a text


class LearnedJudge:
    """One small network for three questions, int8: some twelve milliseconds a window, no network.

    Args:
        threads: as of the embedder `MiniLM`, whose tokeniser this shares.
        file: another network of the same form, as `training` makes it; default: the one inside the package.

    Raises:
        ConfigurationError: there is no such file.
    """

    name = f"learned-judge-{SHA256['model.onnx'][:8]}"

    def __init__(self, *, threads: int | None = None, file: str | Path | None = None) -> None:
        self._threads = chosen_threads(threads)
        self._file = SHIPPED
        if file is not None:
            self._file = Path(file).resolve()
            if not self._file.is_file():
                raise ConfigurationError(f"there is no network of a judge at {file}")
            self.name = f"learned-judge-{hashlib.sha256(self._file.read_bytes()).hexdigest()[:8]}"

    def relations(self, newer: str, older: Sequence[str]) -> NDArray[np.float32]:
        return self._judged(newer[:_READ], older, most=_OLDER)[:, _RELATION]

    def relevance(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._judged(question[:_READ], texts, most=_MEMORIES)[:, _RELEVANCE].reshape(-1)

    def sentences(self, before: str, speaker: str, sentences: Sequence[str]) -> NDArray[np.float32]:
        head = f"{before[-_READ:]}\n{speaker}:"
        return self._judged(head, sentences, ends=True)[:, _SENTENCE]

    def _judged(self, head: str, texts: Sequence[str], *, most: int = 256, ends: bool = False) -> NDArray[np.float32]:
        """All logits of each text: the mean over its tokens."""
        import numpy as np

        logits = np.empty((len(texts), _LOGITS), dtype=np.float32)
        if not texts:
            return logits
        runtime = _shared((self._threads, self._file))
        cut = [runtime.tokens(text[:_READ]) for text in texts]
        for window, held in windows(runtime.tokens(head), cut, most=most, ends=ends):
            of_tokens = runtime.read(window)
            for place, (start, end) in zip(held, window.spans, strict=True):
                logits[place] = of_tokens[start:end].mean(axis=0)
        return logits

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}, threads={self._threads})"


class _Runtime:
    """The loaded network; safe to use from any thread."""

    def __init__(self, made_with: tuple[int, Path]) -> None:
        threads, file = made_with
        self._tokenizer = shared_tokenizer(EMBEDDER / "tokenizer.json")
        self._session = load_session(file, threads)
        self._runs = threading.BoundedSemaphore(threads)  # as with the embedder: a burst waits here

    def tokens(self, text: str) -> Tokens:
        readable = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates have no tokens
        ids: Tokens = self._tokenizer.encode(readable, add_special_tokens=False).ids
        return ids

    def read(self, window: Window) -> NDArray[np.float32]:
        """The logits of each token. One window a run: int8 activations are scaled by the extremes of a whole batch."""
        import numpy as np

        ids = np.asarray([window.ids], dtype=np.int64)
        segments = np.ones_like(ids)
        segments[:, : window.head] = 0
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": segments}
        with self._runs, NATIVE:
            (logits,) = self._session.run(["logits"], given)
        return np.asarray(logits[0], dtype=np.float32)


_shared = PerProcess(_Runtime)  # by how many threads it has, and its file


def verify(folder: Path = FOLDER) -> list[str]:
    """The files that are missing or not what was shipped; none when all is well. Reads 34 MB."""
    return altered(folder, SHA256)

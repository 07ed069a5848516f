"""The tokeniser and the ONNX session: loaded once for a process, on first use, and again after a fork."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from .weights import FOLDER as FOLDER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

MOST_TOKENS = 256  # what the model can see, [CLS] and [SEP] included
REMEMBERED = 1024  # vectors of short texts: a repeated query costs nothing
_READ = 64  # texts whose tokens' vectors are kept for a question about a part of them, some 20 KB each


def default_threads() -> int:
    """Leave one core to the host; more than four threads gain nothing on a model this small."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(4, cores - 1))


class Runtime:
    """The loaded model; safe to use from any thread."""

    def __init__(self, threads: int) -> None:
        self._tokenizer = _load_tokenizer()
        self._session = _load_session(threads)
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
        return self._run(self.tokens(text), "embedding")[0]

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
        vector, tokens = self._run(encoding, "embedding", "tokens")
        return Reading(vector, tokens.astype(np.float16), encoding.offsets[: len(tokens)])

    def _run(self, encoding: Encoding, *outputs: str) -> list[NDArray[np.float32]]:
        import numpy as np

        ids = encoding.ids
        if len(ids) > MOST_TOKENS:
            ids = [*ids[: MOST_TOKENS - 1], ids[-1]]
        tokens = np.asarray([ids], dtype=np.int64)
        with self._runs:
            found = self._session.run(list(outputs), {"input_ids": tokens, "attention_mask": np.ones_like(tokens)})
        return [np.asarray(each[0], dtype=np.float32) for each in found]


class Reading(NamedTuple):
    """What the model made of one text."""

    vector: NDArray[np.float32]
    tokens: NDArray[np.float16]  # one vector each
    offsets: Sequence[tuple[int, int]]  # where in the text each token stands


def _load_tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.encode_special_tokens = True  # "[SEP]" in a text is five characters, not the end of it
    return tokenizer


def _load_session(threads: int) -> Any:
    # Since 1.29 onnxruntime reports to its maker from the moment of its import; only this variable stops it whole.
    # Its reporting thread would also make every forked child hang at exit.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import ctypes

    import onnxruntime  # type: ignore[import-untyped]  # ships no types

    onnxruntime.disable_telemetry_events()  # in case the host imported it before us
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads sleep
    session = onnxruntime.InferenceSession(str(FOLDER / "model.onnx"), options, providers=["CPUExecutionProvider"])
    # Never destroyed: in a forked child its destructor would wait for threads that exist in the parent only.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(session))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(session._sess))
    return session


_loaded: dict[int, Runtime] = {}
_loading = threading.Lock()


def shared(threads: int) -> Runtime:
    """The runtime of this process with so many threads."""
    runtime = _loaded.get(threads)
    if runtime is None:
        with _loading:
            runtime = _loaded.get(threads) or _loaded.setdefault(threads, Runtime(threads))
    return runtime


def _forget_parent() -> None:
    global _loading
    _loading = threading.Lock()  # another thread may have held it at the moment of the fork
    _loaded.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)

"""How a model of the package is loaded: its tokeniser and its ONNX session; the judge's is loaded the same way.

And what its files must be, byte for byte: they run in every process that remembers something.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from truekeep.errors import ConfigurationError
from truekeep.native import NATIVE

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FOLDER = Path(__file__).parent
SHA256 = {
    "model.onnx": "7e8356f78f23ccf1f0081f7563b9e42723abdcbb65f54c31beef3f76fcb9d320",
    "tokenizer.json": "6681992d43e581b35b3dd61f3c81ee0f891fbf13ad54f8b692ea868bd46b066b",
}

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")


class PerProcess(Generic[Key, Made]):
    """What is made once for a process, on first use, and again after a fork."""

    def __init__(self, make: Callable[[Key], Made]) -> None:
        self._make = make
        self._forget_parent()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget_parent)

    def _forget_parent(self) -> None:
        self._making = threading.Lock()  # another thread may have held it at the moment of the fork
        self._made: dict[Key, Made] = {}

    def __call__(self, key: Key) -> Made:
        made = self._made.get(key)
        if made is None:
            with self._making:
                made = self._made.get(key) or self._made.setdefault(key, self._make(key))
        return made


def chosen_threads(threads: int | None) -> int:
    """Unless told, leave one core to the host; more than four threads gain nothing on models this small."""
    if threads is not None and threads < 1:
        raise ConfigurationError(f"threads must be at least 1, not {threads}")
    return threads or default_threads()


def default_threads() -> int:
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(4, cores - 1))


def _load_tokenizer(file: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.encode_special_tokens = True  # "[SEP]" in a text is five characters, not the end of it
    return tokenizer


shared_tokenizer = PerProcess(_load_tokenizer)


def load_session(file: Path, threads: int) -> Any:
    """An ONNX session on a file, with so many threads."""
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
    with NATIVE:
        session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    # Never destroyed: in a forked child its destructor would wait for threads that exist in the parent only.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(session))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(session._sess))
    return session


def verify(folder: Path = FOLDER) -> list[str]:
    """The files that are missing or not what was shipped; none when all is well. Reads 24 MB."""
    return altered(folder, SHA256)


def altered(folder: Path, shipped: Mapping[str, str]) -> list[str]:
    """The files of a folder that are missing or have another SHA-256 than those that were shipped."""
    return [name for name, known in shipped.items() if not _is(folder / name, known)]


def _is(file: Path, known: str) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest() == known

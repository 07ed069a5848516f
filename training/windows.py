"""Examples as the tokens that the network sees: `[CLS] head [SEP] text [SEP] text [SEP]`.

One input holds all the texts that compete, so the head is read once and the texts are seen beside each other; and
since int8 activations are scaled by the extremes of a whole batch, it also keeps a verdict from depending on chance
neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

TOKENIZER = Path(__file__).parent.parent / "src/truekeep/embedders/minilm/tokenizer.json"
CLS, SEP, MASK = 101, 102, 103
LONGEST = 256  # tokens of a window
HEAD = 64  # the beginning of a statement or question; the end of a message before
TEXT = 72

Tokens = Sequence[int]


class Window(NamedTuple):
    """What is read at once, and where in it each text stands."""

    ids: list[int]
    head: int  # tokens of the first segment, [CLS] and [SEP] included
    spans: list[tuple[int, int]]


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


def windows(head: Tokens, texts: Sequence[Tokens], *, ends: bool = False) -> Iterator[tuple[Window, list[int]]]:
    """Windows that hold all texts, and which texts each holds: more than one only where they do not fit.

    Args:
        head: what the texts are judged by.
        texts: what is judged.
        ends: whether the end of a long head matters rather than its beginning.
    """
    kept = list(head[-HEAD:] if ends else head[:HEAD])
    begin = [CLS, *kept, SEP]
    ids = list(begin)
    spans: list[tuple[int, int]] = []
    held: list[int] = []
    for place, text in enumerate(texts):
        cut = list(text[:TEXT]) or [SEP]
        if spans and len(ids) + len(cut) + 1 > LONGEST:
            yield Window(ids, len(begin), spans), held
            ids, spans, held = list(begin), [], []
        spans.append((len(ids), len(ids) + len(cut)))
        held.append(place)
        ids += [*cut, SEP]
    if spans:
        yield Window(ids, len(begin), spans), held


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

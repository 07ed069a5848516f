"""Examples as the tokens that the network sees, in the windows of the product."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from truekeep.judges.learned.judge import HEAD, LONGEST, SEP, Tokens, Window, windows

__all__ = ["HEAD", "LONGEST", "MASK", "SEP", "Lexer", "Pack", "Window", "packed", "windows"]

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


class Pack(NamedTuple):
    """Windows side by side in rows of one length: padded to the longest they would be two thirds padding."""

    fields: tuple[NDArray[np.int64], ...]  # [rows, tokens]: ids, places, segments, window, its first token, text
    texts: int  # also the number of the text that a token of none belongs to


def packed(batch: Sequence[Window]) -> Pack:
    """As many windows a row as fit, in order."""
    rows: list[list[Window]] = []
    room = 0
    for window in batch:
        if len(window.ids) > room:
            rows.append([])
            room = LONGEST
        rows[-1].append(window)
        room -= len(window.ids)
    count = sum(len(window.spans) for window in batch)
    ids, places, segments, number, first, text = (np.zeros((len(rows), LONGEST), dtype=np.int64) for _ in range(6))
    number -= 1
    text += count
    windows, texts = itertools.count(), itertools.count()
    for row, held in enumerate(rows):
        start = 0
        for window in held:
            end = start + len(window.ids)
            ids[row, start:end] = window.ids
            places[row, start:end] = range(end - start)
            segments[row, start + window.head : end] = 1
            number[row, start:end] = next(windows)
            first[row, start:end] = row * LONGEST + start
            for begin, stop in window.spans:
                text[row, start + begin : start + stop] = next(texts)
            start = end
    return Pack((ids, places, segments, number, first, text), count)

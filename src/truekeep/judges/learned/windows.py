"""What the network sees at once: `[CLS] head [SEP] text [SEP] text [SEP]`, in tokens. `training` cuts with the same.

One input holds the texts that compete: the head is read once, and they are seen beside each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

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

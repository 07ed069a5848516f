"""Cutting texts out of what jobs carry, word by whole word, without taking the rest of a transcript along."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from truekeep.model import JSON

CUT = "…"  # without it, what stood left and right of a text might grow together to the same text
LABELS = frozenset({"session", "role", "speaker", "id", "when"})  # who and where; not what was said
# Scripts that set no spaces between words: Thai to Lao, Burmese, Khmer, kana, ideographs. There a text ends anywhere.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def without(told: JSON, texts: Collection[str]) -> JSON:
    """The same without the texts, in every string but labels."""
    if isinstance(told, str):
        return shortened(told, texts)
    if isinstance(told, Mapping):
        return {name: inner if name in LABELS else without(inner, texts) for name, inner in told.items()}
    if isinstance(told, list):
        return [without(inner, texts) for inner in told]
    return told


def shortened(told: str, texts: Collection[str]) -> str:
    here = sorted((text for text in texts if text in told), key=len, reverse=True)
    if not here:
        return told
    pattern = re.compile("|".join(_whole(text) for text in here))
    return pattern.sub("" if pattern.search(CUT) else CUT, told)


def _whole(text: str) -> str:
    """A pattern for the text where it is no part of a longer word."""
    before = r"(?<!\w)" if _joins(text[0]) else ""
    after = r"(?!\w)" if _joins(text[-1]) else ""
    return before + re.escape(text) + after


def _joins(character: str) -> bool:
    """Whether it makes one word with a letter beside it."""
    return re.match(r"\w", character) is not None and not UNSPACED.match(character)

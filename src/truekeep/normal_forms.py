"""Unicode's normal forms of texts that anybody may have written, in linear time."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

_WINDOW = 256  # characters


def normal_form(form: Form, text: str) -> str:
    """The text in that form.

    Python sorts a run of combining marks in quadratic time, and 64 KB of them take seconds. So a text is normalised in
    windows, which end before a letter; a run of marks that is longer than a window, and no word of any language, is
    cut.
    """
    if text.isascii():
        return text
    return "".join([unicodedata.normalize(form, window) for window in _windows(text)])  # noqa: TID251  # meant there


def _windows(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > _WINDOW:
        longest = start + _WINDOW
        end = next((place for place in range(longest, start, -1) if _begins(text[place])), longest)
        yield text[start:end]
        start = end
    yield text[start:]


def _begins(character: str) -> bool:
    """Whether it joins nothing that stands before it: no mark, no later letter of a Hangul syllable."""
    return character.isascii() or not (
        unicodedata.category(character).startswith("M")
        or "\u1160" <= character <= "\u11ff"
        or "\u3131" <= character <= "\u318e"
        or "\uff9e" <= character <= "\uffdc"  # half-width voice marks and Hangul
    )

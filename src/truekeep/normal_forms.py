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


class _Folded(dict[int, str]):
    """Each letter without its accents, one for one, so that places in the text stay the same."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        if code < 0x250 or 0x1E00 <= code < 0x1F00:  # Latin; the marks of other scripts mean something
            self[code] = letter = normal_form("NFD", letter)[0]
        return letter


_FOLDED = _Folded(
    {
        0x2019: "'",
        0x2018: "'",
        0xDF: "s",
        0x142: "l",
        0x141: "L",
        0xF8: "o",
        0xD8: "O",
        0xE6: "a",
        0xC6: "A",
        0x111: "d",
    }
)


def fold(text: str) -> str:
    """Lower case, without accents, apostrophes straightened: as words are compared."""
    if not text.isascii():
        text = text.translate(_FOLDED)
    return text.lower()

"""Text in the one form in which it is compared."""

from __future__ import annotations

from truekeep.normal_forms import normal_form


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

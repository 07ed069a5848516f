"""A text without its disguise: what nobody sees left out, wide letters made plain; and where each character stood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .spans import Span

INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe00-\ufe0f]")
_WIDE = {  # letters, digits, and the signs within a secret; other punctuation ends one in Chinese and Japanese
    wide: chr(wide - 0xFEE0)
    for wide in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B), *map(ord, "＿－＠／＋＝．"))  # noqa: RUF001
}


class Folded(NamedTuple):
    """The plain text, and the place that each of its characters had; None where all kept theirs."""

    text: str
    places: list[int] | None = None

    def unfolded(self, spans: Iterable[Span]) -> Iterator[Span]:
        """The same spans in the text as it was."""
        if self.places is None:
            yield from spans
            return
        for span in spans:
            yield Span(self.places[span.start], self.places[span.end - 1] + 1, span.kind)


def folded(text: str) -> Folded:
    if text.isascii():
        return Folded(text)
    plain = text.translate(_WIDE)
    if not INVISIBLE.search(plain):
        return Folded(plain)
    places = [place for place, character in enumerate(plain) if not INVISIBLE.match(character)]
    return Folded("".join([plain[place] for place in places]), places)

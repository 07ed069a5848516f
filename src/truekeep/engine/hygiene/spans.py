"""Where a secret stands in a text, also in one that is disguised, and what to put in its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import NamedTuple

PLACEHOLDER = re.compile(r"\[redacted:([a-z-]{1,32})\]")


INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe00-\ufe0f]")
_WIDE = {  # letters, digits, and the signs within a secret; other punctuation ends one in Chinese and Japanese
    wide: chr(wide - 0xFEE0)
    for wide in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B), *map(ord, "＿－＠／＋＝．"))  # noqa: RUF001
}
_ANY_WIDE = re.compile("[\uff00-\uff5e]")  # to look for one is ten times as fast as to replace none


class Span(NamedTuple):
    """A secret: where it begins and ends, and its kind."""

    start: int
    end: int
    kind: str


def made_later(pattern: str) -> Callable[[], re.Pattern[str]]:
    """The pattern, made when it is first asked for."""
    return cache(partial(re.compile, pattern))


def placeholder(kind: str) -> str:
    return f"[redacted:{kind}]"


def replaced(text: str, spans: Iterable[Span]) -> str:
    """The text with a placeholder for each secret. Where spans overlap, the first given names the kind."""
    order = {span: place for place, span in reversed(list(enumerate(spans)))}
    pieces: list[str] = []
    done = 0
    for start, end, kind in _united(sorted(order), order):
        pieces += (text[done:start], placeholder(kind))
        done = end
    return "".join((*pieces, text[done:]))


def _united(spans: list[Span], order: dict[Span, int]) -> Iterable[Span]:
    """Spans that share a character become one: nothing of either may stay."""
    open_span: Span | None = None
    first = 0
    for span in spans:
        if open_span is None or span.start >= open_span.end:
            if open_span is not None:
                yield open_span
            open_span, first = span, order[span]
            continue
        kind = span.kind if order[span] < first else open_span.kind
        first = min(first, order[span])
        open_span = Span(open_span.start, max(open_span.end, span.end), kind)
    if open_span is not None:
        yield open_span


class Folded(NamedTuple):
    """A text without what nobody sees, its wide letters plain; and the place that each character had, None: its own."""

    text: str
    places: list[int] | None = None

    def unfolded(self, spans: list[Span]) -> list[Span]:
        """The same spans in the text as it was."""
        places = self.places
        if places is None:
            return spans
        return [Span(places[start], places[end - 1] + 1, kind) for start, end, kind in spans]


def folded(text: str) -> Folded:
    """The text without its disguise."""
    if text.isascii():
        return Folded(text)
    plain = text.translate(_WIDE) if _ANY_WIDE.search(text) else text
    if not INVISIBLE.search(plain):
        return Folded(plain)
    places = [place for place, character in enumerate(plain) if not INVISIBLE.match(character)]
    return Folded("".join([plain[place] for place in places]), places)

"""Where a secret stands in a text, and what to put in its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

PLACEHOLDER = re.compile(r"\[redacted:([a-z-]{1,32})\]")


class Span(NamedTuple):
    """A secret: where it begins and ends, and its kind."""

    start: int
    end: int
    kind: str


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

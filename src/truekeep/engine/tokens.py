"""Counting tokens without a tokeniser: an estimate that errs on the safe side for common model tokenisers."""

from __future__ import annotations

import re
from collections.abc import Callable

CountTokens = Callable[[str], int]

_PIECES = re.compile(r"(?P<word>[A-Za-z]+)|(?P<digits>\d+)|(?P<blank>\s+)|(?P<other>[^\sA-Za-z\d])")


def estimate(text: str) -> int:
    """At least as many as byte-pair vocabularies of today make of ordinary text.

    An English word is one token up to four letters and one more for each further four; digits come in threes at
    best, so two a token; everything outside ASCII counts by its UTF-8 bytes, half of them for two-byte scripts.
    """
    count = 0
    for match in _PIECES.finditer(text):
        piece = match.group()
        if match.lastgroup == "word":
            count += -(-len(piece) // 4)
        elif match.lastgroup == "digits":
            count += -(-len(piece) // 2)
        elif match.lastgroup == "blank":
            count += len(piece) - 1 if piece[0] == " " and "\n" not in piece else piece.count("\n") or 1
        else:
            count += max(1, len(piece.encode()) // 2 + (len(piece.encode()) > 2))
    return count

"""Secrets in a text, replaced by placeholders that name their kind.

What is told by a maker's prefix, by a frame, by a check digit, or by the name that the text gives it is found; a bare
string of random characters is not: it may as well be a commit, an id or an image.
"""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

from . import cards, codes, makers, named
from .spans import PLACEHOLDER, folded, placeholder, replaced

_ROUNDS = 4  # a replacement seldom uncovers another secret, and then only a few


class Cleaned(NamedTuple):
    """A text without its secrets, and the kinds of those, in the order in which they stood there."""

    text: str
    kinds: tuple[str, ...]


def redacted(text: str) -> Cleaned:
    """Replace the secrets. Time is linear in the text; a text without a secret comes back as it is."""
    kinds: dict[str, None] = {}
    for _ in range(_ROUNDS):
        plain = folded(text)
        said, lowered = plain.text, _lowered(plain.text)
        found = chain(  # those whose kind is the most certain come first
            makers.in_frames(said),
            makers.in_urls(said),
            makers.find(said, lowered),
            named.find(said, lowered),
            named.in_tables(said),
            codes.find(said, lowered),
            cards.find(said),
        )
        spans = plain.unfolded(list(found))
        if not spans:
            break
        kinds.update(dict.fromkeys(span.kind for span in spans))
        text = replaced(text, spans)
    # Where several overlapped, one gave its name to them all.
    places = {kind: text.find(placeholder(kind)) for kind in kinds}
    return Cleaned(text, tuple(sorted((kind for kind in kinds if places[kind] >= 0), key=places.__getitem__)))


def _lowered(text: str) -> str:
    """In lower case, each character in its place: a few have a small form of two characters.

    Placeholders are blotted out: the kind that they name is no name of what follows.
    """
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(small if len(small := c.lower()) == 1 else c for c in text)
    if "[redacted:" in lowered:
        lowered = PLACEHOLDER.sub(lambda found: "#" * len(found[0]), lowered)
    return lowered

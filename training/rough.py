"""Texts as people type them: without the words that give a change away, with slips, without the full stop."""

from __future__ import annotations

import re
from random import Random

_TELLTALE = re.compile(
    r"\b(currently|these days|nowadays|as of (today|now|this week)|actually|update|fyi|btw|finally|officially|just)\b"
    r"[,:]?\s*",
    re.IGNORECASE,
)


def rough(text: str, random: Random) -> str:
    """The same text, less carefully written; often it stays as it is."""
    if random.random() < 0.3:
        text = _TELLTALE.sub("", text) or text
    if random.random() < 0.12:
        text = _slip(text, random)
    if random.random() < 0.15:
        text = text.rstrip(".!") or text
    if random.random() < 0.05:
        text = text.lower()
    return text


def _slip(text: str, random: Random) -> str:
    """A letter left out, two in the wrong order, or one typed twice."""
    words = text.split(" ")
    place = random.randrange(len(words))
    word = words[place]
    if len(word) > 3:
        at = random.randrange(len(word) - 1)
        slips = (
            word[:at] + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[: at + 1] + word[at:],
        )
        words[place] = random.choice(slips)
    return " ".join(words)

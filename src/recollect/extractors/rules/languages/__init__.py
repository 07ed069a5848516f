"""The languages that the rules read, and how to tell them apart: by their most frequent words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.extractors.rules.lexicon import Lexicon, lexicon

from .dutch import DUTCH
from .english import ENGLISH
from .french import FRENCH
from .german import GERMAN
from .italian import ITALIAN
from .portuguese import PORTUGUESE
from .spanish import SPANISH

LANGUAGES = (ENGLISH, GERMAN, DUTCH, FRENCH, SPANISH, ITALIAN, PORTUGUESE)
OTHER = lexicon("", "", {})  # none of them: numbers, names and length are all there is to judge by

_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 600  # characters
_FOREIGN = re.compile(r"[^\W\d_a-zA-Z]")
_SURE, _SHARE = 1.5, 0.25  # so many of its words, and of all words, tell a language
_USUAL = 0.4  # what speaks for the language that was spoken before


def _speakers() -> dict[str, tuple[tuple[str, float], ...]]:
    """Which languages a word speaks for, and how loudly."""
    found: dict[str, dict[str, float]] = {}
    for language in LANGUAGES:
        for word in language.entries:
            found.setdefault(word, {})[language.code] = 0.7
        for word in language.common:
            found.setdefault(word, {})[language.code] = 1.0
    return {word: tuple(weights.items()) for word, weights in found.items()}


_SPEAKERS = _speakers()
_BY_CODE = {language.code: language for language in LANGUAGES}


def language_of(said: Sequence[str], *, before: Lexicon | None = None) -> Lexicon:
    """The language of a message; where its words do not tell, the one `before` it, or English."""
    text = " ".join(said)[:_ENOUGH].lower()
    counts = dict.fromkeys(_BY_CODE, 0.0)
    words = _WORD.findall(text)
    for word in words:
        for code, weight in _SPEAKERS.get(word, ()):
            counts[code] += weight
    best = max(counts, key=lambda code: counts[code] + (_USUAL if _BY_CODE[code] is (before or ENGLISH) else 0))
    if counts[best] >= max(_SURE, _SHARE * len(words)):
        return _BY_CODE[best]
    if before in (None, OTHER) and _FOREIGN.search(text):
        return OTHER
    return before or ENGLISH

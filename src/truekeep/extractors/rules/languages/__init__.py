"""The languages that the rules read, and how to tell them apart: by their most frequent words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from truekeep.extractors.rules.lexicon import Lexicon, lexicon

from .dutch import DUTCH
from .english import ENGLISH
from .french import FRENCH
from .german import GERMAN
from .italian import ITALIAN
from .portuguese import PORTUGUESE
from .spanish import SPANISH

LANGUAGES = (ENGLISH, GERMAN, DUTCH, FRENCH, SPANISH, ITALIAN, PORTUGUESE)
# None of them: numbers, names and length are nearly all there is to judge by.
OTHER = lexicon(
    "",
    "",
    {  # Polish, Swedish, Danish, Russian
        "unsure": "może, chyba, być może, kanske, jag tror, måske, \u043c\u043e\u0436\u0435\u0442",
        "rumour": "podobno, plotki, ryktet, ryktas, \u0433\u043e\u0432\u043e\u0440\u044f\u0442",
        "supposing": "gdyby, gdybym, tänk om, om vi hade, om jag hade, hvis vi, \u0435\u0441\u043b\u0438 \u0431\u044b",
        "asks": "czy, co, jak, dlaczego, kiedy, varför, hur, vad, \u043f\u043e\u0447\u0435\u043c\u0443",
    },
)
_NEVER_OURS = re.compile(
    "[\u00e5\u00f8\u0142\u0105\u0119\u0107\u0144\u015b\u017a\u017c\u0151\u0171\u0159\u010d\u0161\u017e\u016f\u0131\u011f\u015f]"
)  # letters that none of them has

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
_PLAIN_ENGLISH = ENGLISH.common.difference(*(other.entries.keys() | other.common for other in LANGUAGES[1:]))
_CLEAR = 0.3  # so many of all words, if no other language has them
_BY_CODE = {language.code: language for language in LANGUAGES}


def language_of(said: Sequence[str], *, before: Lexicon | None = None) -> Lexicon:
    """The language of a message; where its words do not tell, the one `before` it, or English."""
    text = " ".join(said)[:_ENOUGH].lower()
    words = _WORD.findall(text)
    if before in (None, ENGLISH) and sum(map(_PLAIN_ENGLISH.__contains__, words)) >= max(_SURE, _CLEAR * len(words)):
        return ENGLISH  # the usual case, told in a moment
    counts = dict.fromkeys(_BY_CODE, 0.0)
    for word in words:
        for code, weight in _SPEAKERS.get(word, ()):
            counts[code] += weight
    best = max(counts, key=lambda code: counts[code] + (_USUAL if _BY_CODE[code] is (before or ENGLISH) else 0))
    if counts[best] >= max(_SURE, _SHARE * len(words)) and not (best != "en" and _NEVER_OURS.search(text)):
        return _BY_CODE[best]
    if _NEVER_OURS.search(text) or (before in (None, OTHER) and _FOREIGN.search(text)):
        return OTHER
    return before or ENGLISH

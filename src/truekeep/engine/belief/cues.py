"""The cues of a statement: what it does, told by its small words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from . import lexicon as lex
from . import phrases
from .folding import fold


class Cues(NamedTuple):
    """What the small words of a statement say."""

    changes: bool  # now, switched to, instead of
    ends: bool  # left, closed, stopped
    adds: bool  # also, another
    stays: bool  # still, unchanged
    denies: bool  # not, no longer, hates it, forbidden
    retracts: bool  # scratch that
    tentative: bool  # nothing but what is asked or merely considered
    many: bool  # of the kind of which many may be true


_CHANGED = lex.CHANGE_WORDS | lex.AGAIN
_DENYING = lex.DENIALS | lex.NEGATIVE
_NOT_FORGET = re.compile(r"\b(?:don'?t|do not|never|nicht|n'|no|non|nao|niet) ?$")
_TAG = re.compile(r",\s*(?:right|no|ok|oder|n'est-ce pas|verdad|vero|ne|he|toch)\s*\?$")
_ASKING = re.compile(
    r"(?:(?:oh|and|so|hey|btw|ok|please|also),? )?(?:(?:can|could|would|will|do|does|did|is|are|was|should|may)"
    r" (?:you|i|we|it|the|there|they|he|she|someone|anyone)|(?:what|which|who|when|where|why|how)"
    r" (?:much|many|is|are|do|does|did|was|should|about))\b"
    r"|(?:please )?(?:remind|find|tell|show|check|draft) (?:me|us|up|a|an|the|for)\b"
)


def cues_of(sentences: Sequence[str], words: frozenset[str]) -> Cues:
    """The cues of a statement, given as its sentences and its folded words."""
    folded = [fold(sentence).strip() for sentence in sentences]
    text = "\n".join(folded)
    phrased = phrases.ANY.search(text) is not None

    def holds(cue: frozenset[str], phrase: re.Pattern[str]) -> bool:
        return not words.isdisjoint(cue) or (phrased and phrase.search(text) is not None)

    return Cues(
        changes=holds(_CHANGED, phrases.CHANGE),
        ends=holds(lex.END_WORDS, phrases.END),
        adds=holds(lex.ADDED_WORDS, phrases.ADDED),
        stays=holds(lex.SAME_WORDS, phrases.SAME),
        denies=_denies(text, words, phrased),
        retracts=phrased and _retracts(text),
        tentative=bool(folded) and all(_asks(one) or phrases.TENTATIVE.search(one) for one in folded),
        many=not words.isdisjoint(lex.MULTIPLE),
    )


def _denies(text: str, words: frozenset[str], phrased: bool) -> bool:
    if phrased and phrases.HATE.search(text):
        return True
    if not words.isdisjoint(lex.HATES):
        return phrases.NOT_AGAINST.search(text) is None
    return not words.isdisjoint(_DENYING) or (phrased and phrases.ENDED_USE.search(text) is not None)


def _retracts(text: str) -> bool:
    match = phrases.RETRACT.search(text)
    return match is not None and not _NOT_FORGET.search(text[: match.start()])


def _asks(sentence: str) -> bool:
    if sentence.endswith(("?", "\uff1f")):
        return not _TAG.search(sentence)
    return bool(_ASKING.match(sentence))

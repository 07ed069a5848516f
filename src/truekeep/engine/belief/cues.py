"""The cues of a clause: what it does, told by its small words."""

from __future__ import annotations

import re
from typing import NamedTuple

from . import lexicon as lex
from . import phrases


class Cues(NamedTuple):
    """What the small words of a clause say."""

    polarity: int  # +1 or -1: likes it, does it, has it; or not
    changes: bool  # now, switched to, instead of
    ends: bool  # left, closed, stopped
    adds: bool  # also, another
    stays: bool  # still, unchanged
    retracts: bool  # scratch that
    reminds: bool  # as I said
    tentative: bool  # maybe, thinking about
    asks: bool  # a question or a request
    many: bool  # of the kind of which many may be true


_CHANGED = lex.CHANGE_WORDS | lex.AGAIN
_DENYING = lex.DENIALS | lex.NEGATIVE
_NOT_FORGET = re.compile(r"\b(?:don'?t|do not|never|nicht|n'|no|non|nao|niet) ?$")
_TAG = re.compile(r",\s*(?:right|no|ok|oder|n'est-ce pas|verdad|vero|ne|he|toch)\s*\?$", re.I)
_ASKING = re.compile(
    r"(?:(?:oh|and|so|hey|btw|ok|please|also),? )?(?:(?:can|could|would|will|do|does|did|is|are|was|should|may)"
    r" (?:you|i|we|it|the|there|they|he|she|someone|anyone)|(?:what|which|who|when|where|why|how)"
    r" (?:much|many|is|are|do|does|did|was|should|about))\b"
    r"|(?:please )?(?:remind|find|tell|show|check|draft) (?:me|us|up|a|an|the|for)\b"
)


def cues_of(text: str, folded: str, words: frozenset[str], *, core: set[str], phrased: bool, reminds: bool) -> Cues:
    """The cues of a clause, given as written, folded, and as its folded words.

    Args:
        text: the clause as written.
        folded: the same, folded.
        words: its folded words.
        core: those that no comma sets apart.
        phrased: whether it holds a phrase of any kind.
        reminds: whether it holds one that reminds.
    """

    def holds(cue: frozenset[str], phrase: re.Pattern[str]) -> bool:
        return not words.isdisjoint(cue) or (phrased and phrase.search(folded) is not None)

    return Cues(
        polarity=_polarity(folded, core, phrased),
        changes=holds(_CHANGED, phrases.CHANGE),
        ends=holds(lex.END_WORDS, phrases.END),
        adds=holds(lex.ADDED_WORDS, phrases.ADDED),
        stays=holds(lex.SAME_WORDS, phrases.SAME),
        retracts=phrased and _retracts(folded),
        reminds=reminds or not words.isdisjoint(lex.AGAIN),
        tentative=phrased and phrases.TENTATIVE.search(folded) is not None,
        asks=_asks(text, folded),
        many=not words.isdisjoint(lex.MULTIPLE),
    )


def _polarity(folded: str, words: set[str], phrased: bool) -> int:
    if phrased and phrases.HATE.search(folded):
        return -1
    denied = not words.isdisjoint(_DENYING) or (phrased and phrases.ENDED_USE.search(folded) is not None)
    if not words.isdisjoint(lex.HATES):
        return 1 if phrases.NOT_AGAINST.search(folded) else -1
    return -1 if denied else 1


def _retracts(folded: str) -> bool:
    match = phrases.RETRACT.search(folded)
    return match is not None and not _NOT_FORGET.search(folded[: match.start()])


def _asks(text: str, folded: str) -> bool:
    if text.rstrip().endswith(("?", "\uff1f")):
        return not _TAG.search(text.rstrip())
    return bool(_ASKING.match(folded))

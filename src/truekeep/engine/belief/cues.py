"""The cues of a statement: what it does, told by its small words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .fold import fold
from .grammar import Grammar


class Cues(NamedTuple):
    """What the small words of a statement say."""

    changes: bool  # now, switched to, instead of
    ends: bool  # left, closed, stopped
    adds: bool  # also, another
    stays: bool  # still, unchanged
    denies: bool  # not, no longer, hates it, forbidden; but "no longer forbidden" does not
    retracts: bool  # scratch that
    tentative: bool  # nothing but what is asked or merely considered
    many: bool  # of the kind of which many may be true


_ASKING = ("?", "\uff1f")
_NOT_FORGET = re.compile(r"\b(?:don'?t|do not|never|nicht|n'|no|non|nao|niet) ?$")


def cues_of(sentences: Sequence[str], words: frozenset[str], grammar: Grammar) -> Cues:
    """The cues of a statement, given as its sentences and its folded words."""
    folded = [fold(sentence).strip() for sentence in sentences]
    text = "\n".join(folded)
    has_phrase = grammar.any_phrase.search(text) is not None

    def holds(*names: str) -> bool:
        if any(not words.isdisjoint(grammar.words.get(name, ())) for name in names):
            return True
        return has_phrase and any(grammar.phrases[name].search(text) for name in names if name in grammar.phrases)

    return Cues(
        changes=holds("changed", "again", "over"),
        ends=holds("ended"),
        adds=holds("added"),
        stays=holds("stays"),
        denies=holds("denied", "over", "ceased") != holds("against"),
        retracts=has_phrase and _retracts(text, grammar.phrases["retracted"]),
        tentative=bool(folded)
        and all(one.endswith(_ASKING) or grammar.phrases["tentative"].search(one) for one in folded),
        many=holds("many", "taste"),
    )


def _retracts(text: str, phrases: re.Pattern[str]) -> bool:
    match = phrases.search(text)
    return match is not None and not _NOT_FORGET.search(text[: match.start()])

"""Whether a statement takes an older one back: "scratch that about the ferry", "what I said about Ivo was wrong"."""

from __future__ import annotations

from datetime import timedelta

from .gist import Gist
from .said import Said

AT_ONCE = timedelta(minutes=15)  # "forget that" takes back what its speaker said just before
_HALF = 0.5


def taken_back(new: Said, old: Said, mine: Gist, theirs: Gist) -> float:
    """How much of what the new statement speaks of is in the old one, where it takes something back; 0: it does not.

    The sentence with the cue rarely says everything: "that note of mine is wrong". So any sentence of the statement may
    tell what it is about, as long as most of its words are in the old one.
    """
    if not mine.cues.retracts:
        return 0.0
    for about in mine.sentences:
        shared = about & theirs.terms
        if len(shared) > _HALF * len(about) and (len(shared) > 1 or len(mine.sentences) == 1):
            return len(shared) / len(about)
    at_once = new.speaker == old.speaker and timedelta(0) <= new.when - old.when <= AT_ONCE
    return _HALF if at_once and not mine.terms else 0.0

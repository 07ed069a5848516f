"""What can be seen of two statements side by side, as named numbers: all that the learned weights look at.

Nothing here knows a domain. Most signs are shares of words, letters and values that two statements have in common;
the rest are small words that tell of a change, of its end, of an addition, and how near their vectors are.
"""

from __future__ import annotations

from collections.abc import Iterable

from .comparing import Comparison
from .reading import Reading
from .said import Said

Signs = dict[str, float]

UNKNOWN_LIKENESS = 0.55
NO_RULE = -4.0  # where no two clauses can be compared
_UNRELATED = 0.25  # what statements of different things have in common
_FAR = 0.3


def seen(new: Said, old: Said, mine: Reading, theirs: Reading, similarity: float | None, lead: float) -> Signs:
    """The signs of two statements as a whole; `lead`: how much nearer than any other candidate this one is."""
    shared = len(mine.terms & theirs.terms)
    letters = len(mine.letters & theirs.letters)
    return {
        "likeness": UNKNOWN_LIKENESS if similarity is None else similarity,
        "lead": lead,
        "same speaker": new.speaker == old.speaker,
        "shared words": shared,
        "shared of old": shared / max(1, len(theirs.terms)),
        "shared of new": shared / max(1, len(mine.terms)),
        "letters of old": letters / max(1, len(theirs.letters)),
        "letters of new": letters / max(1, len(mine.letters)),
        "same frame": _frame(mine.words, theirs.words),
        "shared names": not mine.names.isdisjoint(theirs.names),
        "names differ": not mine.names <= theirs.terms and not theirs.names <= mine.terms,
        "values agree": not mine.values.isdisjoint(theirs.values),
        "denial differs": mine.says.denies != theirs.says.denies,
        "new of self": mine.says.of_self,
        "old of self": theirs.says.of_self,
        "new changes": mine.says.changes,
        "new ends": mine.says.ends,
        "new stays": mine.says.stays,
        "new retracts": mine.says.retracts,
    }


def compared(c: Comparison | None, rules: float) -> Signs:
    """The signs of the two clauses that speak for a change most; `rules`: how much, by the rules alone."""
    if c is None:
        return {"rules": NO_RULE}
    return {
        "rules": max(NO_RULE, min(-NO_RULE, rules)),
        "comparable": 1.0,
        "cover of old": c.cover_old,
        "same verb": c.verbs > 0,
        "attribute": bool(c.concept),
        "turned": c.flip,
        "ended": c.ended,
        "name differs": c.difference == "name",
        "nothing differs": not c.difference and not c.opposite,
    }


def _frame(a: tuple[str, ...], b: tuple[str, ...]) -> float:
    """How much of the shorter one is the same from either end: "van 9: Okonkwo", "van 9: Steiner"."""
    shorter = min(len(a), len(b))
    start = next((n for n in range(shorter) if a[n] != b[n]), shorter)
    end = next((n for n in range(shorter - start) if a[-1 - n] != b[-1 - n]), shorter - start)
    return (start + end) / max(1, shorter)


def lead_of(similarity: float | None, others: Iterable[float | None]) -> float:
    """How much nearer one candidate is than the nearest other one; than what is no candidate, where there is none."""
    if similarity is None:
        return 0.0
    nearest = max((other for other in others if other is not None), default=_UNRELATED)
    return max(-_FAR, min(_FAR, similarity - nearest))

"""How strongly a comparison speaks for a change: a weighted sum of named signs, squeezed into 0 to 1.

The weights were fitted to pairs of our own and then adjusted by hand, with an eye on the doubts raised in spaces where
everything is true. A sign that could be left out without making cross-validated pairs worse was left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from .comparing import Comparison
from .reading import Reading

BIAS = -1.19
WEIGHTS: Mapping[str, float] = {
    "likeness": 8.5,  # of the vectors, above one half
    "same_but_value": 1.2,  # how far all words agree, where a value differs
    "concept": 1.7,
    "role": 0.9,
    "change": 2.5,
    "flip": 2.3,
    "denied": 3.0,  # another clause affirms what the old one denies, or denies what it affirms
    "ended": 3.5,
    "long": 4.5,  # vectors of several sentences are less alike than the one that counts
    "named": -0.75,  # all that they share is names
    "clash": -1.6,  # values of different types: what it costs, when it starts
    "extra_new": -0.8,
    "other_verb": -1.1,
    "apart": -1.5,
    "contrast": -6.0,
    "several": -2.3,
    "adds": -0.6,
}
UNKNOWN_LIKENESS = 0.55
LEAST_LIKENESS = 0.42  # below that, vectors tell nothing more


def signs(c: Comparison, mine: Reading, theirs: Reading, similarity: float | None) -> dict[str, float]:
    """The signs of a change, by name; those that are absent are left out."""
    total = c.cover_old + c.cover_new
    alike = 2 * c.cover_old * c.cover_new / total if total else 0.0
    told = len(c.old.core & (mine.terms | c.shared)) / max(1, len(c.old.core))
    found = {
        "likeness": (UNKNOWN_LIKENESS if similarity is None else max(similarity, LEAST_LIKENESS)) - 0.5,
        "same_but_value": alike / (1 + bool(c.mismatch)) if c.difference and not c.opposite else 0.0,
        "concept": bool(c.concept),
        "role": c.role,
        "change": _changes(c) * max(alike, 0.7 if c.concept or c.role else 0.0),
        "flip": c.flip,
        "denied": told * (not c.opposite and any(it.cues.polarity != c.old.cues.polarity for it in mine.clauses)),
        "ended": told * c.ended,
        "long": told * (min(3, len(mine.sentences) - 1) + min(3, len(theirs.sentences) - 1)) / 3,
        "named": bool(c.shared) and c.shared <= c.old.sure | c.new.sure | (c.old.names & c.new.names),
        "clash": c.clash,
        "extra_new": 0 if c.contrast or c.apart else c.extra_new,
        "other_verb": c.verbs < 0,
        "apart": c.apart,
        "contrast": c.contrast,
        "several": c.several,
        "adds": c.new.cues.adds,
    }
    return {name: float(value) for name, value in found.items() if value}


def _changes(c: Comparison) -> bool:
    """Whether a cue of change is about this; "no longer" tells of a change only of what it denies."""
    return c.new.cues.changes and not c.old.cues.changes and (not c.opposite or c.flip > 0)


def logit(found: Mapping[str, float]) -> float:
    """How strongly the signs of two clauses speak for a change, by the rules."""
    return BIAS + sum(WEIGHTS[name] * value for name, value in found.items())

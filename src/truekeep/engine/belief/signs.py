"""What can be seen of two statements side by side, as named numbers: all that the learned weights look at.

What each is worth is in `weights.json`, made by `python -m training layer` and not edited by hand. It holds two layers:
one for the rules alone, and one for the rules and the learned judge together.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .gist import Gist
from .said import Pair

Signs = dict[str, float]
Layer = Literal["rules", "together"]

UNKNOWN_LIKENESS = 0.55
_UNRELATED = 0.25  # what statements of different things have in common
_FAR = 0.3
_WHOLE = 1.0


def seen(pair: Pair, mine: Gist, theirs: Gist) -> Signs:
    """The signs of two statements: `mine` is the newer one."""
    shared = mine.terms & theirs.terms
    covered, alike = _cover(theirs, shared), likeness_of(mine, theirs)
    cues, before = mine.cues, theirs.cues
    return {
        "likeness": UNKNOWN_LIKENESS if pair.similarity is None else pair.similarity,
        "lead": pair.lead,
        "same speaker": pair.newer.speaker == pair.older.speaker,
        "another value": alike * _another_value(mine, theirs),
        "another subject": shared.isdisjoint(mine.about[:1]) and shared.isdisjoint(theirs.about[:1]),
        "changes": cues.changes,
        "changes it": alike * (cues.changes and not before.changes),
        "ends": cues.ends,
        "ends it": covered * cues.ends,
        "takes back": cues.retracts,
        "stays": cues.stays,
        "adds": cues.adds,
        "several": cues.many and before.many,
        "more sentences": min(3, len(mine.sentences) - 1),
    }


def likeness_of(mine: Gist, theirs: Gist) -> float:
    """How much of what two statements are about is told in the same words, but for their values: 0 to 1."""
    shared = mine.terms & theirs.terms
    covered, told = _cover(theirs, shared), _cover(mine, shared)
    return 2 * covered * told / (covered + told) if shared else 0.0


def heard(logits: NDArray[np.float32]) -> Signs:
    """What the learned judge says of a pair: how much speaks for a change, and how much for the same said again."""
    stay, change, same, part = logits.astype(np.float64)
    changed = np.logaddexp(change, part)
    return {
        "judge: change": float(changed - np.logaddexp(stay, same)),
        "judge: same": float(same - np.logaddexp(stay, changed)),
    }


def sees_whole(logits: NDArray[np.float32]) -> bool:
    """Whether the learned judge rather sees a change of all of a statement than of a part, by a margin."""
    _, change, _, part = logits
    return bool(change - part >= _WHOLE)


def says_change(signs: Signs) -> bool:
    """Whether the words alone tell of a change of the same thing, and none of them speaks against it."""
    is_told = any(signs[name] for name in ("another value", "changes", "ends", "takes back"))
    return is_told and not any(signs[name] for name in ("another subject", "stays", "adds", "several"))


def _cover(one: Gist, shared: frozenset[str]) -> float:
    """How much of what it is about is shared; a value that is not is no part of that."""
    about = one.terms - ((one.values | one.names) - shared)
    return min(1.0, len(shared) / len(about)) if about else 0.0


def _another_value(mine: Gist, theirs: Gist) -> bool:
    """Whether each has a number or a name of its own."""
    values = mine.values - theirs.terms, theirs.values - mine.terms
    names = mine.names - theirs.terms, theirs.names - mine.terms
    return all(values) or all(names)


def lead_of(similarity: float | None, others: Iterable[float | None]) -> float:
    """How much nearer one candidate is than the nearest other one; than what is no candidate, where there is none."""
    if similarity is None:
        return 0.0
    nearest = max((other for other in others if other is not None), default=_UNRELATED)
    return max(-_FAR, min(_FAR, similarity - nearest))


def score(signs: Signs, layer: Layer) -> float:
    """Above 0 the new statement is suspected to have changed the old one."""
    weights = _layers()[layer]
    return weights["bias"] + sum(weights[name] * value for name, value in signs.items())


def probability(score: float) -> float:
    """How likely the new statement makes the old one untrue."""
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))


@cache
def _layers() -> Mapping[str, Mapping[str, float]]:
    layers: Mapping[str, Mapping[str, float]] = json.loads(
        files(__package__).joinpath("weights.json").read_text(encoding="utf-8")
    )
    return layers

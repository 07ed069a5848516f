"""What was learned: how much each sign of two statements speaks for a change.

Made by `python -m benchmarks.belief_weights --write` from our own corpora, and not edited by hand. Each sign has steps:
a value above the first number of a step adds the second one to the score.
"""

from __future__ import annotations

from collections.abc import Mapping

from .signs import Signs

BIAS = -5.70
STEPS: Mapping[str, tuple[tuple[float, float], ...]] = {
    "attribute": ((0.5, -0.29),),
    "comparable": ((0.5, 0.68),),
    "cover of old": ((0.25, 0.28), (0.5, -0.05)),
    "denial differs": ((0.5, 0.27),),
    "ended": ((0.5, 0.35),),
    "lead": ((-0.136, 0.6), (-0.071, 0.38), (-0.03, 0.2), (0.045, 0.55), (0.248, -0.61)),
    "letters of new": ((0.455, -0.17),),
    "letters of old": ((0.125, 0.02), (0.25, 0.22)),
    "likeness": ((0.337, 0.09), (0.38, 0.62), (0.491, 0.41), (0.568, 0.18), (0.684, -0.21)),
    "name differs": ((0.5, 0.32),),
    "names differ": ((0.5, 0.22),),
    "new changes": ((0.5, 0.49),),
    "new ends": ((0.5, 0.61),),
    "new of self": ((0.5, 0.36),),
    "new retracts": ((0.5, 1.92),),
    "new stays": ((0.5, -0.5),),
    "nothing differs": ((0.5, -0.1),),
    "old of self": ((0.5, 0.68),),
    "rules": ((-2.763, 0.1), (-1.468, 1.26), (0.455, 0.93)),
    "same frame": ((0.0, -0.62), (0.2, -0.22)),
    "same speaker": ((0.5, 0.26),),
    "same verb": ((0.5, -0.34),),
    "shared names": ((0.5, -0.17),),
    "shared of new": ((0.2, -0.3), (0.333, -0.34)),
    "shared of old": ((0.333, 0.28),),
    "shared words": ((1.5, 0.74), (2.5, 0.43)),
    "turned": ((0.0, 0.69),),
    "values agree": ((0.5, -0.14),),
}


def score(signs: Signs) -> float:
    """Above 0 the new statement is suspected to have changed the old one."""
    total = BIAS
    for name, steps in STEPS.items():
        value = signs.get(name, 0.0)
        for above, weight in steps:
            if value <= above:
                break
            total += weight
    return total

"""What was learned: how much each sign of two statements speaks for a change.

`weights.json` is made by `python -m training layer` and not edited by hand. It holds two layers: one for the rules
alone, and one for the rules and the learned judge together.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from .signs import Signs

Layer = Literal["rules", "together"]


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

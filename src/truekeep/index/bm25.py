"""BM25: how much of a term's worth an item gets for holding it so often."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .arrays import Array

K1 = 0.9
B = 0.4
_MOST = 4  # times the average length: a pasted file among short facts must still be found by its words


def weight(items: int, found: int) -> float:
    """What a term is worth that so many of the items hold; no item gets all of it."""
    return math.log1p((items - found + 0.5) / (found + 0.5)) * (K1 + 1)


def norms(lengths: Array, average: float) -> NDArray[np.float32]:
    """What is added to a term's count in the denominator."""
    result = np.minimum(lengths, np.float32(_MOST * (average or 1.0)))
    result *= np.float32(K1 * B / (average or 1.0))
    result += np.float32(K1 * (1 - B))
    return result

"""The judge, asked about one pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truekeep.engine.belief import Pair, Said, Verdict, verdicts


def judge(
    new: Said, old: Said, similarity: float | None, lead: float = 0.0, *, logits: Sequence[float] | None = None
) -> Verdict | None:
    """What the new statement does to the old one; the logits are the learned judge's: stay, change, same, part."""
    relations = None if logits is None else np.array([logits], np.float32)
    return verdicts([Pair(new, old, similarity, lead)], relations)[0]

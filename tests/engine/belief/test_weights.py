"""The learned weights: what they are, and that the table in the package is the one that the corpora give."""

from __future__ import annotations

import pytest

from benchmarks.belief_examples import Example, examples
from benchmarks.belief_weights import area, cross_validated, figures, sign_names, threshold_for
from truekeep.engine.belief import weights

pytestmark = pytest.mark.long

Found = tuple[list[Example], dict[str, int]]


@pytest.fixture(scope="module")
def found() -> Found:
    return examples()


def test_the_table_is_what_the_corpora_give(found: Found) -> None:
    """But for the last digits: vectors differ a little from processor to processor."""
    pairs, stays = found

    scores, model = cross_validated(pairs, sign_names(pairs))

    table = model.table()
    assert table.keys() == weights.STEPS.keys()
    for name, steps in weights.STEPS.items():
        assert sum(weight for _, weight in table[name]) == pytest.approx(sum(weight for _, weight in steps), abs=0.3)
    threshold = threshold_for(pairs, scores, stays, 0.08)
    assert area(pairs, scores) > 0.85
    assert figures(pairs, scores, threshold, stays)["stale"] < 0.36

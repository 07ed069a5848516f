"""The forms of English verbs."""

from __future__ import annotations

import pytest

from truekeep.extractors.rules.inflection import inflected


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("leak", "leak, leaks, leaked, leaking"),
        ("jam+", "jam, jams, jammed, jamming"),
        ("curdle", "curdle, curdles, curdled, curdling"),
        ("crash", "crash, crashes, crashed, crashing"),
        ("decay", "decay, decays, decayed, decaying"),
        ("empty", "empty, empties, emptied, emptying"),
        ("peel off", "peel off, peels off, peeled off, peeling off"),
    ],
)
def test_a_verb_is_listed_in_all_its_forms(verb: str, forms: str) -> None:
    assert inflected(verb) == forms


def test_verbs_are_parted_by_commas() -> None:
    assert inflected("rot+, rust") == "rot, rots, rotted, rotting, rust, rusts, rusted, rusting"

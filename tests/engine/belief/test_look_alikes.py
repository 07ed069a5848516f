"""Pairs that share nearly all their words and yet say different things: nothing of them may be taken for said again.

Written by the lead after reading the judge's answers; each stands for a kind of mistake.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.engine.belief.one_pair import judge
from truekeep.engine.belief import Said

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)

DIFFERENT = [
    ("The offset is 5", "The offset is -5"),  # a sign
    ("Ana manages Ben", "Ben manages Ana"),  # who does it to whom
    ("The invoice goes from Lyon to Ghent", "The invoice goes from Ghent to Lyon"),
    ("They trust us", "They trust US"),  # a word and a name
    ("Ana fact one", "Ana fact two"),  # numbers as words
    ("We have three kilns", "We have seven kilns"),
    ("My favourite colour is red", "My favourite colour is blue"),  # a value is no detail
    ("The gate opens before lunch", "The gate opens after lunch"),
    ("Feed the goats twice a day", "Feed the goats once a day"),
    ("Tea is green", "Green tea is what Ana drinks daily"),
    ("Mila is older than Tove", "Tove is older than Mila"),
    ("The pump is in hall A", "The pump is in hall B"),
    ("The pump is in hall 2", "The pump is in hall 12"),
    ("Jo may edit the ledger", "Jo may read the ledger"),
    ("The left valve leaks", "The right valve leaks"),
    ("Version 2.3 is out", "Version 2.4 is out"),
    ("I sold the boat", "I bought the boat"),
    ("Alice prefers tea", "Alice bought tea"),
    ("writer p0 keeps note 5", "writer p0 keeps pair 5 right"),
    ("Gate 4 opens by day", "Gate 4 opens by night"),
    ("Alice prefers tea", "Somebody prefers tea"),
    ("The ward has 12 beds and 3 nurses", "The ward has 3 beds and 12 nurses"),
]
BESIDE_EACH_OTHER = [  # both are true: not even a doubt
    ("The left valve leaks", "The right valve leaks"),
    ("The pump of hall A is blue", "The pump of hall B is red"),
    ("Mila plays the oboe", "Tove plays the harp"),
    ("Version 2.3 came out in May", "Version 2.4 came out in August"),
    ("Tea is green", "Green tea is what Ana drinks daily"),
    ("Order 1182 was shipped to Bergen", "Order 1183 was shipped to Turku"),
    ("On Mondays the choir meets in room 4", "On Thursdays the choir meets in room 9"),
    ("Ana manages Ben", "Ben manages Ines"),
]


@pytest.mark.parametrize(("old", "new"), DIFFERENT)
@pytest.mark.parametrize("similarity", [None, 0.75, 0.97])
def test_another_statement_is_not_the_same_one_again(old: str, new: str, similarity: float | None) -> None:
    verdict = judge(Said(content=new, speaker="Kai", when=NOW), Said(content=old, speaker="Kai", when=NOW), similarity)

    assert verdict is None or verdict.rule != "reinforce"


@pytest.mark.parametrize(("old", "new"), BESIDE_EACH_OTHER)
@pytest.mark.parametrize("similarity", [None, 0.75, 0.97])
def test_what_is_true_at_once_raises_no_doubt(old: str, new: str, similarity: float | None) -> None:
    verdict = judge(Said(content=new, speaker="Kai", when=NOW), Said(content=old, speaker="Kai", when=NOW), similarity)

    assert verdict is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My surname is Okada.", "My surname is now Okada-Lund."),
        ("The clinic's fax number is 0551 220.", "The clinic's fax number changed, it is 0551 998 now."),
        ("Ana likes tea", "Ana does not like tea any more"),
    ],
)
def test_a_plain_change_with_a_word_of_change_supersedes(old: str, new: str) -> None:
    """These stand in the contract of the memory, where vectors mean nothing: words alone must do."""
    for similarity in (None, 0.1, 0.8):
        verdict = judge(
            Said(content=new, speaker="Kai", when=NOW), Said(content=old, speaker="Kai", when=NOW), similarity
        )

        assert verdict is not None
        assert verdict.retires


@pytest.mark.parametrize("similarity", [None, 0.75, 0.97])
def test_what_is_said_of_another_subject_retires_nothing(similarity: float | None) -> None:
    old = Said(content="Ana moved to the search team", when=NOW)

    verdict = judge(Said(content="The search team moved to Basel", when=NOW), old, similarity)

    assert verdict is None or not verdict.retires

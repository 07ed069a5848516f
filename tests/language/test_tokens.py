"""How a sentence is cut, for whoever reads it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.language.tokens import cut


def tokens(text: str) -> list[tuple[str | None, str]]:
    return [(token.lastgroup, token[0]) for token in cut(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ana@example.org", "address"),
        ("#ledger", "address"),
        ("10:30", "time"),
        ("10 am", "time"),
        ("2025-03-04", "date"),
        ("24.12.2025", "date"),
        ("0151 23456", "phone"),
        ("14th", "ordinal"),
        ("$4,000", "number"),
        ("51 %", "number"),
        ("web-07", "code"),
        ("max_wait", "code"),
        ("東京", "cjk"),
        ("don't", "word"),
        ("w/o", "word"),
        ("well-known", "word"),
        ("c++", "word"),
        ("gate", "plain"),
        ("->", "mark"),
    ],
)
def test_each_kind_of_token_is_one(text: str, kind: str) -> None:
    assert tokens(text) == [(kind, text)]


def test_a_sentence_is_cut_at_its_marks() -> None:
    found = tokens("move it to eu-north-1, then (if quiet) deploy v2.1.")

    assert [text for _, text in found] == [
        *("move", "it", "to", "eu-north-1", ",", "then", "(", "if", "quiet", ")", "deploy", "v2.1"),
    ]


@given(st.text(max_size=60))
def test_every_letter_and_digit_is_in_a_token(text: str) -> None:
    lowered = text.lower()

    covered = {place for token in cut(lowered) for place in range(*token.span())}

    assert all(place in covered for place, letter in enumerate(lowered) if letter.isalpha() or letter.isdecimal())

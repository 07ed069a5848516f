"""The estimate of tokens errs on the safe side."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

import truekeep
from truekeep.engine.tokens import estimate

TOKENIZER = Path(truekeep.__file__).parent / "embedders" / "minilm" / "tokenizer.json"
TEXTS = [
    "Hello, world!",
    "The quick brown fox jumps over the lazy dog.",
    "Ana prefers TypeScript over JavaScript, and she deploys on Fridays.",
    "def add(a, b):\n    return a + b\n",
    "2026-01-01T12:00:00+00:00 costs 1,234.56 \u20ac (approximately)",
    "\u4f60\u597d\uff0c\u4e16\u754c\uff01\u6625\u306e\u65b0\u8336\u3092\u98f2\u3080",
    "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440",
    "- [2026-01-01, Ana] The internationalisation of antidisestablishmentarianism",
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_it_is_at_least_what_a_real_tokeniser_counts(text: str) -> None:
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    counted = len(tokenizer.encode(text, add_special_tokens=False))

    assert estimate(text) >= counted


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(one: str, other: str) -> None:
    assert estimate(one + "\n" + other) >= estimate(one)


def test_nothing_costs_nothing() -> None:
    assert estimate("") == 0


def test_ordinary_text_is_not_counted_many_times_over() -> None:
    text = "The committee decided to postpone the release until the security review is complete. " * 20

    assert estimate(text) < len(text) / 2.5

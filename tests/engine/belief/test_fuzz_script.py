"""The fuzz script of the judge, on inputs that property tests find; atheris goes further in `make chaos`."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chaos import fuzz_belief

_TIMES = """
    until till by before from since during for the next this all rest of between and to on 3 14th 31 12.5. 2026-02-30
    9:30 march may weeks days a end friday q3 not no nothing back ends , . ; ( ) bis zum jusqu'au hasta el fino a
    durante semanas ne pas nicht vor dem six 400 999
"""
WORDS = st.lists(st.sampled_from(_TIMES.split()), max_size=40).map(" ".join)
TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=300) | WORDS


@given(TEXTS, TEXTS, st.none() | st.floats(-1, 1), st.floats(-0.3, 0.3))
def test_no_two_texts_break_a_promise_of_the_judge(new: str, old: str, likeness: float | None, lead: float) -> None:
    fuzz_belief.check_pair(new, old, likeness, lead)


@given(TEXTS)
def test_no_text_breaks_a_promise_of_the_reader_of_periods(text: str) -> None:
    fuzz_belief.check_period(text)


@pytest.mark.parametrize("filler", ["until ", "for 3 ", ", back on ", "not before ", "1 to 2 ", "from 3 ", "the "])
def test_a_long_text_of_one_phrase_takes_no_longer_than_others(filler: str) -> None:
    """The timeout of the tests tells: a pattern that tries every way would take hours."""
    fuzz_belief.check_period(filler * 20_000)
    fuzz_belief.check_pair(filler * 20_000, filler * 20_001, 0.9, 0.1)


@pytest.mark.skipif(find_spec("atheris") is not None, reason="it would fuzz for a long time")
def test_without_atheris_the_script_says_so() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.chaos.fuzz_belief"], capture_output=True, text=True, timeout=60, check=True
    )

    assert "not installed" in ended.stdout

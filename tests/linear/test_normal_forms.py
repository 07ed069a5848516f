"""Normalising in windows gives what normalising at once gives."""

from __future__ import annotations

import unicodedata
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.normal_forms import Form, normal_form

from .growth import grows_too_fast, repeated

FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
# Letters, marks, Hangul by letter, and what is half as wide: all that joins what stands before it.
JOINING = st.sampled_from(
    "ae \u4e2d\u0301\u0316\u1100\u1161\u11a8\u3131\u314f\uff76\uff9e\uffc2\u09c7\u09be\u0f73\u1e9b\ufb01"
)


@given(st.lists(st.text(JOINING, min_size=1, max_size=8), min_size=60, max_size=120).map("".join))
def test_windows_make_no_difference(text: str) -> None:
    for form in FORMS:
        assert normal_form(form, text) == unicodedata.normalize(form, text)  # noqa: TID251  # what it is measured by


@pytest.mark.parametrize("form", FORMS)
def test_a_run_of_marks_takes_linear_time(form: Form) -> None:
    assert grows_too_fast(partial(normal_form, form), partial(repeated, "\u0316\u0301")) is None

"""Texts are compared without regard to case and line breaks, and to nothing else."""

from __future__ import annotations

import pytest

from truekeep_eval.matching import holds, overlaps, tells


@pytest.mark.parametrize("part", ["tea", "TEA at  four", "tea\nat four", "four, please"])
def test_a_part_is_found_whatever_its_case_and_spacing(part: str) -> None:
    assert holds("She takes Tea at\n four, please.", part)


@pytest.mark.parametrize("part", ["tea-at", "four please", "café"])
def test_nothing_else_is_made_alike(part: str) -> None:
    assert not holds("She takes Tea at four, please. Cafe!", part)


@pytest.mark.parametrize(
    ("text", "overlap"),
    [
        ("I never eat rye. It makes me ill.", True),
        ("It makes me ill.", True),
        ("Well: it makes me ill.", True),
        ("It rained, and I never slept", False),
        ("", False),
    ],
)
def test_a_text_overlaps_another_with_half_of_the_shorter_one(text: str, overlap: bool) -> None:
    assert overlaps(text, "I never eat rye.  It makes\nme ill.") is overlap


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The ferries leave at 9 from pier 3, on Sundays", True),  # other forms, another order, and more
        ("The ferry leaves pier 3 at 9", True),
        ("The ferry leaves pier 3", False),  # a number is missing
        ("The ferry is at pier 3 at 9", False),  # a word is
    ],
)
def test_a_text_tells_another_when_it_has_its_words_and_numbers(text: str, told: bool) -> None:
    assert tells(text, "On pier 3 a ferry leaves at 9.") is told

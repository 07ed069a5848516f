"""Which day, month or quarter is meant by words and numbers of any language."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.language.dates import (
    FUTURE,
    ISO,
    LAST,
    MONTHS,
    NEXT,
    PAST,
    WEEKDAYS,
    Leaning,
    either,
    parts_of,
    period,
)

WEDNESDAY = date(2025, 10, 15)
LEANINGS = (LAST, PAST, FUTURE, NEXT)


@pytest.mark.parametrize(
    ("parts", "firsts"),
    [
        ({"month": "March"}, ["2025-03-01", "2025-03-01", "2026-03-01", "2026-03-01"]),
        ({"month": "Okt."}, ["2024-10-01", "2025-10-01", "2025-10-01", "2026-10-01"]),
        ({"month": "dicembre"}, ["2024-12-01", "2025-12-01", "2025-12-01", "2025-12-01"]),
        ({"month": "2", "day": "3."}, ["2025-02-03", "2025-02-03", "2026-02-03", "2026-02-03"]),
        ({"quarter": "1"}, ["2025-01-01", "2025-01-01", "2026-01-01", "2026-01-01"]),
        ({"weekday": "Mi\u00e9rcoles"}, ["2025-10-08", "2025-10-15", "2025-10-15", "2025-10-22"]),
        ({"weekday": "freitag"}, ["2025-10-10", "2025-10-10", "2025-10-17", "2025-10-17"]),
        ({"month": "May", "day": "1st", "year": "2019"}, ["2019-05-01"] * 4),
        ({"year": "2019"}, ["2019-01-01"] * 4),
        ({"tomorrow": "demain"}, ["2025-10-16"] * 4),
        ({}, ["2025-10-15"] * 4),
    ],
)
def test_what_could_be_several_is_the_one_to_which_it_leans(parts: dict[str, str], firsts: list[str]) -> None:
    assert [str(period(parts, WEDNESDAY, leaning).first) for leaning in LEANINGS] == firsts


@given(st.sampled_from(sorted(MONTHS)), st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.sampled_from(LEANINGS))
def test_a_month_is_one_of_twelve(name: str, said: date, leaning: Leaning) -> None:
    first = period({"month": name}, said, leaning).first

    assert first.month == MONTHS[name]
    assert 0 <= (first.year - said.year) * 12 + first.month - said.month - leaning.months < 12


@given(st.sampled_from(sorted(WEEKDAYS)), st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.sampled_from(LEANINGS))
def test_a_weekday_is_one_of_seven(name: str, said: date, leaning: Leaning) -> None:
    day = period({"weekday": name}, said, leaning).first

    assert day.weekday() == WEEKDAYS[name]
    assert 0 <= (day - said).days - leaning.days < 7


def test_a_day_that_passed_lately_is_not_the_one_of_next_year() -> None:
    passed = [WEDNESDAY - timedelta(days) for days in (31, 32)]
    parts = [{"month": str(day.month), "day": str(day.day)} for day in passed]

    assert [period(part, WEDNESDAY, FUTURE).first.year for part in parts] == [2025, 2026]


@pytest.mark.parametrize(
    "parts", [{"month": "June", "day": "31"}, {"year": "2024", "month": "15"}, {"month": "Smarch"}]
)
def test_what_no_calendar_has_is_no_period(parts: dict[str, str]) -> None:
    with pytest.raises((LookupError, ValueError)):
        period(parts, WEDNESDAY, PAST)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("2025-03-27", {"year": "2025", "month": "03", "day": "27"}),
        ("2025-03", {"year": "2025", "month": "03"}),
        ("3/2025", {"month": "3", "year": "2025"}),
    ],
)
def test_forms_with_the_same_parts_are_one_pattern(text: str, parts: dict[str, str]) -> None:
    match = re.fullmatch(either(ISO, r"(?P<month>\d)/(?P<year>\d{4})"), text)

    assert match is not None
    assert parts_of(match) == parts

"""Periods in texts, as somebody means them who speaks on a certain day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.index import date_terms
from truekeep.index.dates import MOST, mentions
from truekeep.language.dates import Period

WEDNESDAY = date(2025, 10, 15)


def periods(text: str, said: date = WEDNESDAY) -> list[str]:
    """As "first..last", or one day."""
    found = [mention.period for mention in mentions(text, said)]
    return [str(one.first) if one.first == one.last else f"{one.first}..{one.last}" for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the outage of 2025-03-27", ["2025-03-27"]),
        ("closed in 2025-03", ["2025-03-01..2025-03-31"]),
        ("on 3 October 2025", ["2025-10-03"]),
        ("on the 3rd of October", ["2025-10-03"]),
        ("since March 27th, 2024 we", ["2024-03-27"]),
        ("between 5 and 12 October", ["2025-10-05..2025-10-12"]),
        ("on October 10 and 11", ["2025-10-10..2025-10-11"]),
        ("away from 14 May to 29 August", ["2025-05-14..2025-08-29"]),
        ("from 28 December to 3 January", ["2025-12-28..2026-01-03"]),
        ("April to June", ["2025-04-01..2025-06-30"]),
        ("what broke in March", ["2025-03-01..2025-03-31"]),
        ("in march 2023", ["2023-03-01..2023-03-31"]),
        ("what happened in mid August", ["2025-08-09..2025-08-22"]),
        ("early in the morning, late September", ["2025-09-20..2025-09-30"]),
        ("the first week of July", ["2025-07-01..2025-07-07"]),
        ("the last week of November", ["2025-11-24..2025-11-30"]),
        ("what is planned for December", ["2025-12-01..2025-12-31"]),
        ("on 31 June", ["2025-06-01..2025-06-30"]),
        ("last November", ["2024-11-01..2024-11-30"]),
        ("next May", ["2026-05-01..2026-05-31"]),
        ("Q3 2024 was good", ["2024-07-01..2024-09-30"]),
        ("the second quarter", ["2025-04-01..2025-06-30"]),
        ("goals of last quarter", ["2025-07-01..2025-09-30"]),
        ("in the last ten days", ["2025-10-05..2025-10-15"]),
        ("the past couple of weeks", ["2025-10-01..2025-10-15"]),
        ("within two weeks", ["2025-10-15..2025-10-29"]),
        ("three days ago", ["2025-10-12"]),
        ("a month ago", ["2025-09-05..2025-09-25"]),
        ("this week", ["2025-10-13..2025-10-19"]),
        ("last week", ["2025-10-06..2025-10-12"]),
        ("last weekend", ["2025-10-10..2025-10-12"]),
        ("next month", ["2025-11-01..2025-11-30"]),
        ("later this month", ["2025-10-15..2025-10-31"]),
        ("last year", ["2024-01-01..2024-12-31"]),
        ("last night", ["2025-10-14"]),
        ("this summer", ["2025-06-01..2025-08-31"]),
        ("last winter", ["2024-12-01..2025-02-28"]),
        ("next spring", ["2026-03-01..2026-05-31"]),
        ("last autumn", ["2024-09-01..2024-11-30"]),
        ("on Monday", ["2025-10-13"]),
        ("last Wednesday", ["2025-10-08"]),
        ("until Friday", ["2025-10-17"]),
        ("yesterday and today", ["2025-10-14", "2025-10-15"]),
        ("how many hatched in 2023", ["2023-01-01..2023-12-31"]),
    ],
)
def test_a_period_is_read_relative_to_the_day(text: str, expected: list[str]) -> None:
    assert periods(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "we may march on",
        "May I ask you something?",
        "March on, soldiers",
        "a quarter of the staff",
        "every week",
        "order 2024-15-0201",
        "in 12 minutes",
        "the year of the dragon",
        "port 2025 is open",
        "the last \u017fix days",
        "",
    ],
)
def test_what_is_no_period_is_left(text: str) -> None:
    assert periods(text) == []


def test_winter_in_january_began_last_year() -> None:
    assert periods("this winter", date(2026, 1, 10)) == ["2025-12-01..2026-02-28"]


def test_a_text_full_of_dates_names_some_of_them() -> None:
    assert len(mentions("12 May, 13 May; " * 100, WEDNESDAY)) == MOST


@given(st.text(st.sampled_from("0123456789 MayJunweklstd-."), max_size=300), st.dates())
def test_any_text_on_any_day_is_read(text: str, said: date) -> None:
    for mention in mentions(text, said):
        assert mention.period.first <= mention.period.last or mention.start < mention.end


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert periods("word " * 10_000 + "in March") == []


def filed(text: str) -> set[int]:
    return set(date_terms.text_dates(text, datetime(2025, 10, 15, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("text", "first", "last", "is_found"),
    [
        ("Kwame is away from 14 May to 29 August", date(2025, 6, 1), date(2025, 6, 30), True),
        ("the physio moved to 13 November", date(2025, 11, 10), date(2025, 11, 16), True),
        ("the physio moved to 13 November", date(2025, 11, 1), date(2025, 11, 30), True),
        ("the physio moved to 13 November", date(2025, 11, 14), date(2025, 11, 20), False),
        ("yesterday was fun", date(2025, 10, 14), date(2025, 10, 14), True),
        ("in October we moved", date(2025, 10, 1), date(2025, 12, 31), True),
        ("in October we moved", date(2025, 11, 1), date(2025, 12, 31), False),
    ],
)
def test_a_text_is_filed_under_what_it_speaks_of(text: str, first: date, last: date, is_found: bool) -> None:
    asked = set(date_terms.period_terms(Period(first, last)))

    assert bool(asked & filed(text)) == is_found
    assert date_terms.NAMES_A_TIME in filed(text)


def test_a_text_without_dates_is_filed_under_none() -> None:
    assert filed("Ana likes tea") == set()


def test_centuries_are_not_filed_month_by_month() -> None:
    assert len(date_terms.period_terms(Period(date(1, 1, 1), date.max - timedelta(1)))) < 100

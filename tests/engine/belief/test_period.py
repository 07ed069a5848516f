"""For how long a statement says that it holds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.engine.belief import holds_until, spans
from truekeep.language.dates import MONTHS, WEEKDAYS

SAID = datetime(2025, 5, 12, 9, 30, tzinfo=UTC)  # a Monday


@pytest.mark.parametrize(
    ("content", "until"),
    [
        ("the west door is shut until Friday", "2025-05-17"),
        ("until Wednesday the 14th use the other lift", "2025-05-15"),
        ("For this term (ends 6 June) nobody rows alone.", "2025-06-07"),
        ("The sauna stays cold during October.", "2025-11-01"),
        ("Orders are frozen through 1 September.", "2025-09-02"),
        ("for the next four months Olga signs", "2025-09-13"),
        ("till the end of October ask Marius", "2025-11-01"),
        ("The press is out for repair this week", "2025-05-19"),
        ("I'm on leave from the 9th to the 20th of June.", "2025-06-21"),
        ("From 7 to 18 June the pool opens at nine.", "2025-06-19"),
        ("Hall two is shared between 20 May and 2 June.", "2025-06-03"),
        ("we stay on the old contract until Q3", "2025-10-01"),
        ("we stay on the old contract until Q1 2027", "2027-04-01"),
        ("running slow until the spare part is in on 16 June", "2025-06-17"),
        ("Discount of 10 %, today and tomorrow only", "2025-05-14"),
        ("the lift is out for two weeks", "2025-05-27"),
        ("valid until 2025-06-30", "2025-07-01"),
        ("valid until 2150-06-30", "2150-07-01"),
        ("the lease is valid until 31 December 2150", "2151-01-01"),
        ("the licence is valid until December 31, 2199", "2200-01-01"),
        ("the concession holds until May 2120", "2120-06-01"),
        ("valid until 2025-06", "2025-07-01"),
        ("gesperrt bis zum 14. Juni", "2025-06-15"),
        ("Bis Ende der Woche ist das Tor zu.", "2025-05-19"),
        ("ferm\u00e9 jusqu'au 3 juin", "2025-06-04"),
        ("cerrado hasta el viernes", "2025-05-17"),
        ("chiuso fino al 5 giugno", "2025-06-06"),
        ("fechado at\u00e9 30 de junho", "2025-07-01"),
        ("dicht tot en met vrijdag", "2025-05-17"),
        ("until the 14th the office is in the annex", "2025-05-15"),
        ("for the rest of the month invoices go to Paula", "2025-06-01"),
        ("closed 19-23 May for stocktaking", "2025-05-24"),
        ("For two weeks orders go to Timo.", "2025-05-27"),
        ("just for today the code is 4471", "2025-05-13"),
        ("only in July deliveries come on Saturdays", "2025-08-01"),
        ("no visitors until the paint has dried on the 20th of May", "2025-05-21"),
        ("during the trial, 2 to 9 June, the gate stays open", "2025-06-10"),
        ("for the rest of August the lift is reserved", "2025-09-01"),
        ("Rosa stays with us for two weeks and has the loft", "2025-05-27"),
        ("I'm standing in for Lucas for ten days", "2025-05-23"),
        ("Durante 10 días trabajo en casa", "2025-05-23"),
        ("no smoking in the yard, ban ends 3 June", "2025-06-04"),
        ("the dog is at my mother's, back on the 19th", "2025-05-20"),
        ("nothing is shipped before 26 May", "2025-05-26"),
        ("fino a fine giugno si entra gratis", "2025-07-01"),
    ],
)
def test_a_named_end_is_the_end_of_that_day_week_month_or_quarter(content: str, until: str) -> None:
    assert holds_until(content, SAID) == datetime.fromisoformat(until).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "content",
    [
        "the bakery sells rolls until six in the evening",
        "I'm in the office for two days a week",
        "the heating never runs before October",
        "Backups are kept for 30 days",
        "The lease ends on 3 June",
        "the market, 2 to 9 June, has forty stalls",
        "open until 17:00",
        "open until 8pm",
        "we wait until the form is signed",
        "the meeting moves to 21 July",
        "the licence renews every November",
        "we play on Fridays",
        "the deadline was extended until Friday",
        "we repainted the hall this week",
        "training is on Tuesdays from this week",
        "I worked there for two years",
        "For two years I worked at the mill.",
        "the fair takes place 19-23 May",
        "logs are kept for 30 days",
        "through the 3rd floor",
        "until 31 February",
        "until 31 December 9999",
        "he may come till late",
        "",
    ],
)
def test_times_of_day_events_and_deadlines_are_no_period(content: str) -> None:
    assert holds_until(content, SAID) is None


def test_a_period_of_hours_ends_to_the_minute() -> None:
    assert holds_until("alarm muted for 48h", SAID) == datetime(2025, 5, 14, 9, 30, tzinfo=UTC)


def test_hours_beyond_the_end_of_the_calendar_are_no_period() -> None:
    assert holds_until("alarm muted for 48h", datetime(9999, 12, 31, 12, tzinfo=UTC)) is None


def test_a_date_without_a_year_is_the_next_one() -> None:
    assert holds_until("shut until 3 March", SAID) == datetime(2026, 3, 4, tzinfo=UTC)


_VOCABULARY = """
    until till bis jusqu'au from to the of this next for during 31 14th 2025 9999-12-31 February Friday week months
    Q3 end ( ) . ,
"""


@given(st.lists(st.sampled_from(_VOCABULARY.split()), max_size=40).map(" ".join), st.datetimes(timezones=st.just(UTC)))
def test_any_words_at_any_time_give_a_day_of_the_same_clock_or_none(content: str, said: datetime) -> None:
    found = holds_until(content, said)

    assert found is None or found.tzinfo is UTC


@pytest.mark.parametrize(
    "word", [*WEEKDAYS, *MONTHS, "weekend", "quarter", "today", "aujourd'hui", "tomorrow", "domani"]
)
def test_no_text_that_names_a_day_is_passed_over(word: str) -> None:
    assert spans.names_a_time(f"shut from this {word} on")


@given(st.from_regex(rf"(?!an\Z)(?:{'|'.join(spans.UNITS.values())})\Z", fullmatch=True))
def test_no_text_that_names_a_span_is_passed_over(unit: str) -> None:
    assert spans.names_a_time(f"for two {unit}")

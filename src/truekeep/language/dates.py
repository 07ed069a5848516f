"""Days, months and periods that a text names: the words of each language for them, and which of them is meant.

A form of a date is a pattern whose groups are called after what they hold: `day`, `month`, `year`, `quarter`,
`weekday`, `yesterday`, `tomorrow`. Whoever looks for dates has forms of its own, around cues of its own, and says to
which side of the present a date leans that could be several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import NamedTuple

from truekeep.normal_forms import fold

from .words import ENGLISH, calendars

_LATE = timedelta(31)  # a day without a year that passed so lately is not the one of next year

YEAR = r"(?P<year>(?:19|20)\d\d)"
ISO = rf"{YEAR}-(?P<month>\d\d)(?:-(?P<day>\d\d))?"
QUARTER = r"q(?P<quarter>[1-4])"
_DIGITS = re.compile(r"\d+")
UNIT_MONTHS = {"month": 1, "quarter": 3, "year": 12}

Parts = Mapping[str, str]  # of a form, by name


class Period(NamedTuple):
    """From the first to the last day, both included."""

    first: date
    last: date


class Leaning(NamedTuple):
    """How far from the present one the twelve months begin of which one is meant, and the seven days."""

    months: int
    days: int


LAST, PAST, FUTURE, NEXT = Leaning(-12, -7), Leaning(-9, -6), Leaning(0, 0), Leaning(1, 1)

_TABLES = calendars()


def _listed(name: str, start: int) -> dict[str, int]:
    lists = (enumerate(table.get(name, "").split(","), start) for table in _TABLES.values())
    return {fold(word): n for listed in lists for n, words in listed for word in words.split()}


WEEKDAYS, MONTHS = _listed("weekdays", 0), _listed("months", 1)
COUNTS = {fold(word): n for table in _TABLES.values() for word, n in table.get("numbers", {}).items()}
# Also ordinary words: they name a month only where a day stands beside them or a capital begins them.
DOUBTFUL_MONTHS = frozenset(_listed("doubtful", 0))
# In an English text only these: "due" counts nothing there, and Marco is a man.
IN_ENGLISH = frozenset(word for listed in _TABLES[ENGLISH].values() for word in re.findall(r"[a-z]+", str(listed)))


def one_of(words: Iterable[str]) -> str:
    """A pattern of these words."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + r")\b"


def either(*forms: str) -> str:
    """A pattern of these forms, in this order; their groups are numbered, since no two may have one name."""
    return "|".join(re.sub(r"(?<=\(\?P<)\w+", rf"\g<0>{n}", form) for n, form in enumerate(forms))


def parts_of(match: re.Match[str]) -> Parts:
    """What the groups of a form hold, without their numbers."""
    return {name.rstrip("0123456789"): text for name, text in match.groupdict().items() if text}


def period(parts: Parts, said: date, leaning: Leaning) -> Period:
    """What the parts of a form name when somebody says it on that day; without any, the day itself.

    Raises:
        LookupError, OverflowError, ValueError: there is no such day or month.
    """
    year, day = int(parts.get("year", 0)), said
    if "quarter" in parts:
        end = 3 * int(parts["quarter"])
        return months_from(year or _year_of(end, said, leaning), end - 2, 3)
    if "month" in parts:
        month = number(parts["month"])
        if not parts.get("day"):
            return months_from(date(year or _year_of(month, said, leaning), month, 1).year, month)
        days = number(parts["day"])
        if not year and leaning is FUTURE and date(said.year, month, days) >= said - _LATE:
            year = said.year
        day = date(year or _year_of(month, said, leaning), month, days)
    elif year:
        return months_from(year, 1, 12)
    elif "weekday" in parts:
        day += timedelta(leaning.days)
        day += timedelta((WEEKDAYS[fold(parts["weekday"])] - day.weekday()) % 7)
    else:
        day += timedelta(("tomorrow" in parts) - ("yesterday" in parts))
    return Period(day, day)


def number(part: str) -> int:
    """Of a month, or of a day in one: Sept., 09, 9th."""
    digits = _DIGITS.match(part)
    return int(digits[0]) if digits else MONTHS[fold(part).rstrip(".")]


def _year_of(month: int, said: date, leaning: Leaning) -> int:
    first = said.year * 12 + said.month - 1 + leaning.months
    return (first + (month - 1 - first) % 12) // 12


def months_from(year: int, month: int, months: int = 1) -> Period:
    """So many months from this one on; months may lie outside of 1 to 12."""
    first = year * 12 + month - 1
    after = first + months
    return Period(date(first // 12, first % 12 + 1, 1), date(after // 12, after % 12 + 1, 1) - timedelta(1))


def unit_around(unit: str, step: int, said: date) -> Period:
    """The week, month, quarter or year of a day, or the one before or after it."""
    if unit == "night":
        return Period(day := said + timedelta(min(step, 0)), day)
    if months := UNIT_MONTHS.get(unit):
        return months_from(said.year, (said.month - 1) // months * months + 1 + step * months, months)
    monday = said - timedelta(said.weekday() - 7 * step)
    begins = 0 if unit == "week" else 4 if step < 0 else 5  # last weekend began on Friday
    return Period(monday + timedelta(begins), monday + timedelta(6))

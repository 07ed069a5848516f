"""Periods that a text speaks of, relative to the day on which it was said: "in March", "last week", "12 to 14 May".

English only, and on the safe side: what could be a verb ("it may rain", "they march") is no month. A month without a
year is the one between nine months before and three months after the day: memories are about the past more often than
about the future, and about a distant future hardly ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from typing import NamedTuple

READ = 4_000  # characters of a text that are read
MOST = 32  # periods of one text
_REACH = 40  # characters: no form is longer to either side of its month, unit or year

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\b\.?"
)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NUMBERS = {
    word: number
    for number, words in enumerate(
        ("one a an", "two couple", "three", "four few", "five several", "six", "seven", "eight", "nine", "ten"), start=1
    )
    for word in words.split()
}
_NUMBER = r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|an?|(?:a )?couple(?: of)?|(?:a )?few|several)"
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 0}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # the first of three months
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?:of\s+)?(?P<year>(?:19|20)\d\d))?\b"
_TO = r"\s*(?:and|to|until|till|through|or|&|-|\u2013)\s*"


class Period(NamedTuple):
    """From the first to the last day, both included."""

    first: date
    last: date


class Mention(NamedTuple):
    """A period, and where the text names it."""

    start: int
    end: int
    period: Period


Parts = Mapping[str, str | None]  # of a form, by name
_Read = Callable[[Parts, date], Period | None]


def mentions(text: str, said: date) -> list[Mention]:
    """The periods that a text names, in its order. Where two readings overlap, the longer form wins."""
    found: list[Mention] = []
    for start, end, triggers in _stretches(text[:READ].lower()):
        for trigger, form, read in _FORMS:
            if trigger in triggers:
                for match in form.finditer(text, start, end):
                    _note(found, match, read, said)
    return sorted(found)[:MOST]


def _stretches(lowered: str) -> list[tuple[int, int, set[str]]]:
    """Parts of the text around words that periods are made of: the rest, which is most of a text, is not searched."""
    stretches: list[tuple[int, int, set[str]]] = []
    for match in _WORDS.finditer(lowered):
        if trigger := _TRIGGERS.get(match.group()):
            start, end = max(0, match.start() - _REACH), match.end() + _REACH
            if stretches and start <= stretches[-1][1]:
                start, _, others = stretches.pop()
                stretches.append((start, end, others | {trigger}))
            else:
                stretches.append((start, end, {trigger}))
    return stretches


def _note(found: list[Mention], match: re.Match[str], read: _Read, said: date) -> None:
    if any(match.start() < other.end and other.start < match.end() for other in found):
        return
    try:
        period = read(match.groupdict(), said)
    except (LookupError, OverflowError, ValueError):  # 31 June, \u017fix days
        return
    if period is not None:
        found.append(Mention(*match.span(), period))


def _text(parts: Parts, name: str) -> str:
    return (parts[name] or "").lower()


def _month(parts: Parts, name: str = "month") -> int:
    return _MONTHS.index(_text(parts, name)[:3]) + 1


def _day(parts: Parts, name: str = "day") -> int:
    return int(re.sub(r"\D", "", parts[name] or ""))


def _year(parts: Parts, month: int, said: date) -> int:
    if parts.get("year"):
        return int(parts["year"] or 0)
    ahead = month - said.month
    return said.year + (1 if ahead < -9 else -1 if ahead > 2 else 0)


def months_from(year: int, month: int, months: int = 1) -> Period:
    """So many months from this one on; months may lie outside of 1 to 12."""
    first = year * 12 + month - 1
    after = first + months
    return Period(date(first // 12, first % 12 + 1, 1), date(after // 12, after % 12 + 1, 1) - timedelta(1))


def _iso(parts: Parts, said: date) -> Period:
    year, month = int(parts["year"] or 0), _day(parts, "number")
    if not parts["day"]:
        return months_from(date(year, month, 1).year, month)
    return Period(day := date(year, month, _day(parts)), day)


def _days_of_month(parts: Parts, said: date) -> Period:
    month = _month(parts)
    year = _year(parts, month, said)
    return Period(date(year, month, _day(parts)), date(year, month, _day(parts, "until" if parts["until"] else "day")))


def _across_months(parts: Parts, said: date) -> Period:
    first, last = _month(parts), _month(parts, "end")
    year = _year(parts, first, said)
    return Period(date(year, first, _day(parts)), date(year + (last < first), last, _day(parts, "until")))


def _months(parts: Parts, said: date) -> Period:
    first, last = _month(parts), _month(parts, "end")
    return months_from(_year(parts, first, said), first, (last - first) % 12 + 1)


def _week_of_month(parts: Parts, said: date) -> Period:
    month = _month(parts)
    whole = months_from(_year(parts, month, said), month)
    number = _ORDINALS[_text(parts, "ordinal")]
    first = whole.first + timedelta(7 * (number - 1)) if number else whole.last - timedelta(6)
    return Period(first, first + timedelta(6))


def _part_of_month(parts: Parts, said: date) -> Period:
    month = _month(parts)
    whole = months_from(_year(parts, month, said), month)
    if _text(parts, "part").startswith("mid"):
        return Period(whole.first.replace(day=9), whole.first.replace(day=22))
    if _text(parts, "part").startswith(("early", "beg", "start")):
        return Period(whole.first, whole.first.replace(day=11))
    return Period(whole.first.replace(day=20), whole.last)


def _one_month(parts: Parts, said: date) -> Period | None:
    month, before = _month(parts), _text(parts, "before").strip()
    is_lower = (parts["month"] or "").islower()
    if not before and not parts["year"] and (is_lower or month in (3, 5)):
        return None  # "we may", "May I", "March on"
    year = _year(parts, month, said)
    if not parts["year"] and before in ("last", "next"):
        step = -1 if before == "last" else 1
        year = said.year + step * ((month - said.month) * step <= 0)
    return months_from(year, month)


def _quarter(parts: Parts, said: date) -> Period:
    number = int(parts["number"]) if parts["number"] else _ORDINALS[_text(parts, "ordinal")]
    return months_from(_year(parts, 3 * number, said), 3 * number - 2, 3)


def _count(parts: Parts) -> int:
    words = _text(parts, "count").removesuffix(" of").split()
    return int(words[-1]) if words[-1].isdigit() else _NUMBERS[words[-1]]


def _so_many(parts: Parts, said: date) -> Period:
    span = timedelta(_count(parts) * _UNIT_DAYS[_text(parts, "unit")])
    return Period(said - span, said) if parts["back"] else Period(said, said + span)


def _ago(parts: Parts, said: date) -> Period:
    unit = _UNIT_DAYS[_text(parts, "unit")]
    middle, leeway = said - timedelta(_count(parts) * unit), timedelta(unit // 3)
    return Period(middle - leeway, middle + leeway)


def _relative(parts: Parts, said: date) -> Period:
    which, unit = _text(parts, "which"), _text(parts, "unit")
    step = -1 if which in ("last", "past", "previous") else 1 if which in ("next", "coming", "following") else 0
    whole = _season(unit, step, said) if unit in _SEASONS else unit_around(unit, step, said)
    if which.startswith("later") and whole.first <= said <= whole.last:
        return Period(said, whole.last)
    return whole


def unit_around(unit: str, step: int, said: date) -> Period:
    """The week, month, quarter or year of a day, or the one before or after it."""
    monday = said - timedelta(said.weekday()) + timedelta(7 * step)
    if unit == "night":
        return Period(day := said + timedelta(min(step, 0)), day)
    if unit == "week":
        return Period(monday, monday + timedelta(6))
    if unit == "weekend":
        return Period(monday + timedelta(4 if step < 0 else 5), monday + timedelta(6))
    if unit == "month":
        return months_from(said.year, said.month + step)
    if unit == "quarter":
        return months_from(said.year, (said.month - 1) // 3 * 3 + 1 + 3 * step, 3)
    return months_from(said.year + step, 1, 12)


def _season(name: str, step: int, said: date) -> Period:
    """Last and next are those that are over and those that are to begin."""
    this = months_from(said.year, _SEASONS[name], 3)
    if (step < 0 and this.last >= said) or (step == 0 and name == "winter" and said.month < 3):
        return months_from(said.year - 1, _SEASONS[name], 3)
    return months_from(said.year + 1, _SEASONS[name], 3) if step > 0 and this.first <= said else this


def _weekday(parts: Parts, said: date) -> Period:
    weekday, which = _WEEKDAYS.index(_text(parts, "weekday")[:3]), _text(parts, "which").strip()
    back, ahead = (said.weekday() - weekday) % 7, (weekday - said.weekday()) % 7
    if which in ("next", "this", "until", "by", "coming"):
        day = said + timedelta(ahead or 7 * (which == "next"))
    else:
        day = said - timedelta(back or 7 * (which == "last"))
    return Period(day, day)


def _near_day(parts: Parts, said: date) -> Period:
    day = said + timedelta({"yesterday": -1, "tomorrow": 1}.get(_text(parts, "word"), 0))
    return Period(day, day)


def _one_year(parts: Parts, said: date) -> Period:
    return months_from(int(parts["year"] or 0), 1, 12)


# A cheap look for words that a period needs: most texts have none, and no form is tried on them.
_WORDS = re.compile(r"[a-z]+|(?<!\d)(?:19|20)\d\d(?!\d)")
_TRIGGERS = {
    **{word: "month" for word in re.findall(r"[a-z]{3,}", _MONTH)},
    **{f"{day}day": "weekday" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")},
    **dict.fromkeys(("today", "tonight", "yesterday", "tomorrow"), "day"),
    **dict.fromkeys(("weekend", "quarter", "night"), "unit"),
    **{form: "unit" for unit in ("day", "week", "month", "year") for form in (unit, f"{unit}s")},
    **dict.fromkeys(_SEASONS, "season"),
    **dict.fromkeys(("q",), "quarter"),
    **{str(year): "year" for year in range(1900, 2100)},
}
_WHICH = r"(?P<which>last|past|previous|this|current|next|coming|following|later this|earlier this)"


def _forms() -> Iterator[tuple[str, re.Pattern[str], _Read]]:
    """Longer forms first: what they cover is not read again."""
    month = rf"(?P<month>{_MONTH})"
    until = rf"(?P<until>{_DAY})"
    count = rf"(?P<count>{_NUMBER})\s+(?P<unit>day|week|month|year)s?"
    ordinal = r"(?P<ordinal>first|second|third|fourth|last)"
    part = r"(?P<part>mid(?:dle of)?|early|late|beginning of|start of|end of)"
    before = r"(?P<before>(?:in|of|since|during|until|till|by|for|last|this|next|from|before|after|around)\s+)"
    table: list[tuple[str, str, _Read]] = [
        ("year", r"\b(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)(?:-(?P<day>\d\d))?\b", _iso),
        ("month", rf"\b(?P<day>{_DAY})\s+{month}{_TO}{until}\s+(?P<end>{_MONTH}){_YEAR}", _across_months),
        ("month", rf"\b(?P<day>{_DAY}){_TO}{until}\s+(?:of\s+)?{month}{_YEAR}", _days_of_month),
        ("month", rf"\b{month}\s+(?P<day>{_DAY}){_TO}{until}\b(?!\s+{_MONTH}|\d){_YEAR}", _days_of_month),
        ("month", rf"\b{ordinal}\s+week\s+(?:of|in)\s+{month}{_YEAR}", _week_of_month),
        ("month", rf"\b(?P<day>{_DAY})(?P<until>)\s+(?:of\s+)?{month}{_YEAR}", _days_of_month),
        ("month", rf"\b{month}\s+(?P<day>{_DAY})(?P<until>)\b(?!:){_YEAR}", _days_of_month),
        ("month", rf"\b{month}{_TO}(?:(?:the\s+)?end\s+of\s+)?(?P<end>{_MONTH}){_YEAR}", _months),
        ("month", rf"\b{part}[\s-]+{month}{_YEAR}", _part_of_month),
        ("month", rf"\b{before}?{month}{_YEAR}", _one_month),
        ("quarter", rf"\bq(?P<number>[1-4])(?P<ordinal>){_YEAR}", _quarter),
        ("unit", rf"\b(?P<number>)(?P<ordinal>first|second|third|fourth)\s+quarter{_YEAR}", _quarter),
        ("unit", rf"\b(?:(?P<back>last|past|previous)|next|coming|within)\s+{count}\b", _so_many),
        ("unit", rf"\b{count}\s+(?:ago|earlier|back)\b", _ago),
        ("unit", rf"\b{_WHICH}\s+(?P<unit>week(?:end)?|month|quarter|year|night)\b", _relative),
        ("season", rf"\b{_WHICH}\s+(?P<unit>spring|summer|autumn|fall|winter)\b", _relative),
        ("weekday", rf"\b(?P<which>(?:last|this|next|on|until|by|coming)\s+)?(?P<weekday>{_WEEKDAY})\b", _weekday),
        ("day", r"\b(?P<word>today|tonight|yesterday|tomorrow)\b", _near_day),
        ("year", r"\b(?:in|of|since|during|year)\s+(?P<year>(?:19|20)\d\d)\b", _one_year),
    ]
    for trigger, form, read in table:
        yield trigger, re.compile(form, re.IGNORECASE), read


_FORMS = tuple(_forms())

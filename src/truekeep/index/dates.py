"""Periods that a text speaks of, relative to the day on which it was said: "in March", "last week", "12 to 14 May".

English only, and on the safe side: what could be a verb ("it may rain", "they march") is no month. A month without a
year is the one between nine months before and three months after the day: memories are about the past more often than
about the future, and about a distant future hardly ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from typing import NamedTuple

from truekeep.language import dates
from truekeep.language.dates import IN_ENGLISH, PAST, YEAR, Parts, Period, months_from, number, one_of

READ = 4_000  # characters of a text that are read
MOST = 32  # periods of one text
_REACH = 40  # characters: no form is longer to either side of its month, unit or year

_MONTHS = [word for word in dates.MONTHS if word in IN_ENGLISH]
_MONTH = one_of(_MONTHS) + r"\.?"
_WEEKDAYS = [word for word in dates.WEEKDAYS if word.endswith("day")]
# No larger ones: what is kept was filed without them.
_COUNTS = {word: n for word, n in dates.COUNTS.items() if word in IN_ENGLISH and 0 < n <= 10}
_COUNTS |= {"a": 1, "an": 1, "couple": 2, "few": 4, "several": 5}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 0}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # the first of three months
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = rf"(?:,?\s+(?:of\s+)?{YEAR})?\b"
_TO = r"\s*(?:and|to|until|till|through|or|&|-|\u2013)\s*"


class Mention(NamedTuple):
    """A period, and where the text names it."""

    start: int
    end: int
    period: Period


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
        period = read(dates.parts_of(match), said)
    except (LookupError, OverflowError, ValueError):  # 31 June, \u017fix days
        return
    if period is not None:
        found.append(Mention(*match.span(), period))


_named = partial(dates.period, leaning=PAST)


def _range(parts: Parts, said: date) -> Period:
    """ "5 to 12 October", "28 December to 3 January", "April to June"."""
    first, end = _named(parts, said).first, parts.get("end", parts["month"])
    year = str(first.year + (number(end) < first.month))
    return Period(first, _named({"year": year, "month": end, "day": parts.get("until", "")}, said).last)


def _week_of_month(parts: Parts, said: date) -> Period:
    whole = _named(parts, said)
    week = _ORDINALS[parts["ordinal"].lower()]
    first = whole.first + timedelta(7 * (week - 1)) if week else whole.last - timedelta(6)
    return Period(first, first + timedelta(6))


def _part_of_month(parts: Parts, said: date) -> Period:
    whole, part = _named(parts, said), parts["part"].lower()
    if part.startswith("mid"):
        return Period(whole.first.replace(day=9), whole.first.replace(day=22))
    if part.startswith(("early", "beg", "start")):
        return Period(whole.first, whole.first.replace(day=11))
    return Period(whole.first.replace(day=20), whole.last)


def _one_month(parts: Parts, said: date) -> Period | None:
    before, month = parts.get("before", "").lower().strip(), parts["month"]
    if not before and "year" not in parts and (month.islower() or number(month) in (3, 5)):
        return None  # "we may", "May I", "March on"
    return dates.period(parts, said, {"last": dates.LAST, "next": dates.NEXT}.get(before, PAST))


def _quarter(parts: Parts, said: date) -> Period:
    return _named({**parts, "quarter": str(_ORDINALS[parts["ordinal"].lower()])}, said)


def _count(parts: Parts) -> int:
    word = parts["count"].lower().removesuffix(" of").split()[-1]
    return int(word) if word.isdigit() else _COUNTS[word]


def _so_many(parts: Parts, said: date) -> Period:
    span = timedelta(_count(parts) * _UNIT_DAYS[parts["unit"].lower()])
    return Period(said - span, said) if "back" in parts else Period(said, said + span)


def _ago(parts: Parts, said: date) -> Period:
    unit = _UNIT_DAYS[parts["unit"].lower()]
    middle, leeway = said - timedelta(_count(parts) * unit), timedelta(unit // 3)
    return Period(middle - leeway, middle + leeway)


def _relative(parts: Parts, said: date) -> Period:
    which, unit = parts["which"].lower(), parts["unit"].lower()
    step = -1 if which in ("last", "past", "previous") else 1 if which in ("next", "coming", "following") else 0
    whole = _season(unit, step, said) if unit in _SEASONS else dates.unit_around(unit, step, said)
    if which.startswith("later") and whole.first <= said <= whole.last:
        return Period(said, whole.last)
    return whole


def _season(name: str, step: int, said: date) -> Period:
    """Last and next are those that are over and those that are to begin."""
    this = months_from(said.year, _SEASONS[name], 3)
    if (step < 0 and this.last >= said) or (step == 0 and name == "winter" and said.month < 3):
        return months_from(said.year - 1, _SEASONS[name], 3)
    return months_from(said.year + 1, _SEASONS[name], 3) if step > 0 and this.first <= said else this


def _weekday(parts: Parts, said: date) -> Period:
    ahead = dict.fromkeys(("this", "until", "by", "coming"), dates.FUTURE)
    which = parts.get("which", "").lower().strip()
    return dates.period(parts, said, {"last": dates.LAST, "next": dates.NEXT, **ahead}.get(which, PAST))


# A cheap look for words that a period needs: most texts have none, and no form is tried on them.
_WORDS = re.compile(r"[a-z]+|(?<!\d)(?:19|20)\d\d(?!\d)")
_TRIGGERS = {
    **dict.fromkeys(_MONTHS, "month"),
    **dict.fromkeys(_WEEKDAYS, "weekday"),
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
    month, weekday = rf"(?P<month>{_MONTH})", rf"(?P<weekday>{one_of(_WEEKDAYS)})"
    day, until, end = rf"(?P<day>{_DAY})", rf"(?P<until>{_DAY})", rf"(?P<end>{_MONTH})"
    count = rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)}|(?:a )?(?:couple(?: of)?|few))\s+(?P<unit>day|week|month|year)s?"
    week = r"(?P<ordinal>first|second|third|fourth|last)\s+week\s+(?:of|in)"
    part = r"(?P<part>mid(?:dle of)?|early|late|beginning of|start of|end of)"
    before = r"(?P<before>(?:in|of|since|during|until|till|by|for|last|this|next|from|before|after|around)\s+)"
    table: list[tuple[str, str, _Read]] = [
        ("year", rf"\b{dates.ISO}\b", _named),
        ("month", rf"\b{day}\s+{month}{_TO}{until}\s+{end}{_YEAR}", _range),
        ("month", rf"\b{day}{_TO}{until}\s+(?:of\s+)?{month}{_YEAR}", _range),
        ("month", rf"\b{month}\s+{day}{_TO}{until}\b(?!\s+{_MONTH}|\d){_YEAR}", _range),
        ("month", rf"\b{week}\s+{month}{_YEAR}", _week_of_month),
        ("month", rf"\b{day}\s+(?:of\s+)?{month}{_YEAR}", _named),
        ("month", rf"\b{month}\s+{day}\b(?!:){_YEAR}", _named),
        ("month", rf"\b{month}{_TO}(?:(?:the\s+)?end\s+of\s+)?{end}{_YEAR}", _range),
        ("month", rf"\b{part}[\s-]+{month}{_YEAR}", _part_of_month),
        ("month", rf"\b{before}?{month}{_YEAR}", _one_month),
        ("quarter", rf"\b{dates.QUARTER}{_YEAR}", _named),
        ("unit", rf"\b(?P<ordinal>first|second|third|fourth)\s+quarter{_YEAR}", _quarter),
        ("unit", rf"\b(?:(?P<back>last|past|previous)|next|coming|within)\s+{count}\b", _so_many),
        ("unit", rf"\b{count}\s+(?:ago|earlier|back)\b", _ago),
        ("unit", rf"\b{_WHICH}\s+(?P<unit>week(?:end)?|month|quarter|year|night)\b", _relative),
        ("season", rf"\b{_WHICH}\s+(?P<unit>spring|summer|autumn|fall|winter)\b", _relative),
        ("weekday", rf"\b(?P<which>(?:last|this|next|on|until|by|coming)\s+)?{weekday}", _weekday),
        ("day", r"\b(?:(?P<yesterday>yesterday)|(?P<tomorrow>tomorrow)|today|tonight)\b", _named),
        ("year", rf"\b(?:in|of|since|during|year)\s+{YEAR}\b", _named),
    ]
    for trigger, form, read in table:
        yield trigger, re.compile(form, re.IGNORECASE), read


_FORMS = tuple(_forms())

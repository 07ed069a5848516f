"""How long a statement says that it holds: "until Monday the 8th", "during June", "for the next ten days".

A time of day ("until eight"), an event ("until the form is signed"), a deadline and the mere date of something are
no such period. Days are those of UTC; a day, week, month or quarter that is named belongs to the period.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache

from . import spans
from .days import COUNTS, MONTHS, WEEKDAYS
from .folding import fold
from .said import Period

LONGEST = 2000  # characters that are looked at
_FEW = 400  # of a unit: beyond that it is no period that anybody plans


@lru_cache(maxsize=4096)
def period(content: str, said: datetime) -> Period | None:
    """The period for which a statement says that it holds, or None.

    Args:
        content: the statement.
        said: when it was said; "this week" is the week of that day.
    """
    text = " ".join(fold(content[:LONGEST]).split())
    if not spans.names_a_time(text):
        return None
    day = said.replace(hour=0, minute=0, second=0, microsecond=0)
    for find in _FINDERS:
        try:
            found = find(text, day, said)
        except (ValueError, OverflowError):  # the 31st of February, the year 10000
            continue
        if found is not None:
            return found
    return None


def _between(text: str, day: datetime, said: datetime) -> Period | None:
    match = spans.FROM_TO.search(text)
    if match is None or not (match["from"] or spans.AWAY.search(text) or spans.SPAN.search(text[: match.start()])):
        return None  # "the fair, 9 to 12 March" is the date of something
    month = _month(match["month"])
    last = _dated(_number(match["day"]), month, match["year"], day)
    first = last.replace(
        day=_number(match["first"]), month=_month(match["firstmonth"]) if match["firstmonth"] else month
    )
    if first > last:
        first = first.replace(year=first.year - 1)
    return Period(first, last + timedelta(days=1), match[0])


def _until(text: str, day: datetime, said: datetime) -> Period | None:
    for pattern in (spans.UNTIL_POINT, spans.UNTIL_EVENT, spans.ENDS):
        for match in pattern.finditer(text):
            if pattern is not spans.ENDS and spans.EVENT.search(text[max(0, match.start() - 60) : match.start()]):
                continue
            if (end := _end_of(match, day)) is not None:
                return Period(None, end, match[0])
    return None


def _over(text: str, day: datetime, said: datetime) -> Period | None:
    match = spans.OVER.search(text)
    if match is None or (spans.DONE.search(before := text[: match.start()]) and not spans.STATE.search(before)):
        return None
    end = _end_of(match, day)
    return Period(None, end, match[0].lstrip(", ")) if end is not None else None


def _not_before(text: str, day: datetime, said: datetime) -> Period | None:
    match = spans.NOT_BEFORE.search(text)
    if match is None or not any(match[name] for name in ("iso", "day", "day2", "dotted", "nth", "nth2")):
        return None
    end = _end_of(match, day)
    return Period(None, end - timedelta(days=1), match[0]) if end is not None else None


def _during(text: str, day: datetime, said: datetime) -> Period | None:
    match = spans.DURING.search(text)
    if match is None:
        return None
    end = _month_end(_month(match["month"] or match["im"]), match["year"], day)
    return Period((end - timedelta(days=1)).replace(day=1), end, match[0])


def _coming(text: str, day: datetime, said: datetime) -> Period | None:
    for match in spans.NEXT.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()]
        first = not before.strip() and not spans.DONE.search(spans.STOP.split(text, 1)[0])
        stays = spans.STAYS.search(before) and not spans.DONE.search(before) and not spans.EACH.match(text, match.end())
        if match["n3"] and not match["more"] and not first and not stays and not spans.AWAY.search(before):
            continue  # "kept for 30 days" and "worked there for two years" have no end ahead
        count = _count(match["n"] or match["n2"] or match["n3"])
        if 0 < count <= _FEW:
            unit = match["unit"] or match["unit2"] or match["unit3"]
            return Period(day, _after(said, day, count, unit), match[0].strip())
    return None


def _this(text: str, day: datetime, said: datetime) -> Period | None:
    for match in spans.THIS.finditer(text):
        clause = _clause_around(text, match)
        if spans.NOT_THIS.search(match["before"] or "") or (
            spans.DONE.search(clause) and not spans.STATE.search(clause)
        ):
            continue
        if spans.AHEAD.search(clause) and not spans.STATE.search(clause):
            continue
        if match["days"] or match["day"]:
            return Period(day, day + timedelta(days=2 if match["days"] else 1), match["what"])
        return Period(day, _end_of_unit(match["unit"], day), match["what"])
    return None


def _clause_around(text: str, match: re.Match[str]) -> str:
    before, after = spans.STOP.split(text[: match.start("what")]), spans.STOP.split(text[match.end() :])
    return f"{before[-1]} {after[0]}"


_FINDERS: tuple[Callable[[str, datetime, datetime], Period | None], ...] = (
    _between,
    _until,
    _during,
    _coming,
    _this,
    _over,
    _not_before,
)


def _end_of(match: re.Match[str], day: datetime) -> datetime | None:
    if match["iso"]:
        return datetime.fromisoformat(match["iso"]).replace(tzinfo=day.tzinfo) + timedelta(days=1)
    if number := match["day"] or match["day2"]:
        month = _month(match["month"] or match["month2"])
        return _dated(_number(number), month, match["year"] or match["year2"], day) + timedelta(days=1)
    if match["dotted"]:
        parts = [int(part) for part in re.findall(r"\d+", match["dotted"])]
        return _dated(parts[0], parts[1], str(parts[2]) if len(parts) > 2 else None, day) + timedelta(days=1)
    if nth := match["nth"] or match["nth2"]:
        return _nth(int(nth), day) + timedelta(days=1)
    if match["end"]:
        unit = match["of"]
        return _month_end(_month(unit), None, day) if unit.rstrip(".") in MONTHS else _end_of_unit(unit, day)
    if match["weekday"]:
        return day + timedelta(days=(WEEKDAYS[match["weekday"]] - day.weekday()) % 7 + 1)
    if match["quarter"]:
        return _month_end(3 * int(match["quarter"]), None, day)
    if match["month3"]:
        return _month_end(_month(match["month3"]), match["year3"], day)
    if match["tomorrow"]:
        return day + timedelta(days=2)
    return day.replace(year=int(match["year4"]) + 1, month=1, day=1) if match["year4"] else None


def _month(name: str) -> int:
    return MONTHS[name.rstrip(".")]


def _number(text: str) -> int:
    return int(re.match(r"\d+", text)[0])  # type: ignore[index]  # the pattern begins with digits


def _count(word: str) -> int:
    return int(word) if word.isdigit() else 1 if word == "a" else COUNTS[word]


def _dated(number: int, month: int, year: str | None, day: datetime) -> datetime:
    """That day of that month: of the year named, or the next one that has not passed."""
    if year:
        return day.replace(year=int(year), month=month, day=number)
    found = day.replace(month=month, day=number)
    return found if found >= day - timedelta(days=31) else found.replace(year=found.year + 1)


def _nth(number: int, day: datetime) -> datetime:
    if number >= day.day:
        return day.replace(day=number)
    following = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
    return following.replace(day=number)


def _month_end(month: int, year: str | None, day: datetime) -> datetime:
    chosen = int(year) if year else day.year + (month < day.month)
    return day.replace(year=chosen, month=month, day=1) + timedelta(days=monthrange(chosen, month)[1])


def _end_of_unit(unit: str, day: datetime) -> datetime:
    if unit.startswith(("week", "woche", "semaine", "semana", "settimana", "vecka")):
        return day + timedelta(days=7 - day.weekday())
    if unit.startswith("quarter"):
        return _month_end((day.month + 2) // 3 * 3, None, day)
    if unit.startswith(("year", "jahr", "annee", "ano", "anno", "jaar")):
        return day.replace(year=day.year + 1, month=1, day=1)
    return _month_end(day.month, None, day)


def _after(said: datetime, day: datetime, count: int, unit: str) -> datetime:
    name = next(name for name, words in spans.UNITS.items() if re.fullmatch(words, unit))
    if name == "hour":
        return said + timedelta(hours=count)
    if name in ("day", "week"):
        return day + timedelta(days=count * (7 if name == "week" else 1) + 1)
    months = day.month - 1 + count * (12 if name == "year" else 1)
    year, month = day.year + months // 12, months % 12 + 1
    return day.replace(year=year, month=month, day=min(day.day, monthrange(year, month)[1])) + timedelta(days=1)

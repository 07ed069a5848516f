"""How long a statement says that it holds: "until Monday the 8th", "during June", "for the next ten days".

A time of day ("until eight"), an event ("until the form is signed"), a deadline and the mere date of something are
no such period. Days are those of UTC; a day, week, month or quarter that is named belongs to the period.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from truekeep.language.dates import COUNTS, FUTURE, UNIT_MONTHS, months_from, parts_of, period, unit_around
from truekeep.normal_forms import fold

from . import spans

LONGEST = 2000  # characters that are looked at
_FEW = 400  # of a unit: beyond that it is no period that anybody plans
_DAY = timedelta(1)


@lru_cache(maxsize=4096)
def holds_until(content: str, said: datetime) -> datetime | None:
    """The end of the last day on which a statement says that it holds; None where it names none.

    Args:
        content: the statement.
        said: when it was said; "this week" is the week of that day.
    """
    text = " ".join(fold(content[:LONGEST]).split())
    if not spans.names_a_time(text):
        return None
    for find in (_between, _until, _during, _coming, _this, _over, _not_before):
        try:
            if (last := find(text, said.date())) is not None:
                return datetime.combine(last + _DAY, time(), said.tzinfo)
        except (ValueError, OverflowError):  # the 31st of February, the year 10000
            continue
    count, name = _spanned(text)
    with suppress(OverflowError):
        return said + timedelta(hours=count) if name == "hour" else None
    return None


def _between(text: str, day: date) -> date | None:
    match = spans.FROM_TO.search(text)
    if match is None or not (match["from"] or spans.AWAY.search(text) or spans.SPAN.search(text[: match.start()])):
        return None  # "the fair, 9 to 12 March" is the date of something
    return _last(match, day)


def _until(text: str, day: date) -> date | None:
    for pattern in (spans.UNTIL_POINT, spans.UNTIL_EVENT, spans.ENDS):
        for match in pattern.finditer(text):
            if pattern is spans.ENDS or not spans.EVENT.search(text[max(0, match.start() - 60) : match.start()]):
                return _last(match, day)
    return None


def _over(text: str, day: date) -> date | None:
    match = spans.OVER.search(text)
    if match is None or (spans.DONE.search(before := text[: match.start()]) and not spans.STATE.search(before)):
        return None
    return _last(match, day)


def _not_before(text: str, day: date) -> date | None:
    match = spans.NOT_BEFORE.search(text)
    if match is None or parts_of(match).keys().isdisjoint(("day", "nth")):
        return None
    return _last(match, day) - _DAY


def _during(text: str, day: date) -> date | None:
    match = spans.DURING.search(text)
    return match and _last(match, day)


def _coming(text: str, day: date) -> date | None:
    count, name = _spanned(text)
    if name in ("", "hour"):
        return None
    if name in ("day", "week"):
        return day + timedelta(count * (7 if name == "week" else 1))
    month = months_from(day.year, day.month + count * UNIT_MONTHS[name])
    return min(month.first + timedelta(day.day - 1), month.last)


def _spanned(text: str) -> tuple[int, str]:
    """For how many of which unit it is to be, from now on."""
    for match in spans.NEXT.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()]
        first = not before.strip() and not spans.DONE.search(spans.STOP.split(text, 1)[0])
        stays = spans.STAYS.search(before) and not spans.DONE.search(before) and not spans.EACH.match(text, match.end())
        if match["n3"] and not match["more"] and not first and not stays and not spans.AWAY.search(before):
            continue  # "kept for 30 days" and "worked there for two years" have no end ahead
        word = match["n"] or match["n2"] or match["n3"]
        count = int(word) if word.isdigit() else 1 if word == "a" else COUNTS[word]
        if 0 < count <= _FEW:
            return count, _unit(match["unit"] or match["unit2"] or match["unit3"])
    return 0, ""


def _this(text: str, day: date) -> date | None:
    for match in spans.THIS.finditer(text):
        clause = _clause_around(text, match)
        is_event = spans.DONE.search(clause) or spans.AHEAD.search(clause)
        if spans.NOT_THIS.search(match["before"] or "") or (is_event and not spans.STATE.search(clause)):
            continue
        if match["days"] or match["day"]:
            return day + _DAY if match["days"] else day
        return unit_around(_unit(match["unit"]), 0, day).last
    return None


def _clause_around(text: str, match: re.Match[str]) -> str:
    before, after = spans.STOP.split(text[: match.start("what")]), spans.STOP.split(text[match.end() :])
    return f"{before[-1]} {after[0]}"


def _last(match: re.Match[str], day: date) -> date:
    """The last day of the point in time that a pattern found."""
    found = parts_of(match)
    if "unit" in found:
        return unit_around(_unit(found["unit"]), 0, day).last
    if "nth" in found:
        nth = int(found["nth"])
        return months_from(day.year, day.month + (nth < day.day)).first.replace(day=nth)
    return period(found, day, FUTURE).last


def _unit(word: str) -> str:
    return next(name for name, words in spans.UNITS.items() if re.fullmatch(words, word))

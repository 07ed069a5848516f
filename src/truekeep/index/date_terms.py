"""Dates as terms of the index: the days and months that a text speaks of are found like its words.

A text that names up to `_SHORT` days is filed under each of them and under their months, a longer period under its
months alone. A query for some days looks for days, one for months looks for months.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import lru_cache

from truekeep.language.dates import Period

from .dates import mentions
from .tokens import hidden_term

_SHORT = 10  # days
_MONTH = 31
_MOST_MONTHS = 24

NAMES_A_TIME = hidden_term("time")


def text_dates(text: str, said: datetime) -> list[int]:
    """The terms of all periods that a text names, without repetition."""
    found = mentions(text, said.date())
    if not found:
        return []
    terms = {NAMES_A_TIME: None}
    for mention in found:
        terms.update(dict.fromkeys(_months(mention.period)))
        if _days(mention.period) <= _SHORT:
            terms.update(dict.fromkeys(_each_day(mention.period)))
    return list(terms)


def period_terms(period: Period) -> list[int]:
    """What a text about this period is filed under."""
    is_whole = period.first.day == 1 and (period.last + timedelta(1)).day == 1
    return _months(period) if is_whole or _days(period) > _MONTH else _each_day(period)


def _days(period: Period) -> int:
    return (period.last - period.first).days + 1


def _each_day(period: Period) -> list[int]:
    return [_term((period.first + timedelta(day)).isoformat()) for day in range(_days(period))]


def _months(period: Period) -> list[int]:
    first, last = (day.year * 12 + day.month - 1 for day in period)
    return [_term(date(month // 12, month % 12 + 1, 1).isoformat()[:7]) for month in range(first, last + 1)][
        :_MOST_MONTHS
    ]


@lru_cache(maxsize=4096)
def _term(name: str) -> int:
    return hidden_term(f"date:{name}")

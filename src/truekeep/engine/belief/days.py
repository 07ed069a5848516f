"""Names of days, months and small numbers, in all languages that have a file; folded to lower-case ASCII."""

from __future__ import annotations

from collections.abc import Iterator

from truekeep.language import ENGLISH as _CODE
from truekeep.language import Language, language, languages

from .fold import fold


def _listed(known: Language, name: str, start: int) -> Iterator[tuple[str, int]]:
    listed = known.tables.get("calendar", {}).get(name, "")
    return ((fold(word), n) for n, names in enumerate(listed.split(","), start) for word in names.split())


def _weekdays(known: Language) -> dict[str, int]:
    return dict(_listed(known, "weekdays", 0))


def _months(known: Language) -> dict[str, int]:
    return dict(_listed(known, "months", 1))


def _counts(known: Language) -> dict[str, int]:
    return {fold(word): n for word, n in known.tables.get("calendar", {}).get("numbers", {}).items()}


_ENGLISH, _ALL = language(_CODE), languages().values()
WEEKDAYS = {name: n for known in _ALL for name, n in _weekdays(known).items()}
MONTHS = {name: n for known in _ALL for name, n in _months(known).items()}
COUNTS = {name: n for known in _ALL for name, n in _counts(known).items()}
# In an English text only these: "due" counts nothing there, and Marco is a man.
ENGLISH = frozenset(_weekdays(_ENGLISH) | _months(_ENGLISH) | _counts(_ENGLISH))
# Also ordinary words: they name a month only where a day stands beside them or a capital begins them.
DOUBTFUL_MONTHS = frozenset(name for known in _ALL for name, _ in _listed(known, "doubtful", 0))

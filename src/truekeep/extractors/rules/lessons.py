"""Lessons: which sentence goes on with one, and the parts of what was tried and failed."""

from __future__ import annotations

import re

from .reading import Reading

_LONGEST = 300  # characters of a part

_PARTS = re.compile(
    r"[,;.:]?\s+(?:but|and (?=it|that|this|they|everything|the)|aber|mais|pero|ma|mas|maar|->|=>|\u2192)\s+"
    r"|[;:.]\s+|,\s+(?=it )",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"[,;.]?\s+(?:because|since|due to|weil|parce que|car|porque|perch\u00e9|omdat|want)\s+", re.IGNORECASE
)


def goes_on(kind: str | None, reading: Reading, following: Reading) -> str | None:
    """The kind of both sentences together, where the following one belongs to this one."""
    if following.opens("reason") and kind in ("decision", "lesson", "preference"):
        return kind
    if following.has("failure") and following.opens("pronoun") and reading.has("attempt"):
        return "lesson"
    if not reading.has("failure"):
        return None
    if following.opens("avoid", "regret") and (kind or following.has("pronoun")):
        return "lesson"
    is_remedy = following.length < 6 if following.opens("imperative") else following.length < 4
    if kind and is_remedy and following.has("pronoun") and not following.opens("pronoun"):
        return "lesson"  # "... Fax it."
    return None


def anatomy(content: str) -> dict[str, str]:
    """Attempt, outcome and reason, verbatim, as far as they stand apart."""
    told, *why = _WHY.split(content, maxsplit=1)
    attempt, *outcome = _PARTS.split(told, maxsplit=1)
    parts = {"attempt": attempt if outcome else "", "outcome": "".join(outcome), "reason": "".join(why)}
    return {name: part.strip() for name, part in parts.items() if part.strip() and len(part) <= _LONGEST}

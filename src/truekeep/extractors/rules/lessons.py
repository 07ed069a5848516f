"""Lessons: which sentence goes on with one, and the parts of what was tried and failed."""

from __future__ import annotations

import re
from functools import cache

from truekeep.language import languages
from truekeep.language.reading import Reading

_LONGEST = 300  # characters of a part


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
    before_outcome, before_reason = _parting()
    told, *why = before_reason.split(content, maxsplit=1)
    attempt, *outcome = before_outcome.split(told, maxsplit=1)
    parts = {"attempt": attempt if outcome else "", "outcome": "".join(outcome), "reason": "".join(why)}
    return {name: part.strip() for name, part in parts.items() if part.strip() and len(part) <= _LONGEST}


@cache
def _parting() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What stands between an attempt and its outcome, and before the reason."""
    tables = [known.tables["lesson"] for known in languages().values() if "lesson" in known.tables]
    outcome, resumed, reason = (
        "|".join(table[name] for table in tables if name in table) for name in ("outcome", "resumed", "reason")
    )
    return (
        re.compile(rf"[,;.:]?\s+(?:{outcome}|->|=>|\u2192)\s+|[;:.]\s+|,\s+(?=(?:{resumed}) )", re.IGNORECASE),
        re.compile(rf"[,;.]?\s+(?:{reason})\s+", re.IGNORECASE),
    )

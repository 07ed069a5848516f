"""Lessons: what was tried and failed, or is to be avoided; how to tell them, and their parts."""

from __future__ import annotations

import re

from .experience import (
    by_the_speakers,
    came_from_a_deed,
    came_of_it,
    deed_had_results,
    deed_has_results,
    deed_is_subject,
    fails_right_now,
    fails_twice,
    had_an_effect,
    had_consequences,
    is_about_others_choice,
    is_attributive,
    is_equation,
    is_excused,
    is_explained,
    is_habitual,
    is_known_when,
    is_only_a_mishap,
    is_past,
    is_progress,
    is_reasoned_ban,
    is_told,
    is_unfit,
    is_warned,
    keeps_happening,
    says_what_to_do,
    sets_it_off,
    spoils_a_gain,
    was_found_out,
)
from .features import Scale, has
from .reading import Reading
from .scene import Scene

ENOUGH = 15
_SIGNS = ("failure", "regret", "attempt", "warn", "lack", "mishap")
_LONGEST = 300  # characters of a part

_PARTS = re.compile(
    r"[,;.:]?\s+(?:but|and (?=it|that|this|they|everything|the)|aber|mais|pero|ma|mas|maar|->|=>|\u2192)\s+"
    r"|[;:.]\s+|,\s+(?=it )",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"[,;.]?\s+(?:because|since|due to|weil|parce que|car|porque|perch\u00e9|omdat|want)\s+", re.IGNORECASE
)


def is_lesson(reading: Reading, scene: Scene) -> bool:
    """Whether something went wrong and it is told what was done, or what to do instead."""
    if reading.length < 4 or reading.opens("soothing"):
        return False
    if not (reading.has(*_SIGNS) or any(sign(reading, scene) for sign in _OTHER_SIGNS)):
        return False
    return LESSON.weigh(reading, scene) >= ENOUGH


def is_told_before_its_remedy(reading: Reading) -> bool:
    """As in "the cheap rolls jam, so we buy the others": what was done about it does not make it a decision."""
    failed = min(reading.earliest("failure"), reading.earliest("mishap"))
    return failed < reading.earliest("because") <= reading.earliest("we") < len(reading.words)


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


_OTHER_SIGNS = (came_from_a_deed, deed_had_results, deed_has_results, keeps_happening)
LESSON = Scale(
    (
        ("something failed", 10, has("failure")),
        ("and something else, too", 5, fails_twice),
        ("something may have gone wrong", 8, is_only_a_mishap),
        ("after a deed that is told", 7, is_told),
        ("a deed had an effect on others", 9, had_an_effect),
        ("it spoils a gain", 5, spoils_a_gain),
        ("it is known when", 3, is_known_when),
        ("a deed had results", 10, deed_had_results),
        ("a deed has results", 10, deed_has_results),
        ("a deed sets it off", 7, sets_it_off),
        ("it kept happening", 7, keeps_happening),
        ("it is in its nature", 3, is_habitual),
        ("it was found out", 5, was_found_out),
        ("it had consequences", 6, had_consequences),
        ("a ban with its reason", 9, is_reasoned_ban),
        ("an equation", 7, is_equation),
        ("it did not take long, or not once", 5, lambda reading, scene: reading.has("failure") and reading.has("soon")),
        ("it was cheap", 5, lambda reading, scene: reading.has("failure") and reading.has("cheap")),
        ("it is unfit for something", 5, is_unfit),
        ("it happens right now", -4, fails_right_now),
        ("it is known to have failed", -8, is_attributive),
        ("it is excused", -10, is_excused),
        (
            "it is a wish",
            -4,
            lambda reading, scene: reading.opens("no") and not reading.has("attempt", "deed", "regret"),
        ),
        ("it speaks for a choice", -12, is_about_others_choice),
        ("it is regretted", 15, has("regret")),
        ("it came from what was done", 10, came_from_a_deed),
        ("it was tried", 9, has("attempt")),
        ("and something came of it", 6, came_of_it),
        ("never again", 10, lambda reading, scene: reading.follows("avoid", "again", 14)),
        ("it is to be avoided", 6, has("avoid")),
        ("an agent warns, and says why", 9, is_warned),
        ("something is not so", 5, lambda reading, scene: reading.has("lack") and not reading.has("i", "we", "you")),
        ("it is said what to do", 6, says_what_to_do),
        ("or else", 4, has("otherwise")),
        ("something costly", 6, has("loss")),
        ("it is past, and something was done", 5, is_past),
        ("there is a remedy", 5, has("remedy", "only")),
        ("it happened to the speaker", 5, by_the_speakers),
        ("the deed is the subject", 5, deed_is_subject),
        ("it is explained", 3, is_explained),
        ("it is of the moment", -6, has("moment")),
        ("it went well", -7, has("success")),
        ("it is progress", -5, is_progress),
    )
)

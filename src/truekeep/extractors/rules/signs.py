"""The signs of a sentence, by name: kinds of words, tense, clauses, who speaks. `weights` says what each is worth."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import compress

from truekeep.language import ENGLISH, OTHER
from truekeep.language.reading import MARKS, Reading

from .scene import Scene

_YEAR = re.compile(r"(?:19|20)\d\d")
_LENGTHS = ((4, "very short"), (7, "short"), (12, "of some length"), (20, "long"))  # below so many words
_PARTS = ("sequel", "turn", "because")  # words that part clauses
# Signs that say something else together than apart.
_WENT_WRONG = (
    *("in the past", "in the present", "moment", "i", "we", "you", "opens pronoun", "opens article", "because", "deed"),
    *("attempt", "soon", "trigger", "number", "of clauses", "avoid", "present", "by a service", "by a colleague"),
)
_PAIRS: dict[str, tuple[str, ...]] = {
    "failure": _WENT_WRONG,
    "mishap": _WENT_WRONG,
    "lack": _WENT_WRONG,
    "we": ("in the past", "present", "not past", "liking", "resolve", "decided", "date"),
    "i": ("in the past", "not past", "liking", "habit", "date", "schedule"),
    "a deed as subject": (
        *("in the past", "in the present", "resulted", "results", "failure", "mishap", "gain", "opens progress"),
        *("short", "very short", "lack"),
    ),
    "a year": ("in the past",),
    "date": ("i", "own", "we", "planned", "present", "until"),
    "until": ("i", "own", "we", "planned", "present"),
    "number": ("not past",),
    "you": ("standing",),
    "in a team": (
        *("standing", "only", "ruling", "necessity", "avoid", "opens no", "not past", "decided", "change", "stays"),
    ),
    "in the past": ("because", "number", "moment", "i", "we", "by a service", "by a colleague"),
}
_GIVEN = ("in a team", "an answer", "after yes or no", "labelled", "first in its message", "alone in its message")
_TOGETHER = {name: {other: f"{name} + {other}" for other in others} for name, others in _PAIRS.items()}


def signs(
    reading: Reading, scene: Scene, *, labelled: bool = False, is_first: bool = True, is_alone: bool = True
) -> Set[str]:
    """The names of all signs that the sentence has; a class of words is a sign of that name."""
    found = set(reading.places)
    found.update([f"opens {name}" for name in reading.opening])
    found.update(_tense(reading))
    found.add(_speaker(scene))
    found.add(next((name for limit, name in _LENGTHS if reading.length < limit), "very long"))
    if "number" in found and any(map(_YEAR.fullmatch, reading.words)):
        found.add("a year")
    if reading.language.code != ENGLISH:
        found.add("no lexicon" if reading.language.code == OTHER else "not in English")
    if is_deed_the_subject(reading):
        found.add("a deed as subject")
    if is_request(reading):
        found.add("a request once")
    if scene.by_assistant and is_service(reading):
        found.add("a service")
    given = (scene.team, scene.asked, scene.answers, labelled, is_first, is_alone)
    found.update(compress(_GIVEN, given))
    if reading.text.endswith(("!", "...")):
        found.add("an exclamation" if reading.text.endswith("!") else "trails off")
    pairs = [_TOGETHER[name] for name in _TOGETHER.keys() & found]
    found.update([pair[other] for pair in pairs for other in pair.keys() & found])
    return found


def _speaker(scene: Scene) -> str:
    if not scene.by_assistant:
        return "by a person"
    if not scene.named:
        return "by a service"
    return "by a colleague" if scene.team else "by a named service"


def is_deed_the_subject(reading: Reading) -> bool:
    endings = reading.language.subject  # "Watering at noon ...", "Regar a mediod\u00eda ..."
    return len(reading.first) > 3 and reading.first.endswith(endings) and not reading.opens("noun")


def _tense(reading: Reading) -> list[str]:
    """Whether it tells of something past, and whether more is said of it in another clause."""
    verbs = _past_verbs(reading)
    joints = [place for place, word in enumerate(reading.words) if word in MARKS]
    for name in _PARTS:
        joints += reading.all(name)
    found = ["of clauses"] if joints else []
    if not verbs:
        found.append("not past")
        if reading.has("present", "stative"):
            found.append("in the present")
        return found
    found.append("in the past")
    if len(verbs) > 1:
        found.append("twice in the past")
    if joints and verbs[0] < max(joints):
        found.append("past, and more")
        if any(verbs[0] < joint < verbs[-1] for joint in joints):
            found.append("past, and past again")
    return found


def _past_verbs(reading: Reading) -> list[int]:
    known, looks_past = reading.places.get(reading.language.past_words, ()), reading.language.past.fullmatch
    return [place for place, word in enumerate(reading.words) if place in known or looks_past(word)]


def is_request(reading: Reading) -> bool:
    """Something to be done once; "always", "never", "instead of" make it a wish that lasts."""
    if reading.has("standing", "calling") or reading.follows("bound", "number", 1):
        return False
    if reading.opens("avoid") or (reading.opens("please") and reading.at(reading.start + 1, "avoid")):
        return False
    if reading.opens("imperative") and not reading.has("no"):
        return True
    return reading.has("request") and not reading.has("schedule", "date", "no")


def is_service(reading: Reading) -> bool:
    """An assistant's offers, acknowledgements and reports about its own work."""
    if reading.has("meta"):
        return True
    return reading.opens("offer", "progress") and not reading.has("failure", "resolve", "regret", "ruling")

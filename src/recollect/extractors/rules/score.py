"""Sentences without clear words: a score over named features tells a lasting statement from a passing remark."""

from __future__ import annotations

import re

from .experience import is_habitual
from .features import Scale, has, opens
from .reading import Reading
from .scene import Scene

ENOUGH = 15
PERSON, COLLEAGUE, NAMED_SERVICE, SERVICE = 4, -5, -10, -16  # what a statement weighs by who makes it
ENOUGH_BESIDE = 10  # where another sentence of the same message is worth keeping
_IDENTIFIER = re.compile(r"\w[/_#@]\w|[a-z][A-Z]\w|\w\.\w|[A-Z]{2}|\d\.\d")


def lasting(reading: Reading, scene: Scene) -> int:
    """How likely it is to be worth keeping: likely enough from `ENOUGH` on."""
    return _LASTING.weigh(reading, scene, _speaker(scene))


def _speaker(scene: Scene) -> int:
    if not scene.by_assistant:
        return PERSON
    if not scene.named:
        return SERVICE
    return COLLEAGUE if scene.team else NAMED_SERVICE


def _guessed_verb(reading: Reading, scene: Scene) -> bool:
    """A word in -s after a noun that is not the last one: "the tent leaks in the rain"."""
    if reading.language != "en":
        return False
    inner = reading.words[reading.start + 1 : -1]
    return any(len(word) > 3 and word.endswith("s") and not word.endswith("ss") for word in inner)


def _is_definite(reading: Reading, scene: Scene) -> bool:
    return reading.opens("article", "own") or reading.first.endswith("'s")


def _is_bare_participle(reading: Reading, scene: Scene) -> bool:
    if reading.language != "en" or reading.opens("noun"):
        return False
    return reading.first.endswith(("ing", "ed")) and not reading.has("present", "standing")


def _is_going_on(reading: Reading, scene: Scene) -> bool:
    """As in "they are playing"; with a date or an end it would be a plan."""
    if reading.language != "en" or reading.has("date", "until", "schedule"):
        return False
    words = reading.words
    return any(words[place + 1 : place + 2] and words[place + 1].endswith("ing") for place in reading.all("present"))


def _is_impression(reading: Reading, scene: Scene) -> bool:
    """As in "the queue is huge"."""
    telling = ("stative", "number", "own", "we", "i", "schedule", "date", "standing", "limit", "failure", "role")
    return reading.length < 6 and not reading.has(*telling) and not _has_name(reading, scene)


def _is_kept(reading: Reading, scene: Scene) -> bool:
    """As in "invoices are archived after 90 days", "the rooms are named ..."."""
    if reading.has("kept") or reading.language != "en" or reading.length < 6:
        return reading.has("kept")
    following = [reading.words[place + 1 : place + 2] for place in reading.all("present")]
    return any(word and word[0].endswith("ed") for word in following) and not reading.has(
        "status", "moment", "failure", "you"
    )


def _is_story(reading: Reading, scene: Scene) -> bool:
    """As in "he drove to the shop and bought three apples"."""
    if not reading.has("pasttense", "event") or reading.length < 9:
        return False
    return not reading.has("present", "stative", "finding", "identity", "we", "failure")


def _is_read_out(reading: Reading, scene: Scene) -> bool:
    """As in "the total comes to 148.20"."""
    if not scene.by_assistant or reading.length > 8 or not reading.has("number"):
        return False
    telling = ("standing", "own", "we", "limit", "finding", "every", "necessity", "role")
    return not reading.has(*telling) and not _is_kept(reading, scene)


def _does_it(reading: Reading, scene: Scene) -> bool:
    """As in "I paint with oil": a verb in the present right after "I"."""
    return any(
        place + 1 < len(reading.words)
        and not reading.at(place + 1, "aux", "mind", "moment", "unresolved", "pasttense")
        and not reading.words[place + 1].endswith(("ed", "ing"))
        for place in reading.all("i")
        if reading.language == "en"
    )


def _has_name(reading: Reading, scene: Scene) -> bool:
    return any(word[:1].isupper() for word in reading.text.split()[1:])


_LASTING = Scale(
    (
        ("a lasting state", 10, has("present", "stative")),
        ("perhaps a verb in the present", 3, _guessed_verb),
        ("something definite as subject", 4, _is_definite),
        ("belongs to the speaker or the team", 4, has("own", "we")),
        ("about the speaker", 2, has("i")),
        ("a regular time or a date", 6, has("schedule", "date", "until")),
        ("a number", 4, has("number")),
        ("a measure", 4, has("limit")),
        ("and how much it is", 5, lambda reading, scene: reading.has("limit") and reading.has("number")),
        ("how it is done here", 6, _is_kept),
        ("what was found out", 9, has("finding")),
        ("who does what", 6, has("role")),
        ("what the speaker does", 6, _does_it),
        ("a language without a lexicon", 7, lambda reading, scene: not reading.language),
        ("an identifier", 4, lambda reading, scene: bool(_IDENTIFIER.search(reading.text))),
        ("a name", 3, _has_name),
        ("a standing word", 6, has("standing", "ruling", "necessity")),
        ("a reason", 3, has("because")),
        ("what fails by its nature", 4, is_habitual),
        ("a mishap of the speaker", -10, lambda reading, scene: reading.has("failure") and reading.has("i")),
        ("something that fails at the moment", -12, lambda reading, scene: reading.follows("present", "failure", 2)),
        ("in the middle of it", -12, _is_going_on),
        ("where somebody is", -7, has("place")),
        ("long enough to say something", 4, lambda reading, scene: reading.length >= 7),
        ("too short to say much", -10, lambda reading, scene: reading.length < 4),
        ("a story", -5, _is_story),
        ("so short that it is an impression", -6, _is_impression),
        ("of the moment", -8, has("moment")),
        ("once more", -5, has("again")),
        ("something that happened", -3, has("event")),
        ("a figure that an assistant reads out", -6, _is_read_out),
        ("a deed of the moment", -12, opens("progress")),
        ("how far it is", -8, has("status")),
        ("a deed without its doer", -10, _is_bare_participle),
        ("it, this, that", -8, lambda reading, scene: reading.opens("pronoun") and not reading.has("finding")),
        ("addressed to somebody", -7, has("you")),
        ("an opinion", -7, has("opinion")),
        ("would or could", -6, has("modal")),
        ("a mood", -8, has("hedge")),
        ("a joke", -8, has("joke")),
        ("reported", -4, has("reported")),
        ("an intention", -8, has("intent")),
        ("a situation", -10, lambda reading, scene: reading.has("situation") and reading.length < 14),
        ("an exclamation", -3, lambda reading, scene: reading.text.endswith("!")),
    )
)

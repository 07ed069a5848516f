"""How experience is told: the signs by which `lessons` weighs a sentence."""

from __future__ import annotations

from .reading import MARKS, Reading
from .scene import Scene

_STORY = 7  # words that it takes to tell a deed and what came of it
_SOON = 4  # words, within which a story begins with its deed
_STATES = frozenset(("stuck", "sick", "lost", "wrong", "late"))  # in which something is for a while
_DEEDS = {  # how verbs end that are the subject of a sentence
    "en": ("ing",),
    "fr": ("er", "ir", "re"),
    "es": ("ar", "er", "ir"),
    "it": ("are", "ere", "ire"),
    "pt": ("ar", "er", "ir"),
}


def fails_twice(reading: Reading, scene: Scene) -> bool:
    """In different places; "got stuck" is one."""
    failed = [*reading.all("failure"), *reading.all("mishap")]
    return bool(failed) and max(failed) - min(failed) > 1


def deed_is_subject(reading: Reading, scene: Scene) -> bool:
    """As in "Watering at noon burns the leaves", "Regar a mediodía quema las hojas"."""
    endings = _DEEDS.get(reading.language)
    if not endings or len(reading.first) < 4 or not reading.first.endswith(endings) or reading.opens("noun"):
        return False
    return not is_progress(reading, scene)


def deed_had_results(reading: Reading, scene: Scene) -> bool:
    """As in "Pruning in winter brought in silver leaf", told as past and without praise."""
    if not deed_is_subject(reading, scene) or reading.has("gain", "success", "opinion"):
        return False
    return any(_is_told_of_the_deed(place, reading) for place in range(reading.start + 2, len(reading.words)))


def _is_told_of_the_deed(place: int, reading: Reading) -> bool:
    """Whether the verb at this place is in the past, and the first word of the sentence its subject."""
    word, before = reading.words[place], place - 1
    if not reading.at(place, "resulted") and not (reading.language == "en" and len(word) > 4 and word.endswith("ed")):
        return False
    if reading.at(before, "article", "i", "we", "pronoun", "aux", "prep", "own"):
        return False
    return MARKS.isdisjoint(reading.words[reading.start : place]) and before > reading.start


def deed_has_results(reading: Reading, scene: Scene) -> bool:
    """As in "Storing them with apples makes them sprout"."""
    if not deed_is_subject(reading, scene) or reading.has("gain", "success", "opinion"):
        return False
    words = reading.words
    verbs = [place for place in range(reading.start + 2, len(words) - 1) if words[place].endswith("s")]
    if any(reading.at(place + 1, "pronoun", "affected") for place in verbs if words[place] not in MARKS):
        return True
    return any(reading.at(place + 1, "article", "own", "number", "no") for place in reading.all("results"))


def sets_it_off(reading: Reading, scene: Scene) -> bool:
    """As in "every time we batch more, the import hangs": what people do, not how the world is."""
    if not reading.opens("trigger") or not reading.has("failure", "mishap"):
        return False
    return any(reading.at(reading.start + step, "i", "we", "you") for step in (1, 2, 3))


def keeps_happening(reading: Reading, scene: Scene) -> bool:
    """As in "it kept editing generated files"."""
    words = reading.words
    if "kept" not in words and "keeps" not in words and "keep" not in words:
        return False
    places = (place for place, word in enumerate(words[:-1]) if word in ("kept", "keeps", "keep"))
    if reading.opens("own") and "kept" not in words:  # "my screen keeps flickering": a plea for help
        return False
    return any(words[place + 1].endswith("ing") and not reading.at(place - 1, "i", "we") for place in places)


def is_attributive(reading: Reading, scene: Scene) -> bool:
    """As in "deleted the broken branch": what failed is known, and is not told."""
    failed = list(reading.all("failure"))
    return bool(failed) and all(
        reading.words[place].endswith(("ed", "ing", "en"))
        and reading.at(place - 1, "article", "own")
        and place + 1 < len(reading.words)
        for place in failed
    )


def is_unfit(reading: Reading, scene: Scene) -> bool:
    """As in "it is too long for year two"."""
    words = reading.words
    if "too" not in words:
        return False
    places = (place for place, word in enumerate(words) if word == "too")
    return any(words[place + 2 : place + 3] in (("for",), ("to",)) for place in places)


def is_excused(reading: Reading, scene: Scene) -> bool:
    """As in "sorry, I mixed up the files", "that call was a waste of time", "I have to redo my photo"."""
    if reading.at(0, "apology") or (reading.has("intent") and not reading.has("regret", "attempt", "avoid")):
        return True
    return reading.has("regret") and reading.first in ("that", "this") and not reading.has("failure", "deed", "avoid")


def is_past(reading: Reading, scene: Scene) -> bool:
    return reading.has("past") and reading.has("deed", "attempt", "avoid", "we", "regret", "mishap")


def is_habitual(reading: Reading, scene: Scene) -> bool:
    """As in "the parser fails on umlauts"; "failed" may have been once."""
    return reading.language == "en" and any(
        reading.words[place].endswith("s") and not reading.at(place - 1, "article", "own", "number")
        for place in reading.all("failure")
    )


def was_found_out(reading: Reading, scene: Scene) -> bool:
    """As in "turns out you can't wash them"."""
    return reading.has("finding") and reading.has("lack", "failure", "mishap") and not reading.has("role")


def had_consequences(reading: Reading, scene: Scene) -> bool:
    """As in "..., which is why we count twice"."""
    return reading.has("aftermath") and reading.has("failure", "mishap", "lack")


def is_only_a_mishap(reading: Reading, scene: Scene) -> bool:
    return reading.has("mishap") and not reading.has("failure")


def is_told(reading: Reading, scene: Scene) -> bool:
    """As in "tied it with the old rope; it snapped": a deed first, and in a later clause what went wrong."""
    if not reading.has("failure", "mishap", "lack"):
        return False
    done = _first_deed(reading)
    if done - reading.start > _SOON:
        return False
    cut = next((place for place in range(done + 1, len(reading.words)) if _parts(place, reading)), None)
    if cut is None or any(place < cut for place in reading.all("failure")):
        return False
    return any(place > cut for name in ("failure", "mishap", "lack") for place in reading.all(name))


def had_an_effect(reading: Reading, scene: Scene) -> bool:
    """As in "we grouted at once and the tiles lifted": after the deed something else is the subject."""
    if reading.language != "en" or reading.length < _STORY or reading.has("gain", "success", "resolve"):
        return False
    done = _first_deed(reading)
    if done - reading.start > _SOON:
        return False
    cuts = [place for place in range(done + 2, len(reading.words) - 2) if _parts(place, reading)]
    return any(_tells_of_others(place + 1, reading) for place in cuts)


def _tells_of_others(place: int, reading: Reading) -> bool:
    """Whether a clause that begins here has a subject other than the speakers, and a verb in the past."""
    if reading.at(place, "i", "we", "deed", "pasttense", "prep"):
        return False
    later = range(place + 1, min(place + 6, len(reading.words)))
    return any(_is_deed(near, reading) or reading.at(near, "pasttense") for near in later)


def spoils_a_gain(reading: Reading, scene: Scene) -> bool:
    """As in "it is quicker, but the trailer gets stuck"."""
    return not reading.has("i") and reading.has("turn") and reading.before("turn", "failure") and reading.has("failure")


def is_known_when(reading: Reading, scene: Scene) -> bool:
    """As in "the sauce breaks as soon as it boils"."""
    failed = reading.earliest("failure")
    return not reading.has("i", "own") and any(failed < place for place in reading.all("trigger"))


def _first_deed(reading: Reading) -> int:
    """Where the first thing that was done stands: a verb in the past that opens, or follows who did it."""
    if reading.language == "en" and reading.first.endswith("ed") and not reading.opens("noun", "failure", "decided"):
        return reading.start
    doers = [reading.start - 1, *reading.all("i"), *reading.all("we"), *reading.all("pronoun")]
    reach = 3 if reading.language == "en" else 4
    near = (place for doer in doers for place in range(doer + 1, min(doer + reach, len(reading.words))))
    return min((place for place in near if _is_deed(place, reading)), default=len(reading.words))


def _is_deed(place: int, reading: Reading) -> bool:
    if reading.language == "en" and reading.words[place].endswith("ed"):
        return not reading.at(place, "decided", "failure") or reading.at(place, "deed")
    return reading.at(place, "deed") and not reading.at(place, "failure")


def _parts(place: int, reading: Reading) -> bool:
    return reading.words[place] in MARKS or reading.at(place, "sequel", "turn")


def is_reasoned_ban(reading: Reading, scene: Scene) -> bool:
    """As in "never stack them, they slip": why lies in the thing. Where it lies in the speaker it is a wish."""
    if scene.by_assistant or not reading.opens("warn") or reading.has("i", "own", "please"):
        return False
    marks = [place for place, word in enumerate(reading.words) if word in MARKS]
    return any(reading.at(place + 1, "pronoun", "article", "because", "otherwise") for place in marks)


def is_equation(reading: Reading, scene: Scene) -> bool:
    """As in "wet grass = trouble"."""
    return "=" in reading.words and reading.has("failure", "mishap")


def fails_right_now(reading: Reading, scene: Scene) -> bool:
    """As in "the gate is jammed": an incident, unless more is told; "the scale is unstable" tells how it is."""
    if reading.has("attempt", "regret", "avoid"):
        return False
    if reading.follows("present", "failure", 2) and "been" in reading.words:
        return True
    failed = (place for place in reading.all("failure") if reading.at(place - 1, "present"))
    return any(reading.words[place].endswith(("ed", "en")) or reading.words[place] in _STATES for place in failed)


def is_about_others_choice(reading: Reading, scene: Scene) -> bool:
    """As in "we switched to rail because the lorries came late": the reason of a decision."""
    why, chosen = reading.earliest("because"), min(reading.earliest("decided"), reading.earliest("resolve"))
    return chosen < why < min(reading.earliest("failure"), reading.earliest("mishap")) < len(reading.words)


def is_progress(reading: Reading, scene: Scene) -> bool:
    """As in "Uploading the file": without more, it goes on at the moment."""
    return reading.opens("progress") and reading.length < 8 and not reading.has("resulted", "results")


def by_the_speakers(reading: Reading, scene: Scene) -> bool:
    return reading.has("deed") and reading.has("i", "we", "own")


def came_from_a_deed(reading: Reading, scene: Scene) -> bool:
    """As in "I got blisters from wearing the new boots"; nobody says so of a gift."""
    words = reading.words
    froms = [place for place, word in enumerate(words[:-1]) if word == "from"] if reading.follows("i", "got", 2) else []
    return any(words[place + 1].endswith("ing") for place in froms)


def came_of_it(reading: Reading, scene: Scene) -> bool:
    tried = reading.earliest("attempt")
    marks = [place for place, word in enumerate(reading.words) if word in MARKS or reading.at(place, "turn")]
    return any(tried < place < len(reading.words) - 2 for place in marks)


def is_warned(reading: Reading, scene: Scene) -> bool:
    """Of a person it may be a wish."""
    return (
        scene.by_assistant and reading.has("warn") and (reading.has("because") or not MARKS.isdisjoint(reading.words))
    )


def says_what_to_do(reading: Reading, scene: Scene) -> bool:
    """As in "..., strip it first": an order after the statement."""
    orders = reading.all("imperative")
    return any(place > reading.start and reading.words[place - 1] in MARKS for place in orders)


def is_explained(reading: Reading, scene: Scene) -> bool:
    return reading.has("because") or any(mark in reading.words for mark in (";", ":", "->", "=>", "\u2192"))

"""Sentences that say by their words what they are. The first rule that fits gives the kind."""

from __future__ import annotations

from collections.abc import Callable

from .lessons import is_lesson, is_told_before_its_remedy
from .reading import MARKS, Reading
from .scene import Scene

Rule = Callable[[Reading, Scene], bool]


def kind_of(reading: Reading, scene: Scene) -> str | None:
    """The kind of a sentence with clear words; None for all others."""
    classes = reading.places.keys()
    for kind, needed, rule in RULES:
        if (not needed or not classes.isdisjoint(needed)) and rule(reading, scene):
            return kind
    return None


def _is_resolved(reading: Reading, scene: Scene) -> bool:
    """As in "we decided", "going with"; what speaks against the other choice may be told in the same breath."""
    if reading.has("attempt", "regret") or reading.length < 3 or is_told_before_its_remedy(reading):
        return False
    if reading.has("failure") and reading.first.endswith("ing"):  # "cutting corners ..." is what went wrong
        return False
    if reading.has("settled"):
        return reading.opens("settled") or not reading.opens("pronoun")
    if reading.follows("body", "resolve", 3) or reading.follows("body", "verdict", 3):
        return not reading.opens("pronoun", "i")
    return _is_done_by_us(reading, "resolve")


def _is_chosen(reading: Reading, scene: Scene) -> bool:
    """As in "oak it is"; of an assistant it only says that it has understood."""
    if scene.by_assistant:
        return False
    place = reading.earliest("itis")
    last = place + 2 >= len(reading.words) or reading.words[place + 2] in MARKS
    return reading.start < place <= reading.start + 4 and last


def _is_announced(reading: Reading, scene: Scene) -> bool:
    """As in "from Monday the ward uses paper charts": an outset and who does it from then on."""
    if scene.by_assistant or reading.has("i", "you", "please", "own", "unsure", "planned"):
        return False
    ordered = any(reading.at(reading.start + step, "imperative") for step in (1, 2, 3))
    return reading.opens("outset") and reading.length > 4 and not ordered


def _is_decided(reading: Reading, scene: Scene) -> bool:
    """As in "we switched to", told as no story of long ago."""
    if _is_own_work(reading, scene) or reading.has("past") or reading.length < 3:
        return False
    return _is_done_by_us(reading, "decided")


def _is_done_by_us(reading: Reading, name: str) -> bool:
    if reading.follows("negation", name, 2) or not reading.has(name):
        return False
    last = next(reversed(reading.places[name]))
    if any(reading.at(place, "pronoun") and not reading.at(place, "conjunction") for place in (last + 1, last + 2)):
        return False
    return reading.opens(name) or reading.follows("we", name, 4) or reading.follows("i", name, 4)


def _is_own_work(reading: Reading, scene: Scene) -> bool:
    """As in "Switching to the other branch", "I moved it to Monday": an assistant at work decides nothing."""
    return scene.by_assistant and (reading.first.endswith("ing") or reading.opens("i"))


def _is_ruling(reading: Reading, scene: Scene) -> bool:
    binds_others = scene.team or (scene.by_assistant and scene.named)
    return binds_others and not reading.has("i")


def _is_common_practice(reading: Reading, scene: Scene) -> bool:
    """As in "we plant clover", "we'll ship on Mondays": what a team does, or will do, is what it has decided."""
    if reading.has("moment", "past", "if"):
        return False
    deeds = (_is_deed_of(place, reading) for place in reading.all("we"))
    return any(deeds) or reading.follows("we", "necessity", 2)


def _is_deed_of(place: int, reading: Reading) -> bool:
    """Whether a verb in the present or future follows the "we" at this place."""
    words = reading.words[place : place + 3]
    if words[0] != "we" or len(words) < 2:
        return False
    if words[1] == "will":
        return len(words) > 2 and words[2].isalpha() and not reading.at(place + 2, "tentative")
    is_past = words[1].endswith("ed") or reading.at(place + 1, "pasttense")
    return words[1].isalpha() and not is_past and not reading.at(place + 1, "unresolved", "liking")


def _is_change(reading: Reading, scene: Scene) -> bool:
    return scene.team and not reading.has("i", "own", "schedule", "moment", "necessity")


def _is_preference(reading: Reading, scene: Scene) -> bool:
    if scene.by_assistant and not scene.named:
        return False
    if reading.has("calling", "likes") or reading.words[-2:] == ("any", "day"):
        return not reading.has("if")
    if reading.follows("party", "wants", 3) and not scene.by_assistant:
        return True
    mine = reading.follows("i", "liking", 4) or reading.follows("we", "liking", 4)
    return mine and not _is_vague(reading)


def _is_vague(reading: Reading) -> bool:
    """As in "I like it", "I want to ...", "I need a ...": of the moment."""
    return all(reading.at(place + 1, "vague") for place in reading.all("liking"))


def _is_always(reading: Reading, scene: Scene) -> bool:
    """Whether "always, ..." answers a question."""
    return bool(scene.asked) and not scene.by_assistant and reading.opens("ever") and reading.length > 2


def _is_standing_order(reading: Reading, scene: Scene) -> bool:
    """As in "always reply in Dutch", "no calls before ten": to whom it is said shall keep to it."""
    if scene.by_assistant or reading.opens("soothing") or _is_ban(reading, scene):
        return False
    if reading.opens("imperative", "avoid", "no", "request", "please") and reading.has("standing", "avoid", "no"):
        return reading.length > 2 and not (reading.length < 5 and reading.at(len(reading.words) - 1, "pronoun"))
    if reading.has("please") and reading.has("schedule", "no", "standing"):
        return True
    if reading.opens("imperative") and reading.follows("bound", "number", 1):
        return True
    return any(
        reading.at(place + 1, "imperative") and not reading.at(place - 1, "aux", "we", "i", "necessity")
        for place in reading.all("ever")
    )


def _is_ban(reading: Reading, scene: Scene) -> bool:
    """As in "no more paper tickets": said to a team, it is a decision."""
    return scene.team and reading.opens("no") and reading.length > 2 and not reading.has("i", "own", "please")


def _is_only(reading: Reading, scene: Scene) -> bool:
    """As in "window seats only": an answer or an order without its verb."""
    place = reading.earliest("only")
    if place - reading.start > 3:
        return False
    if place == reading.start:
        return not reading.has("present", "stative", "aux")
    is_last = place + 1 == len(reading.words) or reading.words[place + 1] in MARKS or reading.at(place + 1, "prep")
    return is_last and not any(reading.at(earlier, "present", "stative", "aux", "i", "we") for earlier in range(place))


def _is_my_wish(reading: Reading, scene: Scene) -> bool:
    return not scene.by_assistant and _is_only(reading, scene) and (reading.has("i") or not scene.team)


def _is_our_rule(reading: Reading, scene: Scene) -> bool:
    return scene.team and _is_only(reading, scene)


def _is_habit(reading: Reading, scene: Scene) -> bool:
    """As in "I only wear wool": how the speaker does it, not what once went wrong."""
    if scene.by_assistant or reading.has("attempt", "regret", "past"):
        return False
    return reading.follows("i", "habit", 2) and not reading.follows("i", "mind", 3)


def _is_calm_practice(reading: Reading, scene: Scene) -> bool:
    if reading.has("attempt", "regret", "past", "avoid", "loss") or is_told_before_its_remedy(reading):
        return False
    if reading.opens("trigger") and reading.has("failure", "mishap"):
        return False
    return _is_common_practice(reading, scene)


def _is_context(reading: Reading, scene: Scene) -> bool:
    """A time is named at which, or until which, something is so with the speaker."""
    if scene.by_assistant and not scene.named:
        return False
    if reading.has("until") and reading.has("present", "stative", "planned"):
        return True
    if reading.has("date") and reading.has("i", "we") and not reading.has("every", "promised", "identity"):
        return reading.before("i", "date") or not scene.team
    return reading.has("date", "schedule") and reading.has("i", "own", "we") and reading.has("planned")


def _is_identity(reading: Reading, scene: Scene) -> bool:
    if scene.by_assistant or reading.has("hedge", "situation", "intent", "moment"):
        return False
    return reading.has("identity") or (reading.follows("own", "kin", 2) and reading.has("present", "stative"))


# Kind, classes of which a sentence needs at least one (any sentence will do where there are none), and the rule.
RULES: tuple[tuple[str, frozenset[str], Rule], ...] = (
    ("preference", frozenset({"ever"}), _is_always),
    ("decision", frozenset({"resolve", "settled", "body"}), _is_resolved),
    ("decision", frozenset({"itis"}), _is_chosen),
    ("decision", frozenset({"outset"}), _is_announced),
    ("preference", frozenset({"habit"}), _is_habit),
    ("decision", frozenset({"we"}), _is_calm_practice),
    ("lesson", frozenset(), is_lesson),
    ("decision", frozenset({"decided"}), _is_decided),
    ("decision", frozenset({"ruling"}), _is_ruling),
    ("preference", frozenset({"liking", "likes", "calling", "wants", "anyday"}), _is_preference),
    ("context", frozenset({"date", "until", "schedule"}), _is_context),
    ("preference", frozenset({"standing", "avoid", "no", "ever", "bound", "please"}), _is_standing_order),
    ("decision", frozenset({"no"}), _is_ban),
    ("decision", frozenset({"we"}), _is_common_practice),
    ("preference", frozenset({"only"}), _is_my_wish),
    ("decision", frozenset({"only"}), _is_our_rule),
    ("decision", frozenset({"stays", "change"}), _is_change),
    ("fact", frozenset({"identity", "kin"}), _is_identity),
)

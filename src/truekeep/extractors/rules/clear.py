"""Sentences that say by their words what they are, however short they are: "I prefer tea", "we decided to wait"."""

from __future__ import annotations

from collections.abc import Sequence

from truekeep.language import Language
from truekeep.language.reading import Reading, read

from .scene import Scene
from .signs import is_deed_the_subject, is_request
from .vetoes import is_barred, is_doubtful

_WISH = 3  # words
_DEED = 4  # words: "posting now, perfect" is no deed that went well
_AMENDMENT = 7  # words: a longer one stands for itself
_HARM = ("failure", "mishap", "regret", "loss")


def clear_kind(reading: Reading, scene: Scene) -> str | None:
    """The kind of a sentence with clear words; None for all others, which are weighed."""
    if not scene.by_assistant and is_wished(reading):
        return "preference"
    if not scene.by_assistant and _warns(reading):
        return "lesson"
    if _is_proposed(reading, scene):
        return "decision"
    if is_request(reading):
        return "fact" if _is_amended(reading, scene) else None
    if _is_resolved(reading):
        return "decision"
    if scene.by_assistant:
        return None
    if reading.has("calling") or (reading.follows("i", "liking", 2) and not _is_vague(reading)):
        return None if reading.has("if", "moment", "modal", "you") else "preference"
    if reading.has("identity", "trait") and not reading.has("hedge", "situation", "intent", "moment", "modal"):
        return "fact"
    return "fact" if _is_amended(reading, scene) or (has_worked(reading) and not reading.has("pronoun", "i")) else None


def is_beyond_doubt(kind: str | None, reading: Reading) -> bool:
    """Whether clear words for this kind need nobody's consent: what one wants for good, what one is, "we decided"."""
    if kind == "decision":
        return reading.follows("we", "outright", 2)
    return kind in ("preference", "lesson") or (kind == "fact" and reading.has("trait") and not is_request(reading))


def has_worked(reading: Reading) -> bool:
    """As in "upgrading fixed the leak": what went well is no lesson, unless something went wrong before."""
    worked = reading.earliest("worked")
    if worked == len(reading.words) and is_deed_the_subject(reading) and reading.length > _DEED:
        worked = next((place for place in reading.all("gain") if place > reading.start), worked)
    return worked < len(reading.words) and all(worked < reading.earliest(name) for name in _HARM)


def is_of_success(reading: Reading) -> bool:
    """As in "it connects now, and all tests pass", "disabling it made it faster": nobody has to be warned of that."""
    return (reading.has("worked", "success") or has_worked(reading)) and not reading.has(*_HARM, "avoid", "moral")


def _warns(reading: Reading) -> bool:
    """As in "we tried Redis and it failed under load", "watch out, the left burner gets too hot"."""
    if reading.opens("beware") and not {",", ":"}.isdisjoint(reading.words[reading.start + 1 : reading.start + 4]):
        return reading.words[reading.start] != "whatever" or reading.has("avoid")  # whatever you do, don't restart it
    tried = min(reading.all("attempt"), default=len(reading.words))
    is_own = reading.follows("we", "attempt", 2) or reading.follows("i", "attempt", 2)
    return is_own and tried < reading.earliest("failure") < len(reading.words) and not reading.has("if", "modal")


def is_wished(reading: Reading) -> bool:
    """As in "never use emojis", "could you stop apologising?", "my preferred editor is Vim": it holds for good."""
    if reading.opens("own"):
        return reading.at(reading.start, "chosen") and reading.has("present")
    deed = _asked(reading)
    is_bare = reading.opens("no") and reading.has("style")  # "no emojis"
    if reading.has("moment") or (reading.length < _WISH and not is_bare):
        return False
    if not reading.at(deed, "imperative", "avoid", "orders"):
        return False
    following = reading.words[deed + 1] if deed + 1 < len(reading.words) else ""
    if reading.at(deed, "ceasing"):
        return following.endswith(reading.language.subject)
    if reading.has("manner"):
        return reading.has("standing", "avoid")
    if reading.has("style") and not reading.has("pronoun"):
        return reading.at(deed, "avoid", "usage")
    if reading.at(deed, "dismissed") or following.endswith(reading.language.subject):
        return False  # "never mind", "never living this down"
    return not reading.at(deed + 1, reading.language.past_words) and _is_for_good(reading, deed)


def _is_for_good(reading: Reading, deed: int) -> bool:
    """As in "always", "from now on"; not "explain it, I never understood it"."""
    return any(place <= deed or not reading.at(place - 1, "i", "we", "you") for place in reading.all("lasting"))


def _asked(reading: Reading) -> int:
    """Where it says what shall be done: after "please", "could you", "always"."""
    place = reading.start
    while reading.at(place, "please", "ever") or (reading.at(place, "request") and reading.at(place + 1, "you")):
        if reading.at(place, "avoid"):  # "never" is a request of its own
            break
        place += 2 if reading.at(place + 1, "you") else 1
    return place


def _is_proposed(reading: Reading, scene: Scene) -> bool:
    """As in "let's use Postgres", "Redis it is"."""
    if scene.by_assistant or reading.has("if", "modal"):
        return False
    if reading.has("proposal"):
        return not reading.has("moment", "pronoun")
    words = reading.words[:-1] if reading.words[-1:] == ("then",) else reading.words
    if words[-2:] != ("it", "is") or not 2 < reading.length < 7:
        return False
    return not reading.at(len(words) - 3, "unnamed")  # "there it is", "it is what it is"


def _is_amended(reading: Reading, scene: Scene) -> bool:
    """As in "actually make that 7500", "I'm not vegetarian any more", "no, to Mr Brandt, he does the books"."""
    if scene.by_assistant:
        return False
    if reading.has("amends"):
        return reading.has("number", "schedule", "date") or reading.length > 5
    if scene.asked and reading.start and reading.at(0, "no"):
        return reading.length > 4
    return reading.opens("i") and reading.has("negation") and reading.has("over")


def is_amendment(said: Sequence[str], language: Language, scene: Scene) -> bool:
    """Whether a message does nothing but correct what its speaker said just before: "sorry, I meant 11"."""
    reading = read(said[0], language)
    if len(said) > 1 or scene.asked or is_barred(reading) or is_doubtful(reading):
        return False
    is_slip = reading.has("slip") or (reading.has("apology") and reading.has("meaning"))
    return is_slip and 2 < reading.length < _AMENDMENT


def _is_vague(reading: Reading) -> bool:
    """As in "I like it", "I want to ...", "I need a ...": of the moment."""
    return all(reading.at(place + 1, "vague") or reading.at(place, "wants") for place in reading.all("liking"))


def _is_resolved(reading: Reading) -> bool:
    """As in "we decided", "we'll go with": not "we haven't decided", not "we settled that"."""
    if (
        reading.length < 3
        or reading.has("attempt", "regret", "if", "modal")
        or reading.follows("negation", "resolve", 2)
    ):
        return False
    if reading.follows("i", "decided", 2) and reading.has("reason"):
        return True
    last = max(reading.all("resolve"), default=-1)
    if last < 0 or reading.at(last + 1, "pronoun") or reading.at(last + 2, "pronoun"):
        return False
    return reading.follows("we", "resolve", 3)

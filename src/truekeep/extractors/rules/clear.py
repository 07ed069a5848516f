"""Sentences that say by their words what they are, however short they are: "I prefer tea", "we decided to wait"."""

from __future__ import annotations

from .reading import Reading
from .scene import Scene
from .signs import is_request


def clear_kind(reading: Reading, scene: Scene) -> str | None:
    """The kind of a sentence with clear words; None for all others, which are weighed."""
    if is_request(reading):
        return None
    if _is_resolved(reading):
        return "decision"
    if scene.by_assistant:
        return None
    if reading.has("calling") or (reading.follows("i", "liking", 2) and not _is_vague(reading)):
        return None if reading.has("if", "moment", "modal", "you") else "preference"
    if reading.has("identity") and not reading.has("hedge", "situation", "intent", "moment", "modal"):
        return "fact"
    return None


def _is_vague(reading: Reading) -> bool:
    """As in "I like it", "I want to ...", "I need a ...": of the moment."""
    return all(reading.at(place + 1, "vague") for place in reading.all("liking"))


def _is_resolved(reading: Reading) -> bool:
    """As in "we decided", "we'll go with": not "we haven't decided", not "we settled that"."""
    if (
        reading.length < 3
        or reading.has("attempt", "regret", "if", "modal")
        or reading.follows("negation", "resolve", 2)
    ):
        return False
    last = max(reading.all("resolve"), default=-1)
    if last < 0 or reading.at(last + 1, "pronoun") or reading.at(last + 2, "pronoun"):
        return False
    return reading.follows("we", "resolve", 3)

"""What stands before a statement: "remember that ...", "fyi ...", "Decision: ..."."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LEAD = r"(?:(?:ok|okay|so|also|and|but|well|oh|yes|btw|please|hey|one more thing)[,!:]?\s+){0,6}"
_REMEMBER = (
    r"(?:remember|note|keep in mind|bear in mind|don'?t forget|do not forget|for the record|for reference"
    r"|just so you know|heads[- ]up|one more thing|note to self|reminder|fyi|worth (?:remembering|noting|knowing)"
    r"|merke? dir|denk daran|bitte beachte|(?:nur )?zur info|souviens-toi|souvenez-vous|rappelle-toi|retiens"
    r"|note bien|pour info|pour information|recuerda|recuerde|ten en cuenta|toma nota|para que lo sepas|ricorda"
    r"|ricordati|tieni presente|per tua informazione|lembra(?:-te)?|lembre(?:-se)?|tenha em mente"
    r"|para sua informa\u00e7\u00e3o|onthoud|vergeet niet|ter info|let op|ps)"
)
_THAT = (
    r"(?:\s+(?:that|dass|que|che|dat|de que|di)\b\s*:?|\s*[:,\u2013\u2014-]"
    r"|\s+(?=(?:i|my|we|our|the|ich|wir|der|die|das|ik|wij)\b))"
)
_ASKED = re.compile(rf"{_LEAD}{_REMEMBER}{_THAT}\s*(?P<rest>\S.*)", re.IGNORECASE)
_CALLED = re.compile(r"@?(?P<name>\w[\w.-]{0,30})(?:,\s+|\s+(?=(?:can|could|would|please|will you)\b))(?P<rest>\S.*)")
_LABEL = re.compile(r"(?P<label>[^\s:.!?,;][^:.!?;]{1,58}):\s+(?P<rest>\S.*)")


@dataclass(slots=True)
class Opened:
    """A sentence and what stood before it."""

    content: str  # what is kept
    claim: str  # what is judged: the content without its label
    label: str = ""
    asked: bool = False  # somebody asked to remember it


def opened(sentence: str, names: frozenset[str] = frozenset()) -> Opened:
    """Cut off the request to remember, and set a label, or the name of who is spoken to, apart."""
    plain = sentence.replace("\u2019", "'")
    asked = _ASKED.match(plain)
    content = sentence[asked.start("rest") :] if asked else sentence
    label = _LABEL.match(content) if ":" in content else None
    if label and label["label"].count(" ") < 7:
        return Opened(content, label["rest"], label["label"], asked is not None)
    called = _CALLED.match(content) if names else None
    if called and called["name"].lower() in names:
        return Opened(content, called["rest"], asked=asked is not None)
    return Opened(content, content, asked=asked is not None)

"""What stands before a statement: "remember that ...", "fyi ...", "Decision: ..."."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from truekeep.language import phrases_of

_LABEL = re.compile(r"(?P<label>[^\s:.!?,;][^:.!?;]{1,58}):\s+(?P<rest>\S.*)")

_BARE = re.compile(r"[\W\d_]+")  # "My new number: 555-0199" is no label, but says it all


@dataclass(slots=True)
class Opened:
    """A sentence and what stood before it."""

    content: str  # what is kept
    claim: str  # what is judged: the content without its label
    label: str = ""
    asked: bool = False  # somebody asked to remember it


def _one_of(name: str) -> str:
    return f"(?:{'|'.join(phrases_of('opening', name))})"


@cache
def _asked() -> re.Pattern[str]:
    """A request to remember, and what is to be remembered."""
    lead = rf"(?:{_one_of('lead')}[,!:]?\s+){{0,6}}"
    that = rf"(?:\s+{_one_of('that')}\b\s*:?|\s*[:,\u2013\u2014-]|\s+(?={_one_of('subjects')}\b))"
    return re.compile(rf"{lead}{_one_of('remember')}{that}\s*(?P<rest>\S.*)", re.IGNORECASE)


@cache
def _called() -> re.Pattern[str]:
    """The name of who is spoken to, and what is said."""
    return re.compile(rf"@?(?P<name>\w[\w.-]{{0,30}})(?:,\s+|\s+(?={_one_of('called')}\b))(?P<rest>\S.*)")


def opened(sentence: str, names: frozenset[str] = frozenset()) -> Opened:
    """Cut off the request to remember, and set a label, or the name of who is spoken to, apart."""
    plain = sentence.replace("\u2019", "'")
    asked = _asked().match(plain)
    content = sentence[asked.start("rest") :] if asked else sentence
    label = _LABEL.match(content) if ":" in content else None
    if label and label["label"].count(" ") < 7 and not _BARE.fullmatch(label["rest"]):
        return Opened(content, label["rest"], label["label"], asked is not None)
    called = _called().match(content) if names else None
    if called and called["name"].lower() in names:
        return Opened(content, called["rest"], asked=asked is not None)
    return Opened(content, content, asked=asked is not None)

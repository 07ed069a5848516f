"""The sentences of a text. Everything here is linear."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from .words import languages

_BULLET = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_CLOSING = "\"'\u201d\u2019)]*_"
_ENDS = ".!?\u2026"
# A line break with the blanks around it; each run of blanks is looked at once, from its beginning.
_BREAK = r"(?<![^\S\n])[^\S\n]*+\n\s*+"
_GAP = re.compile(rf"{_BREAK}|(?<=[{_ENDS}{re.escape(_CLOSING)}])[^\S\n]+|(?<=[\u3002\uff01\uff1f])")
_ORDINAL = re.compile(r"\d{1,2}\.")
_MONTH = re.compile(
    "jan|feb|mär|maer|apr|mai|jun|jul|aug|sep|okt|nov|dez|montag|dienst|mitt|donners|freitag|samstag|sonntag",
    re.IGNORECASE,
)
_WRAPPED = 45  # characters: a shorter line was ended on purpose


def sentences(text: str) -> Iterator[str]:
    """The sentences, white space within them made single; bullets and numbers of lists are dropped."""
    start = 0
    for gap in _GAP.finditer(text):
        if _ends(text, start, gap):
            yield from _clean(text[start : gap.start()])
            start = gap.end()
    yield from _clean(text[start:])


def _ends(text: str, start: int, gap: re.Match[str]) -> bool:
    """Whether a sentence ends at this gap."""
    if not gap.group():
        return True
    before = text[max(start, gap.start() - 40) : gap.start()]
    bare = before.rstrip(_CLOSING)
    following = text[gap.end() : gap.end() + 12]
    if "\n" in gap.group():
        return _ends_line(text, start, gap, bare, following)
    if not bare.endswith(tuple(_ENDS)):
        return False
    word = bare.rsplit(None, 1)[-1].lstrip("(\"'\u201c")
    if word.lower() == "no." and following[:1].isdigit():
        return False
    if _ORDINAL.fullmatch(word) and (following[:1].islower() or _MONTH.match(following)):
        return False
    return word.lower() not in _abbreviations() and not (len(word) == 2 and word[0].isupper() and word[1] == ".")


@cache
def _abbreviations() -> frozenset[str]:
    """In any language: few texts are in one alone."""
    return frozenset(word for known in languages().values() for word in known.tables.get("abbreviations", "").split())


def _ends_line(text: str, start: int, gap: re.Match[str], bare: str, following: str) -> bool:
    """A lower letter goes on with a wrapped line; a short line was not wrapped, unless the next one is indented."""
    if bare.endswith((*_ENDS, ":", ";")) or gap.group().count("\n") > 1 or not following[:1].islower():
        return True
    is_short = gap.start() - max(text.rfind("\n", start, gap.start()), start) < _WRAPPED
    return is_short and not gap.group().rpartition("\n")[2]


def _clean(sentence: str) -> Iterator[str]:
    cleaned = " ".join(sentence.split())
    bullet = _BULLET.match(cleaned)
    cleaned = cleaned[bullet.end() :] if bullet else cleaned
    if cleaned:
        yield cleaned

"""What a question says of times, of who asks and of what to avoid, in English, where its language says it otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from .guess import is_english, language_of
from .words import ENGLISH, Language, language

_UNSPACED = "\u2e80"  # scripts from here on have no blanks between words
_READ = 4_000  # characters of a question
_GAP = " ; "  # where words were left out, no form of English may reach across
_MINE = ("i", "we", "own")  # classes


def glossed(text: str) -> tuple[str, str]:
    """The English of what is known of a question, and the rest of it; of one in English all of it, and nothing."""
    if is_english(text):
        return text, ""
    pattern, english = _glossary(language_of([text]))
    said, rest, end = "", "", 0
    lowered = text[:_READ].lower()
    for found in pattern.finditer(lowered):
        between = lowered[end : found.start()]
        said += " " if re.fullmatch(r"[\s.,]*", between) else _GAP
        said += english.get(" ".join(found.group().split()), found.group())
        rest += between + " "
        end = found.end()
    return said.strip(), rest + lowered[end:]


@cache
def _glossary(spoken: Language) -> tuple[re.Pattern[str], Mapping[str, str]]:
    english = dict(_listed(spoken))
    phrases = sorted(english, key=lambda phrase: (-len(phrase), phrase))
    bounded = (rf"\b{re.escape(phrase)}\b" if phrase[0] < _UNSPACED else re.escape(phrase) for phrase in phrases)
    return re.compile("|".join([*bounded, r"\b\d{1,4}\b"]).replace(r"\ ", r"\s+")), english


def _listed(spoken: Language) -> Iterator[tuple[str, str]]:
    """Phrases and their English; what the file says of questions goes before its calendar and its classes."""
    for name in _MINE:
        for phrase in spoken.tables.get("classes", {}).get(name, "").split(","):
            if phrase.strip():
                yield " ".join(phrase.split()), "my"
    for name in ("weekdays", "months"):
        groups = (spoken.tables["calendar"][name].split(","), language(ENGLISH).tables["calendar"][name].split(","))
        for group, ours in zip(*groups, strict=True):
            for word in group.split():
                yield word, ours.split()[0].capitalize()
    for meaning, listed in spoken.tables.get("asked", {}).items():
        for phrase in listed.split(","):
            yield " ".join(phrase.split()), meaning

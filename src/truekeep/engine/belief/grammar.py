"""What the words of a statement do in it: those that its language's file lists, folded as statements are compared.

Small on purpose: numbers, names, dates and the words that two statements share decide most pairs. A word is listed when
it holds sentences together, or says *that* something changed, ended, was added, stayed or was denied. The same letters
mean different things in different languages ("a", "no", "die", "war"), so a statement is read with the words of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from truekeep.language import ENGLISH, OTHER, Language, language, language_of
from truekeep.normal_forms import fold

_TELLING = 400  # characters that are enough to tell a language
# What other readers know as classes of words, and what these do here.
_CLASSES = {
    "small": ("i", "we", "own", "you", "pronoun", "article", "aux", "wh"),
    "binding": ("present", "aux", "modal"),
    "verbs": ("present", "stative", "aux", "modal", "pasttense", "resulted", "results"),
    "mine": ("i",),
    "ours": ("we",),
    "yours": ("you",),
    "again": ("again",),
    "denied": ("negation", "no"),
    "taste": ("liking",),
    "stays": ("stays",),
}
_LISTED = (
    *(
        "changed",
        "ended",
        "against",
        "fond",
        "liked",
        "added",
        "many",
        "single",
        "speaking",
        "paid",
        "several",
        "opposed",
    ),
    *("scoping", "noise", "bounds"),
)
_PHRASES = ("over", "changed", "ended", "ceased", "reminded", "retracted", "tentative", "worked", "reserved", "obliged")


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """The words and phrases of a language, by what they do."""

    language: Language
    words: Mapping[str, frozenset[str]]
    phrases: Mapping[str, re.Pattern[str]]
    any_phrase: re.Pattern[str]  # most clauses hold none, and are told by one search

    def is_verb(self, word: str) -> bool:
        return word in self.words["verbs"] or self.language.past.fullmatch(word) is not None

    @property
    def is_english(self) -> bool:
        return self.language.code == ENGLISH


def grammar_of(text: str) -> Grammar:
    """The words to read a text with; English in doubt. Names tell of no other language: Ben is a man, not Dutch."""
    first, *words = text[:_TELLING].split() or [""]
    plain = " ".join([first, *(word for word in words if not word[0].isupper())])
    return _grammar(language_of([plain], before=language(ENGLISH)))


@cache
def _grammar(known: Language) -> Grammar:
    table = known.tables.get("change", {})
    words = {
        name: frozenset(map(fold, (*table.get(name, "").split(), *_single(known, _CLASSES.get(name, ())))))
        for name in (*_CLASSES, *_LISTED)
    }
    words["small"] |= frozenset(map(fold, known.common))
    phrases = _phrases(known)
    return Grammar(known, words, phrases, re.compile("|".join(one.pattern for one in phrases.values())))


def _single(known: Language, classes: tuple[str, ...]) -> Iterator[str]:
    """The entries of these classes that are one word."""
    entries = (entry.split() for name in classes for entry in known.tables.get("classes", {}).get(name, "").split(","))
    return (entry[0] for entry in entries if len(entry) == 1)


def _phrases(known: Language) -> dict[str, re.Pattern[str]]:
    """By what they do: one pattern for all that do it, as a boundary in each of them would take ten times as long."""
    spaced, unspaced = (one.tables.get("change", {}).get("phrases", {}) for one in (known, language(OTHER)))
    found = {}
    for name in _PHRASES:
        own = "".join(line.strip() for line in spaced.get(name, "").splitlines())
        anywhere = unspaced.get(name, "")  # scripts without blanks stand in any text
        found[name] = re.compile("|".join(filter(None, (own and rf"\b(?:{fold(own)})", anywhere))) or "(?!)")
    return found

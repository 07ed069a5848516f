"""Which language a message is in: told by its most frequent words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from .words import ENGLISH, OTHER, Language, languages

# A letter after an apostrophe is no word: "what's", "Ana's"; one before it is, in "l'homme".
_WORD = re.compile(r"(?<!['\u2019])[^\W\d_]+|(?<=['\u2019])[^\W\d_]{2,}")
_ENOUGH = 600  # characters
_FOREIGN = re.compile(r"[^\W\d_a-zA-Z]")
_SURE, _SHARE = 1.5, 0.25  # so many of its words, and of all words, tell a language
_CLEAR = 0.3  # so many of all words, if no other language has them
# Some English words that no other language of the package has: for many questions they do, and no file is read.
_ENGLISH_ONLY = """
about and are can could did does for from has have how it my of our should that the this what when why with you your
"""
_PLAIN = frozenset(_ENGLISH_ONLY.split())
_ASKING = ("?", "\uff1f")
_USUAL = 0.4  # what speaks for the language that was spoken before


def language_of(
    said: Sequence[str], *, before: Language | None = None, among: Mapping[str, Language] | None = None
) -> Language:
    """The language of a message; where its words do not tell, the one `before` it, or English.

    Args:
        said: its sentences.
        before: the language of the message before.
        among: the languages to choose from; those of the package unless given.
    """
    known = languages() if among is None else among
    usual, other = before or known[ENGLISH], known[OTHER]
    signs = _signs(tuple(known.values()))
    written = " ".join(said)[:_ENOUGH]
    text = written.lower()
    words = _WORD.findall(text)
    if usual.code == ENGLISH and sum(map(signs.plain.__contains__, words)) >= max(_SURE, _CLEAR * len(words)):
        return usual  # the usual case, told in a moment
    counts = dict.fromkeys(known, 0.0)
    for word in words:
        for code, weight in signs.speakers.get(word, ()):
            counts[code] += weight
    is_foreign = not signs.unknown.isdisjoint(text)
    if is_foreign:  # a name may have such letters in any language, and begins with a capital
        common = (word for word in _WORD.findall(written) if word[0].islower())
        counts[OTHER] += sum(not signs.unknown.isdisjoint(word) for word in common)
    best = max(counts, key=lambda code: counts[code] + (_USUAL if code == usual.code else 0))
    if counts[best] >= max(_SURE, _SHARE * len(words)) and not (best != ENGLISH and is_foreign):
        return known[best]
    if text.endswith(_ASKING) and words and (asker := signs.askers.get(words[0])) and counts[ENGLISH] < _SURE:
        return known[asker]
    if is_foreign or (before in (None, other) and _FOREIGN.search(text)):
        return other
    return usual


def is_english(text: str) -> bool:
    """Whether a text is English, or too short to tell."""
    if text.isascii():
        words = _WORD.findall(text[:_ENOUGH].lower())
        if len(words) < _SURE or sum(map(_PLAIN.__contains__, words)) >= max(_SURE, _CLEAR * len(words)):
            return True
    return language_of([text]).code == ENGLISH


class _Signs(NamedTuple):
    speakers: dict[str, tuple[tuple[str, float], ...]]  # which languages a word speaks for, and how loudly
    plain: frozenset[str]  # English words that no other language has
    unknown: frozenset[str]  # letters that no language has
    askers: dict[str, str]  # words that a question begins with in one language, and which that is


@cache
def _signs(known: Sequence[Language]) -> _Signs:
    found: dict[str, dict[str, float]] = {}
    named = [language for language in known if language.code != OTHER]
    for language in named:
        for word in language.known:
            found.setdefault(word, {})[language.code] = 0.7
    for language in known:
        for word in language.common:
            found.setdefault(word, {})[language.code] = 1.0
    plain = frozenset(word for word, weights in found.items() if weights == {ENGLISH: 1.0})
    askers = {
        word.strip(): language.code
        for language in known
        if language.code != ENGLISH
        for word in language.tables.get("classes", {}).get("asks", "").split(",")
        if ENGLISH not in found.get(word.strip(), {})
    }
    letters = {language.code: frozenset(language.tables.get("letters", "")) for language in known}
    return _Signs(
        speakers={word: tuple(weights.items()) for word, weights in found.items()},
        plain=plain,
        unknown=letters[OTHER].difference(*(letters[language.code] for language in named)),
        askers=askers,
    )

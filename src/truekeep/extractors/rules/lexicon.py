"""`Lexicon`: which words and phrases of a language belong to which class.

Classes are looked up word by word in a dictionary, so reading takes time linear in the text whatever it says; a pattern
with hundreds of alternatives would not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

# Cue words that are recognised with a slip of the finger in them; of others a slip may be another word.
_TOLERANT = frozenset(("liking", "likes", "resolve", "decided", "standing", "ruling", "attempt"))
_LONG_ENOUGH = 5


@dataclass(slots=True)
class Entry:
    """The classes of a word, and the phrases that begin with it by their second word: the words after, the class."""

    classes: list[str] = field(default_factory=list)
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)  # there is one of each: it may be a key
class Lexicon:
    """The classes of one language, ready to look up."""

    code: str
    common: frozenset[str]  # words so frequent that they tell the language
    splits: Mapping[str, tuple[str, ...]]  # what is read as other words: "dont", "w/o"
    entries: Mapping[str, Entry]


def lexicon(code: str, common: str, classes: Mapping[str, str], splits: Mapping[str, str] | None = None) -> Lexicon:
    """The lexicon of classes of words and phrases, which are parted by commas."""
    known = frozenset(common.split())
    entries: dict[str, Entry] = {}
    for name, listed in classes.items():
        for phrase in listed.split(","):
            first, *rest = phrase.split()
            entry = entries.setdefault(first, Entry())
            if rest:
                entry.phrases.setdefault(rest[0], []).append((tuple(rest[1:]), name))
            elif name not in entry.classes:
                entry.classes.append(name)
    for word, entry in list(entries.items()):
        if not _TOLERANT.isdisjoint(entry.classes):
            for slip in set(_slips(word)) - known:
                entries.setdefault(slip, entry)
    full = {slip: tuple(words.split()) for slip, words in (splits or {}).items()}
    return Lexicon(code=code, common=known, splits=full, entries=entries)


def _slips(word: str) -> Iterator[str]:
    """The word with one letter left out, doubled or swapped; the first one people get right."""
    if len(word) < _LONG_ENOUGH:
        return
    for place in range(1, len(word)):
        yield word[:place] + word[place] + word[place:]
        if len(word) > _LONG_ENOUGH:
            yield word[:place] + word[place + 1 :]
        if place + 1 < len(word):
            yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]

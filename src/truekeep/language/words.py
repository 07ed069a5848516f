"""`Language`: what the file of a language says, read when it is first asked for.

Classes of words are looked up word by word in a dictionary, so reading takes time linear in the text whatever it says;
a pattern with hundreds of alternatives would not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from truekeep.lazy import lazy

ENGLISH, OTHER = "en", "und"  # ISO 639; "und" is none that is known
# Cue words that are recognised with a slip of the finger in them; of others a slip may be another word.
_TOLERANT = frozenset(("liking", "likes", "resolve", "decided", "standing", "ruling", "attempt"))
_LONG_ENOUGH = 5
_NEVER = "(?!)"
_CALENDAR = re.compile(r"^\[calendar\]$.*?(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
# Classes of words that say nothing of what is asked about.
_EMPTY = ("i", "we", "own", "you", "pronoun", "article", "asks", "present", "modal", "because", "if")


@dataclass(slots=True)
class Entry:
    """The classes of a word, and the phrases that begin with it by their second word: the words after, the class."""

    classes: list[str] = field(default_factory=list)
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = field(default_factory=dict)


class Language:
    """One language. There is one of each: it may be a key."""

    def __init__(self, code: str, tables: Mapping[str, Any]) -> None:
        self.code = code
        self.tables = tables  # as the file has them

    def __repr__(self) -> str:
        return f"Language({self.code!r})"

    @lazy
    def common(self) -> frozenset[str]:
        """Words so frequent that they tell the language."""
        return frozenset(self.tables.get("common", "").split())

    @lazy
    def stop_words(self) -> frozenset[str]:
        """Words that say nothing of what is asked about."""
        listed = ",".join(self._classes.get(name, "") for name in _EMPTY).split(",")
        return self.common.union(word.strip() for word in listed if word.strip())

    @lazy
    def known(self) -> frozenset[str]:
        """The words with which an entry begins."""
        return frozenset(phrase.split()[0] for listed in self._classes.values() for phrase in listed.split(","))

    @lazy
    def splits(self) -> Mapping[str, tuple[str, ...]]:
        """What is read as other words: "dont", "w/o"."""
        return {word: tuple(full.split()) for word, full in self.tables.get("splits", {}).items()}

    @lazy
    def suffixes(self) -> Mapping[str, str]:
        """Endings that are words of their own: "n't"."""
        return dict(self.tables.get("suffixes", {}))

    def full(self, word: str) -> tuple[str, ...]:
        """A word with its contractions in full: don't is do not, j'aime is j aime."""
        if word in self.splits:
            return self.splits[word]
        if "'" not in word:
            return (word,)
        if not self.suffixes:
            return tuple(part for part in word.split("'") if part)
        for suffix, full in self.suffixes.items():
            if word.endswith(suffix):
                return (word.removesuffix(suffix), full)
        return (word,)

    @lazy
    def entries(self) -> Mapping[str, Entry]:
        """The classes of all words, slips of the finger included."""
        entries: dict[str, Entry] = {}
        for name, listed in self._classes.items():
            for phrase in listed.split(","):
                first, *rest = phrase.split()
                entry = entries.setdefault(first, Entry())
                if rest:
                    entry.phrases.setdefault(rest[0], []).append((tuple(rest[1:]), name))
                elif name not in entry.classes:
                    entry.classes.append(name)
        for word, entry in list(entries.items()):
            if not _TOLERANT.isdisjoint(entry.classes):
                for slip in set(_slips(word)) - self.common:
                    entries.setdefault(slip, entry)
        return entries

    @lazy
    def past(self) -> re.Pattern[str]:
        """Verbs that tell of something past."""
        return re.compile(self._verbs.get("past", _NEVER))

    @lazy
    def past_words(self) -> str:
        """The class whose words do so as well."""
        return str(self._verbs.get("past_words", "deed"))

    @lazy
    def fancied(self) -> re.Pattern[str]:
        """Verbs that tell what would be, where an "if" stands before them."""
        return re.compile(self._verbs.get("fancied", _NEVER))

    @lazy
    def unmeant(self) -> re.Pattern[str]:
        """What says, in a script without blanks between words, that something is not meant."""
        return re.compile(self.tables.get("unmeant", _NEVER).strip())

    @lazy
    def subject(self) -> tuple[str, ...]:
        """How verbs end that are the subject of a sentence."""
        return tuple(self._verbs.get("subject", "").split())

    @property
    def _classes(self) -> Mapping[str, str]:
        classes: Mapping[str, str] = self.tables.get("classes", {})
        return classes

    @property
    def _verbs(self) -> Mapping[str, str]:
        verbs: Mapping[str, str] = self.tables.get("verbs", {})
        return verbs


@cache
def languages(folder: Path = Path(__file__).parent) -> Mapping[str, Language]:
    """All languages that have a file, by their codes."""
    import tomllib  # here and not above: whoever only asks in English needs none of them

    files = sorted(folder.glob("*.toml"))
    return {file.stem: Language(file.stem, tomllib.loads(file.read_text(encoding="utf-8"))) for file in files}


def calendars(folder: Path = Path(__file__).parent) -> Mapping[str, Mapping[str, Any]]:
    """The table `calendar` of every language, by their codes; the rest of a file takes ten times as long to read."""
    import tomllib

    found = ((file.stem, _CALENDAR.search(file.read_text(encoding="utf-8"))) for file in sorted(folder.glob("*.toml")))
    return {code: tomllib.loads(table[0])["calendar"] for code, table in found if table}


def language(code: str) -> Language:
    """One of the package's own languages."""
    return languages()[code]


def phrases_of(table: str, name: str) -> list[str]:
    """What the files of all languages list under this name of a table, longest first, ready to be part of a pattern."""
    listed = (known.tables.get(table, {}).get(name, "") for known in languages().values())
    found = {re.escape(" ".join(phrase.split())) for text in listed if text for phrase in text.split(",")}
    return sorted(found, key=lambda phrase: (-len(phrase), phrase))


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

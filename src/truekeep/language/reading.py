"""A sentence cut into words, values and marks; and as a `Reading`: where the classes of words stand in it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from .words import OTHER, Language

WORDS = frozenset(("plain", "word"))  # kinds
NUMBERS = frozenset(("time", "date", "phone", "ordinal", "number"))

_TOKEN = re.compile(
    r"(?P<plain>\b[a-z]+(?=[\s,;:!?)]|\.?\s|\.?$))"  # what most are, before anything that costs more to tell
    r"|(?P<address>[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}|https?://\S{1,200}|(?<!\w)[#/][a-z][\w./-]{1,80})"
    r"|(?P<time>\b\d{1,2}(?::\d{2}|h\d{2})(?:\s?[ap]m)?\b|\b\d{1,2}\s?(?:[ap]m|uhr)\b)"
    r"|(?P<date>\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b)"
    r"|(?P<phone>\+?\b\d{2,5}(?:[ /-]\d{2,4}){2,5}\b|\b0\d{2,4}[ /-]\d{3,8}\b)"
    r"|(?P<ordinal>\b\d{1,2}(?:st|[nr]d|th)\b)"
    r"|(?P<number>(?:(?<![\w.)-])[-+\u2212])?[$\u20ac\u00a3]?\d+(?:[.,']\d+)*(?:e-?\d+)?(?:\s?%|\s?\u20ac|[km]\b)?)"
    r"|(?P<code>`[^`\n]{1,80}`|\b[a-z]++(?:-[a-z]++)*-?[_\d](?:[\w.-]*\w)?)"
    r"|(?P<cjk>[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7ff]+)"
    r"|(?P<word>\b[a-z]/[a-z]?(?!\w)|[^\W\d_]+(?:['-][^\W\d_]+)*[+#]{0,2})"
    r"|(?P<mark>:(?=\s|$)|[-=]>|\u2192|[=>,;&/()\u2013\u2014]|(?<=\s)-(?=\s))"
)
_QUOTED = re.compile(
    "|".join(f"{a}[^{b}]{{1,400}}{b}" for a, b in ('""', "``", "\u201c\u201d", "\u00ab\u00bb", "\u201e\u201c"))
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")  # scripts that put no spaces between words
MARKS = frozenset((*",;:()=-\u2013\u2014>\u2192", "->", "=>"))
_JOINING = ("&", "/")  # words that are one: monday/tuesday
_DAYS = ("date", "ordinal")
_SUBJECTS = ("i", "we", "you", "pronoun", "article", "asks")
_REPEATED = 12  # characters

Places = dict[str, dict[int, None]]  # class -> where it stands, in order; a dict is a set that keeps it


@dataclass(slots=True)  # not frozen: that takes longer to make, and there is one for every sentence
class Reading:
    """One sentence, read."""

    text: str
    words: tuple[str, ...]  # lower case, contractions in full, marks between them
    places: Places
    start: int  # the first word after "ok", "and", "well, ..."
    opening: set[str]  # the classes of that word
    language: Language
    length: int  # how many words, openers and marks not counted
    quoted: bool  # holds somebody else's sentence in quotation marks; it is not among the words

    def has(self, *classes: str) -> bool:
        """Whether a word of any of the classes occurs."""
        return not self.places.keys().isdisjoint(classes)

    def opens(self, *classes: str) -> bool:
        """Whether it begins with a word of one of the classes."""
        return not self.opening.isdisjoint(classes)

    def at(self, place: int, *classes: str) -> bool:
        """Whether the word at this place is of one of the classes."""
        places = self.places
        for name in classes:  # noqa: SIM110  # a loop takes half the time of any()
            if name in places and place in places[name]:
                return True
        return False

    def all(self, name: str) -> Iterable[int]:
        """Where words of this class stand, in order."""
        return self.places.get(name, ())

    def earliest(self, name: str) -> int:
        """Where the first word of this class stands; after the end where there is none."""
        return next(iter(self.places.get(name, ())), len(self.words))

    def follows(self, first: str, then: str, within: int = 4) -> bool:
        """Whether a word of class `then` stands at most so many words after one of class `first`."""
        later = self.places.get(then)
        if later is None or first not in self.places:
            return False
        return any(place + step in later for place in self.places[first] for step in range(1, within + 1))

    def before(self, first: str, then: str) -> bool:
        """Whether the first word of class `first` stands before the first one of class `then`, if there is one."""
        return self.earliest(first) < self.earliest(then)

    @property
    def first(self) -> str:
        return self.words[self.start] if self.start < len(self.words) else ""

    @property
    def is_question(self) -> bool:
        """Also one without its mark, as people type: "why is the gate open"."""
        if self.text.rstrip("\"')\u201d ").endswith("?") or self.opens("asks"):
            return True
        following = self.start + 1
        if self.opens("wh"):
            return self.at(following, "aux") or (self.opens("which") and self.at(following + 1, "aux"))
        return self.opens("aux") and not self.opens("if") and self.at(following, *_SUBJECTS)


def cut(text: str) -> Iterator[re.Match[str]]:
    """The tokens of a sentence in lower case, in its order; the name of the group that matched is the kind of each."""
    return _TOKEN.finditer(text)


def read(text: str, language: Language) -> Reading:
    """Read a sentence of at most some thousand characters."""
    return _read_again(text, language) if len(text) <= _REPEATED else _read(text, language)


@lru_cache(maxsize=1024)
def _read_again(text: str, language: Language) -> Reading:
    """What is as short as "ok", "thanks" or "on it" is said again and again."""
    return _read(text, language)


def _read(text: str, language: Language) -> Reading:
    plain = text.replace("\u2019", "'")
    own = _QUOTED.sub(_without_claims, plain) if '"' in plain or "`" in plain or not plain.isascii() else plain
    words, numbers = _words(own.lower(), language)
    places = _places(words, numbers, language)
    start = _start(words, places)
    length = len(words) - start - sum(map(words[start:].count, MARKS.intersection(words)))
    if language.code == OTHER:
        length = max(length, len(_UNSPACED.findall(text)) // 2)
    opening = {name for name, found in places.items() if start in found}
    return Reading(text, words, places, start, opening, language, length, len(own) != len(plain))


def _without_claims(quoted: re.Match[str]) -> str:
    """A name in quotation marks is part of what is said, a whole sentence in them is not."""
    return quoted.group() if quoted.group().count(" ") < 3 else " "


def _words(text: str, language: Language) -> tuple[tuple[str, ...], Places]:
    """The words and marks of a text, and where numbers and dates are among them."""
    words: list[str] = []
    numbers: Places = {}
    splits = language.splits
    for token in cut(text):
        kind, found = token.lastgroup, token[0]
        if kind == "plain" and found not in splits:
            words.append(found)
        elif kind in WORDS:
            words += filter(None, language.full(found))
        elif found not in _JOINING:
            if kind in NUMBERS:
                numbers.setdefault("number", {})[len(words)] = None
            if kind in _DAYS:
                numbers.setdefault("date", {})[len(words)] = None
            words += found.strip("`").split()
    return tuple(words), numbers


def _places(words: tuple[str, ...], numbers: Places, language: Language) -> Places:
    places: Places = defaultdict(dict, numbers)
    known = language.entries.get
    for place, word in enumerate(words):
        entry = known(word)
        if entry is None:
            continue
        for name in entry.classes:
            places[name][place] = None
        if entry.phrases and place + 1 < len(words) and words[place + 1] in entry.phrases:
            for rest, name in entry.phrases[words[place + 1]]:
                if not rest or words[place + 2 : place + 2 + len(rest)] == rest:
                    whole = range(place, place + 2 + len(rest)) if name == "filler" else (place,)
                    places[name].update(dict.fromkeys(whole))
    return dict(places)


def _start(words: tuple[str, ...], places: Places) -> int:
    """Where the sentence begins in earnest."""
    fillers, nos = places.get("filler", {}), places.get("no", {})
    for place, word in enumerate(words):
        if place in nos and _says_no_to(place, words, places):
            return place  # "no plants" says something, "no, ..." only opens
        if place not in fillers and place not in nos and word not in MARKS:
            return place
    return len(words)


def _says_no_to(place: int, words: tuple[str, ...], places: Places) -> bool:
    following = place + 1
    if following == len(words) or words[following] in MARKS:
        return False
    return not any(following in places.get(name, ()) for name in ("filler", "i", "we", "pronoun", "no"))

"""German compounds: `Rechnungsnummer` is found by `Nummer` and by `Rechnung`, and finds `Nummer der Rechnung`.

A long word of a German text is also filed under everything that it begins or ends with, because an index of hashes
cannot be asked what is inside a word. A long word of a query that no text holds is cut in two where both parts are
known. There is no dictionary: what is a word is what the space's own texts hold.
"""

from __future__ import annotations

import re
from functools import lru_cache

from truekeep.normal_forms import normal_form

from .tokens import hidden_term, word_term

_SHORTEST = 4  # letters of a part
_LONGEST = 40  # letters of a compound: what is longer was not written by people
_COMPOUND = re.compile(rf"(?<![^\W\d_])[^\W\d_]{{{2 * _SHORTEST},{_LONGEST}}}(?![^\W\d_])")
_LINKS = ("", "s", "n", "es", "en", "er", "e")  # between the parts: Rechnung-s-nummer, Sonne-n-schirm
_ENDING = re.compile(r"(?<=\w{4})(?:ern|en|er|es|em|e|n|s)$")
_READ = 20_000  # characters of a text
# Words that no other language has in these letters; one of them makes a text German.
_GERMAN_WORDS = """
auch bei dass der dieser eine einem einen einer für gegen haben ich ihre ist kein keine meine nach nicht oder sich
sind und unser unsere unserer wenn wir wird wurde wurden zum zur über
"""
_UMLAUT = re.compile("[äöüß]")  # so does one of these; the other languages that have them build compounds, too
_GERMAN = frozenset(_GERMAN_WORDS.split())
ANY = hidden_term("part")  # every text with compounds is filed under this
_WORDS = re.compile(r"[^\W\d_]+")


def compound_terms(text: str) -> list[int]:
    """What the long words of a German text begin and end with; nothing for other texts."""
    text = text[:_READ].casefold()
    if not _UMLAUT.search(text) and _GERMAN.isdisjoint(_WORDS.findall(text)):
        return []
    terms: dict[int, None] = {ANY: None}
    for word in _COMPOUND.findall(text):
        for cut in range(_SHORTEST, len(word) - _SHORTEST + 1):
            terms[part_term(word[:cut])] = terms[part_term(word[cut:])] = None
    return list(terms)


@lru_cache(maxsize=8192)
def part_term(word: str) -> int:
    """What a word is filed under where it is a part of another."""
    folded = normal_form("NFC", word.casefold())
    return hidden_term(f"part:{_ENDING.sub('', folded)}")


def cuts(word: str) -> list[tuple[int, int]]:
    """The two words that this one may be made of, as terms, the most even cut first."""
    if not _COMPOUND.fullmatch(word):
        return []
    middle = len(word) / 2
    places = sorted(range(_SHORTEST, len(word) - _SHORTEST + 1), key=lambda place: abs(place - middle))
    return [
        (word_term(word[: place - len(link)]), word_term(word[place:]))
        for place in places
        for link in _LINKS
        if word[:place].endswith(link) and place - len(link) >= _SHORTEST
    ]

"""Text to terms: script-aware, the same for every process, linear in the length of the text.

A text is cut into *pieces* (runs of word characters, with the connectors of identifiers inside; two-character pieces
for scripts that put no spaces between words). A piece gives one or more *labels* (`ERR_4012` gives err4012, err and
4012), a label one *term* (accents folded, English stemmed), and a term is known to the index only by a 64-bit hash:
nothing textual is kept, and a vocabulary is a sorted array of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

from truekeep.language import is_english, language_of
from truekeep.normal_forms import normal_form

from .stem import stem

# Scripts without spaces between words: Thai, Lao, Tibetan, Myanmar, Khmer; Hangul (its particles stick to the words),
# kana, Han. The first group consists of letters, so that a single one means nothing and is not indexed for itself.
_LETTERS = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff"
_SYLLABLES = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u318f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Marks that belong to the word before them but are no word characters to `re`: accents in decomposed text, Hebrew
# points, Arabic vowels, the vowel signs of Indic scripts, joiners.
_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0981-\u0dff\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\ufe20-\ufe2f"
)
_FOLDED = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]"
)
_ASCII = re.compile(r"[A-Za-z0-9_]+(?:[-./@:'][A-Za-z0-9_]+)*[+#]{0,2}")
_WORD = rf"(?:[^\W{_LETTERS}{_SYLLABLES}]|[{_MARKS}])++"
_ANY = re.compile(rf"([{_SYLLABLES}]+)|([{_LETTERS}]+)|({_WORD}(?:[-./@:']{_WORD})*+[+#]{{0,2}})")

_CONTRACTION = re.compile(r"(.+)'(?:s|re|ve|ll|d|m)", re.IGNORECASE)
_CONNECTORS = re.compile(r"[-_./@:'+#]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINED = str.maketrans("", "", "-_'")
_MEASURE = re.compile(r"\d{1,3}[a-z]{1,4}")  # "30min", "2nd"
_UNPRONOUNCEABLE = re.compile(r"[b-df-hj-np-tv-xz]{5}")
_LEAST_MIXED, _LEAST_DIGITS = 4, 5  # characters of an identifier with letters and digits; digits of one without letters

# Words that say nothing about what is asked. They are indexed, and dropped from a query that has others.
_STOP_WORDS = """
a about all also am an and any are as at be been being but by can could did do does doing for from had has have having
he her here hers him his how i if in into is it its itself just let me might mine more most must my of on or our ours
please shall she should so some such tell than that the their theirs them then there these they this those to too us
very was we were what when where which while who whom whose why will with would you your yours
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


class Term(NamedTuple):
    """One thing that a query asks for: as it was written, and as the index knows it."""

    label: str
    hash: int


def text_terms(text: str) -> list[int]:
    """The hashes of all terms of a text that is to be found, in order, repeated as often as they occur."""
    return list(chain.from_iterable(map(_hashes.__getitem__, _pieces(text, indexing=True))))


def query_terms(text: str, stop_words: Set[str] = STOP_WORDS) -> list[Term]:
    """The distinct terms that a query asks for, in order; stop words only when there is nothing else."""
    found: dict[int, Term] = {}
    stops: dict[int, Term] = {}
    for piece in _pieces(text, indexing=False):
        for term in map(Term, _labels(piece), _hashes[piece]):  # a word that is found is known: it was indexed
            (stops if term.label in stop_words else found).setdefault(term.hash, term)
    return list((found or stops).values())


def stop_words_of(text: str) -> Set[str]:
    """The stop words of its language."""
    return STOP_WORDS if is_english(text) else STOP_WORDS | language_of([text]).stop_words


def identifiers(text: str) -> list[int]:
    """The hashes of what a query names to the letter; `iPhone`, which has no digits, only where it stands alone."""
    pieces = list(_pieces(text, indexing=False))
    if len(pieces) == 1 and not _is_plain_word(pieces[0]):
        return [_hashes[pieces[0]][0]]
    return [_hashes[piece][0] for piece in pieces if _is_identifier(piece)]


def _is_identifier(piece: str) -> bool:
    """`get_user`, `a@b.org`, `LH441`, `2024-0187` and `10.0.0.9` are; `30min`, `2024` and `10:30` are not."""
    if "_" in piece.strip("_") or "@" in piece:
        return True
    digits, letters = sum(map(str.isdecimal, piece)), sum(map(str.isalpha, piece))
    if not digits or _MEASURE.fullmatch(piece):
        return False
    if letters:
        return digits + letters >= _LEAST_MIXED
    return digits >= _LEAST_DIGITS or len(_CONNECTORS.findall(piece)) > 1


def _is_plain_word(piece: str) -> bool:
    return piece.isalpha() and (piece.islower() or piece.istitle()) and not _UNPRONOUNCEABLE.search(piece)


def tag_term(tag: str) -> int:
    """The hash under which the index files a tag; no word has it."""
    return hidden_term(f"tag:{tag}")


def word_term(word: str) -> int:
    """The hash of one plain word, as it stands in a text."""
    return _hashes[word][0]


def hidden_term(name: str) -> int:
    """The hash of something that is filed with the words of a text and is none of them."""
    return _hash(f"\x00{name}")


def _pieces(text: str, *, indexing: bool) -> Iterable[str]:
    if not text.isascii():
        text = text.replace("\u2019", "'")
    if text.isascii():
        return _ASCII.findall(text)
    text = normal_form("NFKC", text)
    pieces: list[str] = []
    for syllables, letters, word in _ANY.findall(text):
        if word:
            pieces.append(word)
        else:
            run = syllables or letters
            pieces += map(str.__add__, run, run[1:])
            if len(run) == 1 or (syllables and indexing):
                pieces += run  # a query of one character must find it inside a longer run
    return pieces


def _labels(piece: str) -> list[str]:
    """What a piece is found by: itself without `-_'`, and its parts."""
    if piece.isalpha() and (piece.islower() or piece.istitle() or piece.isupper()):
        return [piece.casefold()]
    if match := _CONTRACTION.fullmatch(piece):
        piece = match[1]
    whole = piece.casefold().translate(_JOINED)
    if piece[-2:].lower() == "'t":
        return [whole]
    parts = chain.from_iterable(_HUMP.sub(" ", part).casefold().split() for part in _CONNECTORS.split(piece))
    return [label for label in dict.fromkeys([whole, *parts]) if label]


def _folded(label: str) -> str:
    """Without accents."""
    return label if label.isascii() else normal_form("NFC", _FOLDED.sub("", normal_form("NFD", label))) or label


def _hash(term: str) -> int:
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class _Hashes(dict[str, tuple[int, ...]]):
    """Pieces seen before and the hashes of their terms; forgets everything when full, which costs little."""

    LIMIT = 50_000
    LONGEST = 48  # long pieces are rarely seen again

    def __missing__(self, piece: str) -> tuple[int, ...]:
        hashes = tuple(_hash(stem(_folded(label))) for label in _labels(piece))
        if len(piece) <= self.LONGEST:
            if len(self) >= self.LIMIT:
                self.clear()
            self[piece] = hashes
        return hashes


_hashes = _Hashes()

"""What a text states, apart from how it is written: two texts with the same statement are the same memory.

Numbers, names, negation, symbols (C, C++, C#, emoji, vowel signs) and word order always make a difference. Case,
punctuation, white space, contractions, articles and intensifiers do not.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_TOKEN = re.compile(r"[-+]?\d+(?:[.,:/]\d+)*|\w+(?:['\u2019]\w+)*[+#]*|!=+|[^\w\s]")
_MEANT = frozenset("?%@&*/\\#")  # punctuation by Unicode's reckoning, and yet it says something
# Quotes and accents that stand alone, and how an emoji is drawn.
_IGNORED = frozenset("`\u00b4\u00a8\u00b8") | frozenset(map(chr, range(0xFE00, 0xFE10)))
_CONTRACTIONS = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "let's": "let us"}
_ENDINGS = {"'m": " am", "'re": " are", "'ve": " have", "'ll": " will"}
_EMPTY = frozenset(
    {"a", "an", "the", "really", "very", "just", "quite", "actually", "definitely", "absolutely", "truly"}
)
_ABBREVIATION = 3  # letters
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"})


def statement(content: str, speaker: str | None = None) -> str:
    """The normalised statement; "I" and "we" belong to their speaker, so his name is part of it then."""
    words = _words(unicodedata.normalize("NFKC", content))
    if speaker and not _FIRST_PERSON.isdisjoint(words):
        return f"{speaker.casefold()}: {' '.join(words)}"
    return " ".join(words) or content.strip()  # a text of punctuation alone states itself


def _words(text: str) -> list[str]:
    tokens = _TOKEN.findall(text)
    shouting = text.isupper() and any(len(token) > _ABBREVIATION for token in tokens)
    return [word for place, token in enumerate(tokens) for word in _meant_by(token, place == 0, shouting)]


@lru_cache(maxsize=50_000)  # the same words come again and again, and every write is compared by them
def _meant_by(token: str, first: bool, shouting: bool) -> tuple[str, ...]:
    if not _says_something(token):
        return ()
    # "US" is a country and "us" is not, plan A is not a plan, unless everything is in capitals.
    word = _expanded(token.casefold().replace("\u2019", "'"))
    if token.isupper() and not shouting:
        is_abbreviation = 1 < len(token) <= _ABBREVIATION and word not in _EMPTY
        word = token if is_abbreviation or (token == "A" and not first) else word
    return tuple(part for part in word.split() if part not in _EMPTY)


def _says_something(token: str) -> bool:
    if len(token) > 1 or token in _MEANT:
        return True
    return unicodedata.category(token)[0] in "LNMS" and token not in _IGNORED


def _expanded(word: str) -> str:
    if "'" not in word and word != "cannot":
        return word
    if word in _CONTRACTIONS:
        return _CONTRACTIONS[word]
    if word.endswith("n't"):
        return word[:-3] + " not"
    for ending, meaning in _ENDINGS.items():
        if word.endswith(ending):
            return word[: -len(ending)] + meaning
    return word

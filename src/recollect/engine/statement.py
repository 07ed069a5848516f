"""What a text states, apart from how it is written: two texts with the same statement are the same memory.

Numbers, names, negation, symbols (C, C++, C#, emoji, vowel signs) and word order always make a difference. Case,
punctuation, white space, contractions, articles and intensifiers do not.
"""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(r"[-+]?\d+(?:[.,:/]\d+)*|\w+(?:['\u2019]\w+)*[+#]*|!=+|[^\w\s]")
_MEANT = frozenset("?%@&*/\\#")  # punctuation by Unicode's reckoning, and yet it says something
_IGNORED = frozenset("`´¨¸") | frozenset(map(chr, range(0xFE00, 0xFE10)))  # quotes, accents, how an emoji is drawn
_CONTRACTIONS = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "let's": "let us"}
_ENDINGS = {"'m": " am", "'re": " are", "'ve": " have", "'ll": " will"}
_EMPTY = frozenset(
    {"a", "an", "the", "really", "very", "just", "quite", "actually", "definitely", "absolutely", "truly"}
)
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"})


def statement(content: str, speaker: str | None = None) -> str:
    """The normalised statement; "I" and "we" belong to their speaker, so his name is part of it then."""
    words = _words(unicodedata.normalize("NFKC", content))
    if speaker and not _FIRST_PERSON.isdisjoint(words):
        return f"{speaker.casefold()}: {' '.join(words)}"
    return " ".join(words) or content.strip()  # a text of punctuation alone states itself


def _words(text: str) -> list[str]:
    words: list[str] = []
    shouting = text.isupper()
    for place, token in enumerate(_TOKEN.findall(text)):
        if not _says_something(token):
            continue
        # "US" is a country and "us" is not, plan A is not a plan, unless everything is in capitals.
        keeps_case = not shouting and token.isupper() and (1 < len(token) <= 3 or (token == "A" and place > 0))
        word = token if keeps_case else _expanded(token.casefold().replace("\u2019", "'"))
        words.extend(part for part in word.split() if part not in _EMPTY)
    return words


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

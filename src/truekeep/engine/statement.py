"""What a text states, apart from how it is written: two texts with the same statement are the same memory.

Numbers, names, negation, symbols (C, C++, C#, emoji, vowel signs) and word order always make a difference. Case at
the start of a sentence, punctuation, white space, contractions and articles do not, nor do intensifiers, unless
something is denied: "not just a bug" is not "not a bug". When in doubt two texts are two statements: a memory kept
twice is a nuisance, one that was swallowed is lost.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from truekeep.normal_forms import normal_form

_TOKEN = re.compile(r"[-+]?\d+(?:[.,:/]\d+)*|\w+(?:'\w+)*[+#]*|!=+|[^\w\s]")
_NEGATED = re.compile(r"(?<!\w)!(?=\w)")  # as programmers write it
_MEANT = frozenset("?%@&*/\\#")  # punctuation by Unicode's reckoning, and yet it says something
# Quotes and accents that stand alone, and how an emoji is drawn.
_IGNORED = frozenset("`\u00b4\u00a8\u00b8") | frozenset(map(chr, range(0xFE00, 0xFE10)))
_SEEN_AGAIN = 48  # characters: a longer word is rarely seen twice, and thousands of them would fill the memory
_SENTENCE_END = frozenset(".!?:\u2026")
_CONTRACTIONS = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "let's": "let us"}
_ENDINGS = {"'m": " am", "'re": " are", "'ve": " have", "'ll": " will"}
_ARTICLES = frozenset({"a", "an", "the"})
_INTENSIFIERS = frozenset({"really", "very", "just", "quite", "actually", "definitely", "absolutely", "truly"})
_DENIALS = frozenset(
    {"not", "no", "never", "none", "nothing", "nobody", "nor", "neither", "without", "hardly", "barely"}
)
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"})


def statement(content: str, speaker: str | None = None) -> str:
    """The normalised statement; "I" and "we" belong to their speaker, so his name is part of it then."""
    words = _words(_NEGATED.sub("\u00ac", _unified(content)))
    if _DENIALS.isdisjoint(words):
        words = [word for word in words if word not in _INTENSIFIERS]
    if speaker and not _FIRST_PERSON.isdisjoint(words):
        return f"{speaker.casefold()}: {' '.join(words)}"
    return " ".join(words) or content.strip()  # a text of punctuation alone states itself


def _unified(text: str) -> str:
    """One form for what is written in several: wide letters, ligatures, dashes. But 10² is not 102."""
    if text.isascii():
        return text
    raised = ("<super>", "<sub>", "<fraction>")
    plain = {
        ord(character): unified
        for character in {*text}
        if (unified := normal_form("NFKC", character)) != character
        and not unicodedata.decomposition(character).startswith(raised)
    }
    text = normal_form("NFC", text.translate(plain) if plain else text)
    return text.replace("\u2013", "-").replace("\u2212", "-").replace("\u2019", "'")  # dash, minus, apostrophe


def _words(text: str) -> list[str]:
    tokens = _TOKEN.findall(text)
    shouting = text.isupper() and any(len(token) > 3 for token in tokens)
    words: list[str] = []
    begins = True
    for token in tokens:
        words += (_meant_by if len(token) <= _SEEN_AGAIN else _meant_by.__wrapped__)(token, begins, shouting)
        begins = token in _SENTENCE_END
    return words


@lru_cache(maxsize=50_000)  # the same words come again and again, and every write is compared by them
def _meant_by(token: str, begins: bool, shouting: bool) -> tuple[str, ...]:
    if not _says_something(token):
        return ()
    word = token.casefold()
    if not shouting and _is_name(token, word, begins):
        return (token,)
    return tuple(part for part in _expanded(word).split() if part not in _ARTICLES)


def _is_name(token: str, word: str, begins: bool) -> bool:
    """Whether its capitals matter: Bill is not a bill, and the US is not us. Every sentence begins with a capital."""
    if word in _FIRST_PERSON or word.startswith("i'"):
        return 1 < len(token) == sum(map(str.isupper, token))  # "US", but not "I" and "We"
    if begins:
        return 1 < len(token) <= 3 and token.isupper() and word not in _ARTICLES
    return token[0].isupper() and not (len(token) > 3 and token.isupper())  # all capitals: for emphasis


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

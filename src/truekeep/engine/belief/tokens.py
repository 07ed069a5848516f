"""A sentence cut into tokens: words, names, values."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from truekeep.index.stem import stem
from truekeep.language.dates import COUNTS, DOUBTFUL_MONTHS, IN_ENGLISH, MONTHS, WEEKDAYS
from truekeep.language.reading import WORDS, cut

from .grammar import Grammar

MOST_TOKENS = 60  # in one sentence; nobody says one thing in more

_MARKS = frozenset((*":=,&/", "->", "\u2192"))  # others part sentences, and say nothing of what stands beside them
_COUNTRIES = ("us", "uk", "it")  # in capitals they are no pronouns: they trust US
_CLOCK = re.compile(r"(\d+)(?:[:h](\d\d))?\s?(am|pm|uhr)?")
_GROUPING = re.compile(r"[.,'](?=\d{3}(?!\d))|\s")


class Token(NamedTuple):
    """One token of a folded text."""

    kind: str  # word, name, value, mark
    word: str  # as it is compared with the lists of words
    term: str  # as two statements are compared


def tokens_of(folded: str, written: str, grammar: Grammar) -> list[Token]:
    """The tokens of a folded sentence; the text as written tells by its capitals what is a name."""
    if len(folded) != len(written):  # a ligature or the like: no capitals then
        written = folded
    found = list(islice((one for one in cut(folded) if one.lastgroup != "mark" or one[0] in _MARKS), MOST_TOKENS))
    speaking = not written.isupper()
    telling = speaking and "nouns" not in grammar.language.tables  # in German all of them have a capital
    tokens: list[Token] = []
    for n, match in enumerate(found):
        kind, text = match.lastgroup or "", match[0]
        if kind not in WORDS:
            tokens += _other(kind, text)
            continue
        capital = written[match.start()].isupper() and speaking
        if text in _COUNTRIES and capital and written[match.start() : match.end()].isupper():
            tokens.append(Token("name", text.upper(), f"{text}."))
            continue
        named = capital and telling and (n > 0 or _begins_with_name(found, written, grammar))
        tokens += [_word(word, capital, named, grammar) for word in grammar.language.full(text)]
    return tokens


def _begins_with_name(found: list[re.Match[str]], written: str, grammar: Grammar) -> bool:
    """Every sentence begins with a capital: a name there is followed by its verb, or by another."""
    if found[0][0].endswith("'s"):
        return True
    return len(found) > 1 and (grammar.is_verb(found[1][0]) or written[found[1].start()].isupper())


def _other(kind: str, text: str) -> list[Token]:
    if kind == "mark":
        return [Token(kind, text, text)]
    if kind == "cjk":  # pairs of characters
        return [Token("word", pair, pair) for pair in map(str.__add__, text, text[1:])] or [Token("word", text, text)]
    if kind == "code":
        return [Token("name", text, text.strip("`"))]
    if kind == "ordinal":
        return [Token("value", text[:-2], text[:-2])]
    if kind == "time" and (match := _CLOCK.fullmatch(text)):
        hour = int(match[1]) % 12 + 12 * (match[3] == "pm") if match[3] else int(match[1])
        return [Token("value", text, f"{hour}:{match[2] or '00'}")]
    plain = _GROUPING.sub("", text) if kind == "number" else text
    return [Token("value", text, f"{plain[:-1]}000" if plain[:-1].isdecimal() and plain[-1] == "k" else plain)]


@lru_cache(maxsize=16_384)
def _word(text: str, capital: bool, named: bool, grammar: Grammar) -> Token:
    word = text.removesuffix("'s")
    if not grammar.is_english or word in IN_ENGLISH:
        if word in WEEKDAYS:
            return Token("value", word, f"w{WEEKDAYS[word]}")
        if word in MONTHS and (capital or word not in DOUBTFUL_MONTHS):
            return Token("value", word, f"m{MONTHS[word]}")
        if word in COUNTS:
            return Token("value", word, str(COUNTS[word]))
    if named and len(word) == 1 and word != "i":
        return Token("value", f"'{word}", f"'{word}")  # model A
    return Token("name" if named and word not in grammar.words["small"] else "word", word, term(word))


@lru_cache(maxsize=16_384)
def term(word: str) -> str:
    """The form under which a folded word is compared."""
    word = word.replace("'", "")
    return stem(word) if word.isascii() and word.isalpha() else word

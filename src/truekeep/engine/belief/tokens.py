"""A clause cut into tokens: words, names, numbers, times, dates, addresses."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from truekeep.index.stem import stem

from . import days
from .days import COUNTS, DOUBTFUL_MONTHS, MONTHS, WEEKDAYS
from .grammar import ENGLISH, Grammar
from .lexicon import ROLE_ROOTS, SYNONYMS

MOST_TOKENS = 60  # in one clause; nobody says one thing in more

_TOKEN = re.compile(
    r"(?P<plain>\b[a-z]+(?=[\s,;:!?)]|\.?\s|\.?$))"  # what most are, before anything that costs more to tell
    r"|(?P<mail>[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4})"
    r"|(?P<link>https?://\S{1,200}|(?<!\w)[#/][a-z][\w./-]{1,80})"
    r"|(?P<time>\b\d{1,2}(?::\d{2}|h\d{2})(?:\s?[ap]m)?\b|\b\d{1,2}\s?(?:[ap]m|uhr)\b)"
    r"|(?P<date>\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}(?:st|nd|rd|th)\b)"
    r"|(?P<phone>\+?\b\d{2,5}(?:[ /-]\d{2,4}){2,5}\b|\b0\d{2,4}[ /-]\d{3,8}\b)"
    r"|(?P<label>\b\d{1,3}[abcefnpqrvxyz]\b)"
    r"|(?P<number>(?:(?<![\w.)-])[-+\u2212])?[$\u20ac\u00a3]?\d+(?:[.,']\d+)*(?:e-?\d+)?(?:\s?%|\s?\u20ac|[km]\b)?)"
    r"|(?P<code>`[^`\n]{1,80}`|\b[a-z]+[_\d][\w.-]*)"
    r"|(?P<cjk>[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7ff]+)"
    r"|(?P<word>[^\W\d_]+(?:['-][^\W\d_]+)*[+#]{0,2})"
    r"|(?P<colon>:(?=\s|$)|=|->|\u2192)"
    r"|(?P<comma>[,&/])"
)
_COUNTRIES = ("us", "uk", "it")  # in capitals they are no pronouns: they trust US
_GROUPING = re.compile(r"[.,'](?=\d{3}(?!\d))|\s")
_GERMAN = {
    "ich", "wir", "der", "die", "das", "und", "ist", "nicht", "ein", "eine", "mit", "den", "im", "auf", "sind", "hat",
    "bei", "zum", "zur", "am", "von",
}  # fmt: skip
_ELIDED = re.compile(r"(?:[cdjlmnst]|qu|un|dell|all|nell|dall|sull|quest)'(?=\w)")
_CONTRACTED = {
    "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would",
}  # fmt: skip
_RUN_TOGETHER = {
    "im": "i am", "ive": "i have", "dont": "do not", "doesnt": "does not", "didnt": "did not", "isnt": "is not",
    "arent": "are not", "wasnt": "was not", "cant": "can not", "cannot": "can not", "wont": "will not", "hes": "he is",
    "shes": "she is", "theyre": "they are", "weve": "we have", "youre": "you are", "thats": "that is",
    "theres": "there is", "won't": "will not", "can't": "can not", "there's": "there is", "it's": "it is",
    "he's": "he is", "she's": "she is", "that's": "that is", "let's": "let us",
}  # fmt: skip


class Token(NamedTuple):
    """One token of a folded text."""

    kind: str  # mail, link, phone, label, time, date, number, code, cjk, word, name, weekday, colon, comma
    word: str  # as it is compared with the lexicons
    term: str  # as two statements are compared


def tokens_of(folded: str, written: str, grammar: Grammar) -> list[Token]:
    """The tokens of a folded clause; the text as written tells by its capitals what is a name."""
    if len(folded) != len(written):  # a ligature or the like: no capitals then
        written = folded
    found = list(islice(_TOKEN.finditer(folded), MOST_TOKENS))
    shouting = written.isupper()
    # In German every noun has a capital.
    german = len(_GERMAN.intersection(match[0] for match in found)) > (grammar is ENGLISH)
    tokens: list[Token] = []
    for n, match in enumerate(found):
        capital = written[match.start()].isupper() and not shouting
        named = capital and not german and (n > 0 or _begins_with_name(found, written, grammar))
        if match.lastgroup in ("plain", "word"):
            if match[0] in _COUNTRIES and written[match.start() : match.end()].isupper() and not shouting:
                tokens.append(Token("name", written[match.start() : match.end()], f"{match[0]}."))
                continue
            for word in _expanded(match[0], grammar):
                tokens.append(_word(word, capital, named, grammar))
        else:
            tokens.append(_other(match.lastgroup or "", match[0]))
    return _joined(tokens) if any([token.kind == "date" for token in tokens]) else tokens


def _begins_with_name(found: list[re.Match[str]], written: str, grammar: Grammar) -> bool:
    """Every sentence begins with a capital: a name there is followed by its verb, or by another."""
    if found[0][0].endswith("'s"):
        return True
    return len(found) > 1 and (found[1][0] in grammar.verbs or written[found[1].start()].isupper())


@lru_cache(maxsize=8192)
def _expanded(word: str, grammar: Grammar) -> tuple[str, ...]:
    """Contractions in full: don't is do not, l'entracte is entracte."""
    if word in _RUN_TOGETHER and (word != "im" or grammar is ENGLISH):
        return tuple(_RUN_TOGETHER[word].split())
    if "'" not in word:
        return (word,)
    if word.endswith("n't"):
        return word[:-3], "not"
    for ending, meaning in _CONTRACTED.items():
        if word.endswith(ending):
            return word.removesuffix(ending), meaning
    return (word if word.endswith("'s") else _ELIDED.sub("", word, count=1),)


def _other(kind: str, text: str) -> Token:
    if kind == "number":
        text = _GROUPING.sub("", text)
    if kind == "date" and text[-1].isalpha():
        return Token(kind, text, f"d{int(text[:-2])}")
    return Token(kind, text, text.strip("`"))


@lru_cache(maxsize=16_384)
def _word(text: str, capital: bool, named: bool, grammar: Grammar) -> Token:
    word = text.removesuffix("'s")
    if grammar is not ENGLISH or word in days.ENGLISH:
        if word in WEEKDAYS:
            return Token("weekday", word, f"w{WEEKDAYS[word]}")
        if word in MONTHS and (capital or word not in DOUBTFUL_MONTHS):
            return Token("date", word, f"m{MONTHS[word]}")
        if word in COUNTS:
            return Token("number", word, str(COUNTS[word]))
    if named and len(word) == 1 and word != "i":
        return Token("name", f"'{word}", f"'{word}")  # model A is no model of a kind
    return Token("name" if named and word not in grammar.function else "word", text, term(word))


def _joined(tokens: list[Token]) -> list[Token]:
    """A month and the day beside it are one date: 4 May, the 4th of May, May 4th."""
    joined: list[Token] = []
    for token in tokens:
        if _is_month(token):
            behind = 2 if joined and joined[-1].word in ("of", "de", "di") else 1
            if len(joined) >= behind and (day := _day(joined[-behind])):
                del joined[-behind:]
                token = Token("date", token.word, f"{day}{token.term}")
        elif joined and _is_month(joined[-1]) and (day := _day(token)):
            token = Token("date", token.word, f"{day}{joined.pop().term}")
        joined.append(token)
    return joined


def _is_month(token: Token) -> bool:
    return token.kind == "date" and token.term[0] == "m"


def _day(token: Token) -> str | None:
    if token.kind == "date":
        return token.term if token.term[0] == "d" and "m" not in token.term else None
    return f"d{int(token.word)}" if token.kind == "number" and token.word.isdecimal() and len(token.word) < 3 else None


@lru_cache(maxsize=16_384)
def term(word: str) -> str:
    """The form under which a folded word is compared; one who leads and leading are the same."""
    word = word.removesuffix("'s").replace("'", "")
    if not (word.isascii() and word.isalpha()):
        return word
    base = stem(word)
    for suffix in ("er", "or", "r", "ner", "ning"):
        if base.endswith(suffix) and base.removesuffix(suffix) in ROLE_ROOTS:
            return base.removesuffix(suffix)
    return SYNONYMS.get(base, base)

"""A statement, read: its words, names and values, and what its small words tell. No grammar."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from . import lexicon as lex
from . import phrases
from .cues import Cues, cues_of
from .folding import fold
from .grammar import Grammar, grammar_of
from .tokens import Token, tokens_of

LONGEST = 4000  # characters that are looked at
MOST_SENTENCES = 40
_CUES = lex.TASTE.union(
    lex.AGAIN, lex.CHANGE_WORDS, lex.ADDED_WORDS, lex.SAME_WORDS, lex.DENIALS, lex.END_WORDS, lex.NOISE
)

_SENTENCE = re.compile(r"(?<=[.!?\u2026])[\s)\"']+|\n+|[\u3002\uff01\uff1f]|\s+[\u2014\u2013-]{1,3}\s+|;\s*")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:dr|mr|mrs|ms|st|no|nr|prof|vs|approx|ca|inc|ltd|bzw|z\.b|e\.g|i\.e|sr|sra|mme|ing|[a-z]|\d{1,2})\.$",
    re.I,
)
_BLANKS = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_PLAIN_WORD = re.compile(r"[^\W\d_]+")
_CONTRACTION = re.compile(r"['\u2019](?:s|t|re|ve|ll|d|m)\b")  # English: they must not pass for French
_TELLING = 400  # characters that are enough to tell a language


@dataclass(frozen=True, slots=True)
class Reading:
    """What a statement says."""

    tokens: tuple[Token, ...]
    sentences: tuple[frozenset[str], ...]  # the terms of each
    words: tuple[str, ...]  # as they come, folded
    terms: frozenset[str]  # what it is about: the words that say something, names and values among them
    about: tuple[str, ...]  # the same, as they come
    names: frozenset[str]
    order: tuple[str, ...]  # the names as they come
    values: frozenset[str]  # numbers, times, days, addresses
    who: str  # the speaker when it is about himself, "we" when about his team, else empty
    cues: Cues
    grammar: Grammar


@lru_cache(maxsize=4096)
def read(content: str, speaker: str | None) -> Reading:
    """Read a statement; of a long one the beginning."""
    content = _BLANKS.sub(" ", content[:LONGEST])  # long runs of them would cost the patterns quadratic time
    grammar = _grammar_of(content[:_TELLING])
    written = sentences_of(content)[:MOST_SENTENCES]
    cut = [tokens_of(_told(fold(one)), one, grammar) for one in written]
    tokens = [token for sentence in cut for token in sentence]
    words = [token.word for token in tokens if token.kind != "mark"]
    about = [token.term for token in tokens if tells(token, grammar)]
    names = [token.term for token in tokens if token.kind == "name"]
    return Reading(
        tokens=tuple(tokens),
        sentences=tuple(frozenset(one.term for one in sentence if tells(one, grammar)) for sentence in cut if sentence),
        words=tuple(words),
        terms=frozenset(about),
        about=tuple(about),
        names=frozenset(names),
        order=tuple(dict.fromkeys(names)),
        values=frozenset(token.term for token in tokens if token.kind == "value"),
        who=_who(frozenset(words), speaker, grammar),
        cues=cues_of(written, frozenset(words)),
        grammar=grammar,
    )


def _told(folded: str) -> str:
    """ "As I said, ..." only reminds of what follows it."""
    return phrases.REMIND.sub(lambda match: " " * len(match[0]), folded)


def tells(token: Token, grammar: Grammar) -> bool:
    """Whether a token says what the statement is about."""
    if token.kind != "word":
        return token.kind != "mark"
    word = token.word
    return word not in grammar.function and word not in grammar.binding and word not in _CUES


def _grammar_of(text: str) -> Grammar:
    """Names tell of no other language: Ben is a man, and "ben" is Dutch."""
    words = _PLAIN_WORD.findall(_CONTRACTION.sub(" ", text))
    plain = fold(" ".join(word for word in words if word.islower())).split()
    return grammar_of(plain, begun=fold(" ".join(words[:1])).split())


def sentences_of(text: str) -> list[str]:
    """Cut at the ends of sentences, but not behind a title, an initial or the number of a day."""
    found: list[str] = []
    for part in _SENTENCE.split(text):
        if found and _ABBREVIATION.search(found[-1][-8:]):
            found[-1] = f"{found[-1]} {part}"
        elif part and part.strip():
            found.append(part)
    return found


def _who(words: frozenset[str], speaker: str | None, grammar: Grammar) -> str:
    if not words.isdisjoint(grammar.first_person):
        return (speaker or "i").casefold()
    if not words.isdisjoint(grammar.team):
        return "we"
    return "user" if speaker == "assistant" and not words.isdisjoint(lex.SECOND_PERSON) else ""

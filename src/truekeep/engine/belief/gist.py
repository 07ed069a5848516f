"""A statement, read: its words, names and values, and what its small words tell. No grammar."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice

from truekeep.language import sentences

from .cues import Cues, cues_of
from .fold import fold
from .grammar import Grammar, grammar_of
from .tokens import Token, tokens_of

LONGEST = 4000  # characters that are looked at
MOST_SENTENCES = 40
_SAYING_NOTHING = ("small", "binding", "taste", "again", "changed", "added", "stays", "denied", "ended", "noise")

_CLAUSE = re.compile(r"\s+[\u2014\u2013-]{1,3}\s+|;\s*")  # what parts two statements of one sentence
_BLANKS = re.compile(r"[^\S\n]{2,}|[^\S\n ]")


@dataclass(frozen=True, slots=True)
class Gist:
    """What a statement says."""

    tokens: tuple[Token, ...]
    sentences: tuple[frozenset[str], ...]  # the terms of each
    words: tuple[str, ...]  # as they come, folded
    terms: frozenset[str]  # what it is about: the words that say something, names and values among them
    about: tuple[str, ...]  # the same, as they come
    names: frozenset[str]
    order: tuple[str, ...]  # the names as they come
    values: frozenset[str]  # numbers, times, days, addresses
    bounds: frozenset[str]  # what it holds under: if, only, unless
    who: str  # the speaker when it is about himself, "we" when about his team, else empty
    cues: Cues
    grammar: Grammar


@lru_cache(maxsize=4096)
def read(content: str, speaker: str | None) -> Gist:
    """Read a statement; of a long one the beginning."""
    content = _BLANKS.sub(" ", content[:LONGEST])  # long runs of them would cost the patterns quadratic time
    grammar = grammar_of(content)
    parts = (one for clause in _CLAUSE.split(content) for one in sentences(clause))
    written = list(islice(parts, MOST_SENTENCES))
    cut = [tokens_of(_told(fold(one), grammar), one, grammar) for one in written]
    tokens = [token for sentence in cut for token in sentence]
    words = [token.word for token in tokens if token.kind != "mark"]
    about = [token.term for token in tokens if tells(token, grammar)]
    names = [token.term for token in tokens if token.kind == "name"]
    return Gist(
        tokens=tuple(tokens),
        sentences=tuple(frozenset(one.term for one in sentence if tells(one, grammar)) for sentence in cut if sentence),
        words=tuple(words),
        terms=frozenset(about),
        about=tuple(about),
        names=frozenset(names),
        order=tuple(dict.fromkeys(names)),
        values=frozenset(token.term for token in tokens if token.kind == "value"),
        bounds=grammar.words["bounds"].intersection(words),
        who=_who(frozenset(words), speaker, grammar),
        cues=cues_of(written, frozenset(words), grammar),
        grammar=grammar,
    )


def _told(folded: str, grammar: Grammar) -> str:
    """ "As I said, ..." only reminds of what follows it."""
    return grammar.phrases["reminded"].sub(lambda match: " " * len(match[0]), folded)


def tells(token: Token, grammar: Grammar) -> bool:
    """Whether a token says what the statement is about."""
    if token.kind != "word":
        return token.kind != "mark"
    return token.word not in _saying_nothing(grammar)


@cache
def _saying_nothing(grammar: Grammar) -> frozenset[str]:
    return frozenset[str]().union(*(grammar.words[name] for name in _SAYING_NOTHING))


def _who(words: frozenset[str], speaker: str | None, grammar: Grammar) -> str:
    if not words.isdisjoint(grammar.words["mine"]):
        return (speaker or "i").casefold()
    if not words.isdisjoint(grammar.words["ours"]):
        return "we"
    return "user" if speaker == "assistant" and not words.isdisjoint(grammar.words["yours"]) else ""

"""A statement, read: its words, names and values, and what its small words tell. No grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from truekeep.language import sentences
from truekeep.normal_forms import fold

from .grammar import Grammar, grammar_of
from .tokens import Token, tokens_of

LONGEST = 4000  # characters that are looked at
MOST_SENTENCES = 40
_SAYING_NOTHING = ("small", "binding", "taste", "again", "changed", "added", "stays", "denied", "ended", "noise")

_ASKING = ("?", "\uff1f")
_NOT_FORGET = re.compile(r"\b(?:don'?t|do not|never|nicht|n'|no|non|nao|niet) ?$")
_CLAUSE = re.compile(r"\s+[\u2014\u2013-]{1,3}\s+|;\s*")  # what parts two statements of one sentence
_BLANKS = re.compile(r"[^\S\n]{2,}|[^\S\n ]")


class Cues(NamedTuple):
    """What the small words of a statement say."""

    changes: bool  # now, switched to, instead of
    ends: bool  # left, closed, stopped
    adds: bool  # also, another
    stays: bool  # still, unchanged
    denies: bool  # not, no longer, hates it, forbidden; but "no longer forbidden" does not
    retracts: bool  # scratch that
    tentative: bool  # nothing but what is asked or merely considered
    many: bool  # of the kind of which many may be true


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
        cues=_cues_of(written, frozenset(words), grammar),
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


def _cues_of(written: Sequence[str], words: frozenset[str], grammar: Grammar) -> Cues:
    """The cues of a statement, given as its sentences and its folded words."""
    folded = [fold(sentence).strip() for sentence in written]
    text = "\n".join(folded)
    has_phrase = grammar.any_phrase.search(text) is not None

    def holds(*names: str) -> bool:
        if any(not words.isdisjoint(grammar.words.get(name, ())) for name in names):
            return True
        return has_phrase and any(grammar.phrases[name].search(text) for name in names if name in grammar.phrases)

    return Cues(
        changes=holds("changed", "again", "over"),
        ends=holds("ended"),
        adds=holds("added"),
        stays=holds("stays"),
        denies=holds("denied", "over", "ceased") != holds("against"),
        retracts=has_phrase and _retracts(text, grammar.phrases["retracted"]),
        tentative=bool(folded)
        and all(one.endswith(_ASKING) or grammar.phrases["tentative"].search(one) for one in folded),
        many=holds("many", "taste"),
    )


def _retracts(text: str, phrases: re.Pattern[str]) -> bool:
    match = phrases.search(text)
    return match is not None and not _NOT_FORGET.search(text[: match.start()])

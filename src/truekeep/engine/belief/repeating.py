"""Whether a statement is said again: in the same words, in another order, or with something told beside it.

Only what adds nothing is said again. Whatever has a word or a number of its own is a statement of its own, and so is
one with the same words that tells them of somebody else: Ana manages Ben, Ben manages Ana. A longer one takes the place
of a shorter one only where that stands in it complete, and nothing beside it says when, where or whether it holds.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from . import lexicon as lex
from .folding import fold
from .grammar import ENGLISH, OTHERS
from .reading import LONGEST, MOST_CLAUSES, NOTHING, Reading, read, sentences_of
from .said import Rule, Said, Verdict
from .substance import are_same, words_of
from .wording import topic

_BREAK = re.compile(r"[,:;()\u2013\u2014\u3001\uff0c]| - ")
_BLANKS = re.compile(r"[^\S\n]+")
_WORD = re.compile(r"\w+")
# What begins with one of these tells when or where the statement beside it holds, or something of that itself.
_REFERRING = frozenset((*ENGLISH.prepositions, *OTHERS.prepositions, "it", "this", "that", "these", "those", "they"))


def said_again(new: Said, old: Said) -> Verdict | None:
    """`reinforce` when the new one adds nothing, `restate` when it says all of the old one and more."""
    rule: Rule | None = "reinforce"
    if new.content != old.content or new.speaker != old.speaker:
        rule = _rule(new, old)
    terms = read(old.content, old.speaker).terms
    return rule and Verdict(rule, topic(old.content, terms), old.content, new.content, True, 1.0)


def _rule(new: Said, old: Said) -> Rule | None:
    if max(len(new.content), len(old.content)) > LONGEST:  # of these only the beginning was read
        return None
    if _is_same(new, old):
        return "reinforce"
    if _says_all(old, new):
        return "reinforce"
    return "restate" if _says_all(new, old) else None


def _is_same(one: Said, other: Said) -> bool:
    """Whether the same words tell the same of the same: man bites dog, dog bites man."""
    if not are_same(words_of(one.content), words_of(other.content)):
        return False
    mine, theirs = (read(said.content, said.speaker) for said in (one, other))
    if mine.names != theirs.names and fold(one.content) == fold(other.content):
        return False  # only the capitals differ, and make a name of a word: us, US
    return mine.order == theirs.order and _subject(mine) == _subject(theirs)


def _subject(one: Reading) -> tuple[frozenset[str], frozenset[str]]:
    return NOTHING.union(*(clause.subject for clause in one.clauses)), frozenset(clause.who for clause in one.clauses)


def _says_all(longer: Said, shorter: Said) -> bool:
    """Whether the shorter one stands complete in the longer one, as the beginning of a sentence, and is not limited."""
    wanted = len(words_of(shorter.content))
    if not 0 < wanted < len(words_of(longer.content)):
        return False
    parts = _parts(longer.content)
    if not 1 < len(parts) <= MOST_CLAUSES:
        return False
    for start in range(len(parts)):
        counts = accumulate(len(words_of(part.text)) for part in parts[start:])
        end = start + 1 + next((n for n, count in enumerate(counts) if count >= wanted), len(parts))
        stated = " ".join(part.text + part.mark for part in parts[start:end])
        if parts[start].begins and _is_same(replace(longer, content=stated), shorter):
            return all(_tells_more(part.text) for part in (*parts[:start], *parts[end:]))
    return False


class _Part(NamedTuple):
    text: str
    begins: bool  # a sentence
    mark: str  # that stands behind it


@lru_cache(maxsize=1024)
def _parts(text: str) -> tuple[_Part, ...]:
    found: list[_Part] = []
    for sentence in sentences_of(_BLANKS.sub(" ", text)):
        pieces = [piece for piece in _BREAK.split(sentence) if piece.strip()]
        last = len(pieces) - 1
        found += [_Part(piece.strip(), n == 0, "." if n == last else ",") for n, piece in enumerate(pieces)]
    return tuple(found)


def _tells_more(part: str) -> bool:
    """Whether a part says something of its own, rather than when, where, for whom or whether the statement holds."""
    words, one = _WORD.findall(fold(part)), read(part, None)
    if words[:1] == [] or words[0] in _REFERRING or not lex.LIMITING.isdisjoint(words):
        return False
    if not all(clause.parsed and (clause.subject or clause.bare) for clause in one.clauses):
        return False
    says = one.says
    return not (says.changes or says.ends or says.retracts or says.denies)

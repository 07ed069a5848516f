"""Whether a statement is said again: in the same words, in another order, or with something told beside it.

Only what adds nothing is said again. Whatever has a word or a number of its own is a statement of its own, and so is
one with the same words that tells them of somebody else: Ana manages Ben, Ben manages Ana. A longer one takes the place
of a shorter one only where that stands in it complete, and nothing beside it says when, where or whether it holds.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from . import lexicon as lex
from .folding import fold
from .grammar import ENGLISH, OTHERS
from .reading import LONGEST, read, sentences_of
from .said import Rule, Said
from .substance import are_same, words_of

_BREAK = re.compile(r"[,:;()\u2013\u2014\u3001\uff0c]| - ")
_BLANKS = re.compile(r"[^\S\n]+")
_WORD = re.compile(r"\w+")
_MOST_PARTS = 40
# What begins with one of these tells when or where the statement beside it holds, or something of that itself.
_REFERRING = frozenset((*ENGLISH.prepositions, *OTHERS.prepositions, "it", "this", "that", "these", "those", "they"))


def said_again(new: Said, old: Said) -> Rule | None:
    """`reinforce` when the new one adds nothing, `restate` when it says all of the old one and more."""
    if new.content == old.content and new.speaker == old.speaker:
        return "reinforce"
    if max(len(new.content), len(old.content)) > LONGEST:  # of these only the beginning was read
        return None
    if read(new.content, new.speaker).who != read(old.content, old.speaker).who:
        return None
    if _is_same(new.content, old.content) or _says_all(old.content, new.content):
        return "reinforce"
    return "restate" if _says_all(new.content, old.content) else None


def _is_same(one: str, other: str) -> bool:
    """Whether the same words tell the same of the same: man bites dog, dog bites man."""
    if not are_same(words_of(one), words_of(other)):
        return False
    mine, theirs = read(one, None), read(other, None)
    return mine.about[:1] == theirs.about[:1] and mine.order == theirs.order


def _says_all(longer: str, shorter: str) -> bool:
    """Whether the shorter one stands complete in the longer one, as the beginning of a sentence, and is not limited."""
    wanted = words_of(shorter)
    if not 0 < len(wanted) < len(words_of(longer)):
        return False
    parts = _parts(longer)
    if not 1 < len(parts) <= _MOST_PARTS:
        return False
    for start in range(len(parts)):
        counts = accumulate(len(words_of(part.text)) for part in parts[start:])
        end = start + 1 + next((n for n, count in enumerate(counts) if count >= len(wanted)), len(parts))
        stated = " ".join(part.text + part.mark for part in parts[start:end])
        if parts[start].begins and _is_same(stated, shorter):
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
    if not words or words[0] in _REFERRING or not lex.LIMITING.isdisjoint(words):
        return False
    if one.grammar.verbs.isdisjoint(words[1:]):  # no clause of its own
        return False
    cues = one.cues
    return not (cues.changes or cues.ends or cues.retracts or cues.denies or cues.tentative)

"""What a statement is about: its subject, and whether two of them are told of the same one.

Ana's taste says nothing of Ben's, nor invoice 7 of invoice 8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .gist import Gist, tells
from .said import Pair
from .tokens import Token

NAMED = 2  # terms that two statements share that are certainly about the same
_NAMED_BY_NUMBER = re.compile(r"[a-z]\d{1,3}|\d{1,3}[a-z]")
_LONGEST_ORDINAL = 5  # digits: a longer number is one to call


def _verb_of(reading: Gist) -> int:
    """Where the first one stands; at the beginning where there is none."""
    return next((n for n, token in enumerate(reading.tokens) if reading.grammar.is_verb(token.word)), 0)


def subject_of(reading: Gist) -> set[str]:
    """What stands before the first verb; nothing where there is none."""
    return {*_telling(reading, reading.tokens[: _verb_of(reading)])}


def _telling(reading: Gist, tokens: Iterable[Token]) -> list[str]:
    """What these tokens say it is about."""
    return [token.term for token in tokens if tells(token, reading.grammar)]


def is_of_another(pair: Pair, mine: Gist, theirs: Gist) -> bool:
    """Whether it is told of somebody else or of another thing: Ana's taste says nothing of Ben's."""
    if mine.who and theirs.who and mine.who != theirs.who and "we" not in (mine.who, theirs.who):
        return True
    if pair.newer.speaker == pair.older.speaker and {_owner(mine), _owner(theirs)} == {"mine", "yours"}:
        return True
    if _is_numbered_otherwise(mine, theirs):
        return True
    return len(mine.sentences) == len(theirs.sentences) == 1 and _is_another_of_its_kind(mine, theirs)


def is_of_another_part(mine: Gist, theirs: Gist) -> bool:
    """Whether each says of what part it holds, and it is not the same one: a limit for images, a limit for videos."""
    return bool(_parts(mine) - theirs.terms) and bool(_parts(theirs) - mine.terms)


def _parts(reading: Gist) -> set[str]:
    scoping = reading.grammar.words["scoping"]
    after = {
        n for n, token in enumerate(reading.tokens) if {one.word for one in reading.tokens[max(n - 2, 0) : n]} & scoping
    }
    told = {token.term for n, token in enumerate(reading.tokens) if n in after and token.kind == "word"}
    return told & reading.terms


def names_more(mine: Gist, theirs: Gist) -> bool:
    """Whether the old statement names others, too, of whom the new one says nothing and names nobody in their place."""
    return len(theirs.names - mine.terms) > max(1, len(mine.names - theirs.terms))


def _owner(reading: Gist) -> str:
    """Whose it is that it speaks of: my flight, your flight."""
    words = {token.word for token in reading.tokens[: _verb_of(reading)]}
    return next((name for name in ("mine", "yours") if not words.isdisjoint(reading.grammar.words[name])), "")


def _is_numbered_otherwise(mine: Gist, theirs: Gist) -> bool:
    """Whether one of many is named by another number, and nothing tells of a change: invoice 7, tea number 8."""
    if mine.cues.changes:
        return False
    both = zip(mine.tokens, theirs.tokens, strict=False)
    place = next((place for place, (one, other) in enumerate(both) if one.word != other.word), 0)
    if not place or not (_is_ordinal(mine.tokens[place]) and _is_ordinal(theirs.tokens[place])):
        return False
    *before, noun = mine.tokens[:place]
    if noun.word == "number" or noun.word in mine.grammar.words["noise"]:  # tea number 8, note 8
        return True
    is_verb = mine.grammar.is_verb
    if noun.kind == "mark" or any(is_verb(token.word) for token in (*before, noun)):
        return False
    return any(is_verb(token.word) for token in mine.tokens[place + 1 :])  # invoice 8 is paid; but: rent 900 euros


def _is_ordinal(token: Token) -> bool:
    """Whether it may say which one: 4, B, v3; not an amount."""
    is_number = token.word.isdecimal() or token.word.startswith("'") or _NAMED_BY_NUMBER.fullmatch(token.word)
    return bool(is_number) and len(token.word) <= _LONGEST_ORDINAL


def _is_another_of_its_kind(mine: Gist, theirs: Gist) -> bool:
    """Whether the same is told of the test server as of the staging server."""
    verbs = _verb_of(mine), _verb_of(theirs)
    which, other = (_telling(one, one.tokens[:verb]) for one, verb in zip((mine, theirs), verbs, strict=True))
    if len(which) != len(other) or len(which) < NAMED or which == other or which[-1] != other[-1]:
        return False
    told, before = (
        [term for term in _telling(one, one.tokens[verb:]) if term not in one.values | one.names]
        for one, verb in zip((mine, theirs), verbs, strict=True)
    )
    return mine.tokens[verbs[0]].word == theirs.tokens[verbs[1]].word and told == before


def is_of_the_same(mine: Gist, theirs: Gist) -> bool:
    """Whether one of them has the other's subject: the kick-off is not the deadline."""
    return subject_of(mine) <= theirs.terms or subject_of(theirs) <= mine.terms

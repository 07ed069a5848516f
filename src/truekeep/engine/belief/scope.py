"""Whether two statements are of one scope: nothing but the change itself tells them apart.

"I like phone calls" is not made untrue by "I don't like phone calls in the morning". A time of day, a place, a version,
a person, a condition that only one of the two has makes them two claims, however much else they share, and so does any
other word: what a rule takes for empty may be the very thing. Only two of one scope may retire each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from . import lexicon as lex
from . import phrases
from .folding import fold
from .grammar import ENGLISH, OTHERS
from .reading import LONGEST, Reading, read
from .said import Pair, Said
from .substance import differing, form
from .tokens import MOST_TOKENS, Token, tokens_of

_PAST = {"was", "were", "had", "did", "will", "would"}
_NEW = {"new", "newly"}  # "the new oven" may be another one
_CHANGE = (lex.CHANGE_WORDS | lex.AGAIN | lex.DENIALS | lex.TASTE | _PAST) - _NEW | lex.HOLDING_TOGETHER
_TAKEN_BACK = frozenset(map(form, lex.NOISE | lex.DENIALS | _PAST | {"about", "what"}))
_WORKED = frozenset(map(form, lex.AGAIN | _PAST | {"now", "finally"}))
_OF_CHANGE = re.compile("|".join(p.pattern for p in (phrases.CHANGE, phrases.ENDED_USE, phrases.HATE)))
# "... instead of Flask", "..., not Maria": what it is no longer is said as well.
_REJECTED = re.compile(r"(?:,? (?:instead of|rather than|in place of)|, (?:no longer|not)) ([^,;]{1,80}?)[.!]?$")
_FAILING = re.compile(
    r":|n't\b|\b(?:fail|crash|br[eo]k|hung|hangs|timed? out|times out|lost|loses|error|not|never|cannot)", re.I
)
_MARKS = frozenset(".,;:!?'\"()-\u2013\u2014\u2019\u201c\u201d")
_NAMED = 2  # terms that two statements share that are certainly about the same
_MOST = 0.6  # of what the old one is about
_FEW = 4  # words of a value, or of a member of a list
_LIST = re.compile(r"[,/&]|\b(?:and|und|et|y|e|en|och|i)\b", re.I)
_DIRECTIONS = {"to", "into", "onto", "from", "since", "by", "as", "via", "through", "of"}
_QUALIFYING = {*ENGLISH.prepositions, *OTHERS.prepositions, *lex.LIMITING} - lex.DENIALS - _DIRECTIONS


class Replaced(NamedTuple):
    """What the new statement puts in the place of what; both empty where that is told by the whole statements."""

    old: str
    new: str
    is_sure: bool  # every word tells so; else it is for the learned judge to agree


def replaced(pair: Pair, mine: Reading, theirs: Reading) -> Replaced | None:
    """What the new statement makes untrue of the old one; None where it may be another claim."""
    if mine.who != theirs.who or mine.cues.adds or mine.cues.stays or len(theirs.sentences) > 1:
        return None
    denies = mine.cues.denies != theirs.cues.denies
    if mine.cues.many and theirs.cues.many and not denies:
        return None  # I like jazz, I like tea
    says = mine.cues.changes or denies
    if found := _in_its_place(pair, mine, theirs):
        return found._replace(is_sure=found.is_sure and says) if found.is_sure or says else None
    is_told = (says or mine.cues.ends) and not _is_narrower(mine, theirs)
    is_of_it = is_told and _covers(mine, theirs, _Line(pair.older.content, theirs))
    return Replaced("", "", is_sure=False) if is_of_it else None


def _in_its_place(pair: Pair, mine: Reading, theirs: Reading) -> Replaced | None:
    """What stands where something else stood, all other words being the same; sure of a value, a name, a denial."""
    new, old = pair.newer.content, pair.older.content
    if len(mine.sentences) > 1 or _symbols(new) != _symbols(old):
        return None
    rejected = _REJECTED.search(fold(new))
    before, after = _Line(old, theirs), _Line(new[: rejected.start()] if rejected else new, mine)
    if MOST_TOKENS in (len(before.tokens), len(after.tokens)):
        return None  # more may follow
    start = _same(before.words, after.words)
    end = _same(before.words[start:][::-1], after.words[start:][::-1])
    was, now = before.between(start, end), after.between(start, end)
    if not was and not now and not rejected:
        return Replaced("", "", is_sure=True) if mine.cues.denies != theirs.cues.denies else None
    if not 0 < len(was) == len(now) <= _FEW or not before.tells(start, end) or not after.tells(start, end):
        return None
    around = {token.term for token in (*before.told[:start], *before.told[len(before.told) - end :])}
    if len(around & theirs.terms) < (1 if mine.who else _NAMED):
        return None
    value = " ".join(token.word for token in was)
    if rejected and _plain(rejected[1]) != " ".join(map(form, value.split())):
        return None  # it is not this that it is no longer
    kinds = {token.kind for token in (*was, *now)}
    is_sure = kinds in ({"value"}, {"name"})
    if not is_sure and (len(was) > 1 or mine.cues.denies != theirs.cues.denies):
        return None
    return Replaced(value, " ".join(token.word for token in now), is_sure)


def _is_narrower(mine: Reading, theirs: Reading) -> bool:
    """Whether the new one says when, where, for whom or how much, and the old one does not."""
    if not (_QUALIFYING & set(mine.words)) <= set(theirs.words):
        return True
    if len(mine.values - theirs.values) > len(theirs.values - mine.values):
        return True
    return theirs.terms < mine.terms


def _covers(mine: Reading, theirs: Reading, old: _Line) -> bool:
    """Whether the new one speaks of most of what the old one is about, its values apart, and of all of its subject.

    The kick-off is not the deadline, and part 41 is not part 40.
    """
    about = theirs.terms - ((theirs.values | theirs.names) - mine.terms)
    return old.subject() & theirs.terms <= mine.terms and len(about & mine.terms) >= max(_NAMED, _MOST * len(about))


def one_of_a_list(old: Said, mine: Reading) -> bool:
    """Whether the new statement touches some members of a list and not others: the statement as a whole stays."""
    parts = [part for part in _LIST.split(old.content[:LONGEST]) if len(part.split()) <= _FEW]
    touched = [not terms.isdisjoint(mine.terms) for part in parts if (terms := read(part, None).terms)]
    return len(touched) > 1 and any(touched) and not all(touched)


class _Line:
    """A sentence without what tells of a change, to be laid beside another."""

    def __init__(self, content: str, reading: Reading) -> None:
        self.verbs = reading.grammar.verbs
        folded = _OF_CHANGE.sub(lambda match: " " * len(match[0]), fold(content))
        self.tokens = tokens_of(folded, content, reading.grammar)
        self.places = [n for n, token in enumerate(self.tokens) if token.kind != "mark" and token.word not in _CHANGE]
        self.told = [self.tokens[n] for n in self.places]
        self.words = [form(token.word) for token in self.told]

    def between(self, start: int, end: int) -> list[Token]:
        return self.told[start : len(self.told) - end]

    def tells(self, start: int, end: int) -> bool:
        """Whether what stands there is told of what stands before: the team lead is Odile, but not gate 4 opens."""
        first, last = self.places[start], self.places[len(self.places) - end - 1]
        acts = [token.word in self.verbs or token.word == ":" for token in self.tokens]
        return any(acts[:first]) and not any(acts[last + 1 :]) and not self._counts(first)

    def subject(self) -> set[str]:
        """What stands before the first verb."""
        verb = next((n for n, token in enumerate(self.tokens) if token.word in self.verbs), 0)
        return {token.term for token in self.tokens[:verb]}

    def _counts(self, place: int) -> bool:
        """Whether it says which one: room 4, model A."""
        token, before = self.tokens[place], self.tokens[place - 1]
        return token.kind == "value" and before.kind == "word" and before in self.told and before.word not in self.verbs


def _same(before: Sequence[str], after: Sequence[str]) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )


def _plain(text: str) -> str:
    return " ".join(form(word) for word in text.split() if word not in lex.HOLDING_TOGETHER)


def _symbols(text: str) -> frozenset[str]:
    """What is neither a letter nor a mark between words: an emoji may be the very thing."""
    return frozenset(c for c in text if not c.isalnum() and not c.isspace()) - _MARKS


def is_what_was_said(new: Said, old: Said) -> bool:
    """Whether a statement takes back just what the old one says."""
    return not differing(old.content, new.content, phrases.RETRACT, _TAKEN_BACK)


def is_what_failed(new: Said, old: Said) -> bool:
    """Whether a success is one of just what a lesson says has failed; why it did is told behind that."""
    failing = _FAILING.search(old.content)
    tried = old.content[: failing.start()] if failing else old.content
    return not differing(tried, new.content, phrases.SUCCESS, _WORKED)

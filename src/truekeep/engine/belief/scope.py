"""Whether two statements are of one scope: nothing but the change itself tells them apart.

"I like phone calls" is not made untrue by "I don't like phone calls in the morning". A time of day, a place, a version,
a person, a condition that only one of the two has makes them two claims, however much else they share, and so does any
other word: what a rule takes for empty may be the very thing. Only two of one scope may retire each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from .days import COUNTS
from .fold import fold
from .gist import LONGEST, Gist, read, tells
from .grammar import Grammar
from .said import Pair, Said
from .signs import likeness_of
from .subject import NAMED, is_of_the_same
from .substance import HOLDING_TOGETHER, differing, form, holds
from .tokens import MOST_TOKENS, Token, tokens_of

_PAST = {"was", "were", "had", "did", "will", "would"}
_NEW = {"new", "newly"}  # "the new oven" may be another one
_JOINING = {"and", "i", "my", "we", "our", "be", "been", "being", "do", "does", "of", "to", "for", "in", "at", "its"}
_PLACING = {"on", "into"}  # as "in", "at", "to" are: another day or place tells it by its own word
# Of which one thing is true at a time, in whatever language.
_BEING = {":", "=", "is", "are", "am", "was", "were", "be", "been", "s", "re", "m"}
_AHEAD = r"^(?:sorry|oops|actually|correction|wait|no)\s*[,:]"
# "... instead of Flask", "..., not Maria": what it is no longer is said as well.
_REJECTED = re.compile(r"(?:,? (?:instead of|rather than|in place of)|, (?:no longer|not)) ([^,;]{1,80}?)[.!]?$")
_FAILING = re.compile(
    r":|n't\b|\b(?:fail|crash|br[eo]k|hung|hangs|timed? out|times out|lost|loses|error|not|never|cannot)", re.I
)
_MARKS = frozenset(".,;:!?'\"()-\u2013\u2014\u2019\u201c\u201d")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_LAID = 0.6  # of the words: from there on two sentences can be laid side by side, and what is between them tells
_FEW = 4  # words of a value, or of a member of a list
_LIST = re.compile(r"[,/&]|\b(?:and|und|et|y|e|en|och|i)\b", re.I)


class Replaced(NamedTuple):
    """What the new statement puts in the place of what; both empty where that is told by the whole statements."""

    old: str
    new: str
    is_sure: bool  # every word tells so; else it is for the learned judge to agree
    is_open: bool = False  # what was so may still be so beside it, whatever the judge says


_UNSURE = Replaced("", "", is_sure=False)


def replaced(pair: Pair, mine: Gist, theirs: Gist) -> Replaced | None:
    """What the new statement makes untrue of the old one; None where it may be another claim."""
    if mine.who != theirs.who or mine.cues.adds or mine.cues.stays or len(theirs.sentences) > 1:
        return None
    if mine.cues.many and theirs.cues.many and mine.cues.denies == theirs.cues.denies:
        return None  # I like jazz, I like tea
    found = _word_for_word(pair, mine, theirs) if len(mine.sentences) == 1 else None
    return found or (_UNSURE if _is_told_anew(mine, theirs) else None)


def _is_told_anew(mine: Gist, theirs: Gist) -> bool:
    """Whether the new one tells of a change, and by another verb: not the old sentence with a word more or less."""
    verbs = _verbs(mine)
    if not verbs or not verbs.isdisjoint(theirs.words):
        return False
    if not mine.cues.changes:
        is_over = mine.cues.ends or mine.cues.denies != theirs.cues.denies
        return is_over and _is_of_all(mine, theirs) and is_of_the_same(mine, theirs) and not _name_others(mine, theirs)
    return is_of_the_same(mine, theirs)


def is_told_otherwise(mine: Gist, theirs: Gist) -> bool:
    """Whether the new one is no old sentence with a word more or less: told by a verb of its own, or in other words."""
    if holds(mine.words, theirs.words) or not (mine.cues.changes or _is_of_all(mine, theirs)):
        return False
    if not is_of_the_same(mine, theirs):
        return False
    return likeness_of(mine, theirs) < _LAID or not _verbs(mine) <= {*theirs.words}


def _name_others(mine: Gist, theirs: Gist) -> bool:
    """Whether each names somebody whom the other does not: Noor's end is not Kai's."""
    return not (mine.names <= theirs.terms or theirs.names <= mine.terms)


def _verbs(reading: Gist) -> set[str]:
    return {word for word in reading.words if reading.grammar.is_verb(word) or word in reading.grammar.words["ended"]}


def _is_of_all(mine: Gist, theirs: Gist) -> bool:
    """Whether what ended is all that was said: who quit eating pork may eat meat."""
    return theirs.terms - theirs.values - theirs.names <= mine.terms


def _word_for_word(pair: Pair, mine: Gist, theirs: Gist) -> Replaced | None:
    """What one sentence makes untrue of another that has the very same words but for what changed."""
    new, old = pair.newer.content, pair.older.content
    rejected = _REJECTED.search(fold(new))
    after, before = _Line(new[: rejected.start()] if rejected else new, mine), _Line(old, theirs)
    if MOST_TOKENS in (len(before.tokens), len(after.tokens)) or _symbols(new) != _symbols(old):
        return None  # more may follow
    if rejected is None and mine.cues.denies != theirs.cues.denies:
        return _denied(before, after)
    least = 1 if mine.who else NAMED
    found = _in_its_place(before, after, least)
    if rejected is not None:
        is_it = found is not None and _plain(rejected[1]) == " ".join(map(form, found.old.split()))
        if found is None or not is_it:
            return None  # it is not this that it is no longer
        return found._replace(is_sure=True, is_open=False)
    if found is not None and found.is_sure:
        has_several = not before.grammar.words["several"].isdisjoint(before.words)  # one has more than one friend
        return found._replace(is_sure=mine.cues.changes, is_open=has_several and not mine.cues.changes)
    if mine.cues.denies or not mine.cues.changes:
        return None  # of what is not so, much else may not be so
    return found


def _denied(before: _Line, after: _Line) -> Replaced | None:
    """That just what was said is not so, or is so after all; in another order of words, for the judge to agree."""
    if sorted(before.words) != sorted(after.words):
        return None
    return _UNSURE._replace(is_sure=before.words == after.words)


def _in_its_place(before: _Line, after: _Line, least: int) -> Replaced | None:
    """What stands where something else stood, all other words being the same; sure of a value and of a name."""
    start = _same(before.words, after.words)
    end = _same(before.words[start:][::-1], after.words[start:][::-1])
    was, now = before.between(start, end), after.between(start, end)
    if not 0 < len(was) == len(now) <= _FEW or not before.tells(start, end) or not after.tells(start, end):
        return None
    if len({*before.about[:start], *before.about[len(before.about) - end :]} - {""}) < least:
        return None
    sorts = {_sort(token) for token in (*was, *now)}
    are_alike = len(sorts) == 1 and "word" not in sorts
    if not are_alike and len(was) > 1:
        return None
    verb = before.verb(start)
    is_open = verb not in before.single or (verb in before.grammar.words["paid"] and sorts == {"name"})
    old, new = (" ".join(token.word for token in one) for one in (was, now))
    return Replaced(old, new, is_sure=are_alike and not is_open, is_open=is_open)


def one_of_a_list(old: Said, mine: Gist) -> bool:
    """Whether the new statement touches some members of a list and not others: the statement as a whole stays."""
    parts = [part for part in _LIST.split(old.content[:LONGEST]) if len(part.split()) <= _FEW]
    touched = [not terms.isdisjoint(mine.terms) for part in parts if (terms := read(part, None).terms)]
    return len(touched) > 1 and any(touched) and not all(touched)


class _Line:
    """A sentence without what tells of a change, to be laid beside another."""

    def __init__(self, content: str, reading: Gist) -> None:
        self.grammar = reading.grammar
        self.single = self.grammar.words["single"] | _BEING
        phrases, words = _of_change(self.grammar)
        folded = phrases.sub(lambda match: " " * len(match[0]), fold(content))
        self.tokens = tokens_of(folded, content, reading.grammar)
        self.places = [n for n, token in enumerate(self.tokens) if token.kind != "mark" and token.word not in words]
        self.told = [self.tokens[n] for n in self.places]
        self.words = [form(token.word) for token in self.told]
        self.about = [token.term if tells(token, reading.grammar) else "" for token in self.told]

    def is_verb(self, token: Token) -> bool:
        return token.word in self.single or self.grammar.is_verb(token.word)

    def between(self, start: int, end: int) -> list[Token]:
        return self.told[start : len(self.told) - end]

    def verb(self, start: int) -> str:
        """The last one before what stands there."""
        return next((token.word for token in reversed(self.tokens[: self.places[start]]) if self.is_verb(token)), "")

    def tells(self, start: int, end: int) -> bool:
        """Whether what stands there is told of what stands before: the team lead is Odile, but not gate 4 opens."""
        first, last = self.places[start], self.places[len(self.places) - end - 1]
        acts = [self.grammar.is_verb(token.word) or token.word == ":" for token in self.tokens]
        return any(acts[:first]) and not any(acts[last + 1 :]) and not self._counts(first)

    def _counts(self, place: int) -> bool:
        """Whether it says which one: room 4, model A."""
        token, before = self.tokens[place], self.tokens[place - 1]
        return (
            token.kind == "value"
            and before.kind == "word"
            and before in self.told
            and not self.grammar.is_verb(before.word)
        )


def _sort(token: Token) -> str:
    """What a value is one of: a day does not take the place of a price, nor "twice" that of a version."""
    if token.kind != "value":
        return token.kind
    return "count" if token.word in COUNTS else _DIGITS.sub("0", token.term)


def _same(before: Sequence[str], after: Sequence[str]) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )


def _plain(text: str) -> str:
    return " ".join(form(word) for word in text.split() if word not in HOLDING_TOGETHER)


def _symbols(text: str) -> frozenset[str]:
    """What is neither a letter nor a mark between words: an emoji may be the very thing."""
    return frozenset(c for c in text if not c.isalnum() and not c.isspace()) - _MARKS


@cache
def _of_change(grammar: Grammar) -> tuple[re.Pattern[str], frozenset[str]]:
    """What tells of a change and is no part of what changed."""
    phrases = (grammar.phrases[name].pattern for name in ("over", "changed", "ceased"))
    words = frozenset(_PAST).union(*(grammar.words[name] for name in ("changed", "again", "denied", "taste")))
    return re.compile("|".join((_AHEAD, *phrases))), words - _NEW | HOLDING_TOGETHER | _JOINING | _PLACING


def is_what_was_said(new: Said, old: Said, grammar: Grammar) -> bool:
    """Whether a statement takes back just what the old one says."""
    beside = grammar.words["noise"] | grammar.words["denied"] | _PAST | {"about", "what"}
    return not differing(old.content, new.content, grammar.phrases["retracted"], beside)


def is_what_failed(new: Said, old: Said, grammar: Grammar) -> bool:
    """Whether a success is one of just what a lesson says has failed; why it did is told behind that."""
    failing = _FAILING.search(old.content)
    tried = old.content[: failing.start()] if failing else old.content
    beside = grammar.words["again"] | _PAST | {"now", "finally"}
    return not differing(tried, new.content, grammar.phrases["worked"], beside)

"""Whether two statements are of one scope: nothing but the change itself tells them apart.

"I like phone calls" is not made untrue by "I don't like phone calls in the morning". A time, a place, a person, a
condition or any other word that only one of the two has makes them two claims: neither retires the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from truekeep.language.dates import COUNTS
from truekeep.normal_forms import fold

from .gist import LONGEST, Gist, read, tells
from .grammar import Grammar
from .said import Pair, Said
from .signs import likeness_of
from .subject import NAMED, is_of_the_same, subject_of
from .substance import HOLDING_TOGETHER, differing, form, holds
from .tokens import MOST_TOKENS, Token, term, tokens_of

_PAST = {"was", "were", "had", "did", "will", "would"}
_NEW = {"new", "newly"}  # "the new oven" may be another one; "my new boss" is for the judge to tell
_JOINING = {"and", "i", "my", "we", "our", "be", "been", "being", "do", "does", "of", "to", "for", "in", "at", "its"}
_PLACING = {"on", "into"}  # as "in", "at", "to" are: another day or place tells it by its own word
# Of which one thing is true at a time, in whatever language.
_BEING = {":", "=", "is", "are", "am", "was", "were", "be", "been", "s", "re", "m"}
_AHEAD = r"^(?:sorry|oops|actually|correction|wait|no)\s*[,:]"
_DECIDED = r"\b(?:ha(?:ve|s|d) )?decided to\b"
# "... instead of Flask", "..., not Maria": what it is no longer is said as well.
_REJECTED = re.compile(
    r"(?:,? (?:instead of|rather than|in place of)|, (?:no longer|not)) ([^,;]{1,80}?)"
    r"(?:[.!]?$|(?= (?:for|in|on|at|as|to|from)\b))"
)
_FAILING = re.compile(
    r":|n't\b|\b(?:fail|crash|br[eo]k|hung|hangs|timed? out|times out|lost|loses|error|not|never|cannot)", re.I
)
_MARKS = frozenset(".,;:!?'\"()-\u2013\u2014\u2019\u201c\u201d")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_LAID = 0.6  # of the words: from there on two sentences can be laid side by side, and what is between them tells
_FEW = 4  # words of a value, or of a member of a list
_CLAUSE = re.compile(r"[,;:!] (?:but |please )?| but ")
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
    verbs, is_told = _verbs(mine), mine.cues.changes or _is_over(mine, theirs)
    is_anew = is_told and bool(verbs) and verbs.isdisjoint(theirs.words)
    return is_anew and is_of_the_same(mine, theirs) and _replaces_all(mine, theirs)


def is_told_otherwise(mine: Gist, theirs: Gist) -> bool:
    """Whether the new one is no old sentence with a word more or less: told by a verb of its own, or in other words."""
    if holds(mine.words, theirs.words) or not is_of_the_same(mine, theirs) or not _replaces_all(mine, theirs):
        return False
    return likeness_of(mine, theirs) < _LAID or not _verbs(mine) <= {*theirs.words}


def _replaces_all(mine: Gist, theirs: Gist) -> bool:
    """Whether all of it may be told anew: but who quit eating pork may eat meat, and Noor's end is not Kai's."""
    if mine.cues.changes and not _is_over(mine, theirs):
        return True
    if not (mine.names <= theirs.terms or theirs.names <= mine.terms):
        subject = subject_of(theirs)  # the flat was sold, the landlord is Eva now
        return mine.cues.changes and bool(subject) and subject <= mine.terms
    return mine.cues.changes or mine.terms <= theirs.terms or _is_of_all(mine, theirs)


def _is_over(mine: Gist, theirs: Gist) -> bool:
    """Whether the new one says that something ended, or denies it."""
    return mine.cues.ends or mine.cues.denies != theirs.cues.denies


def _verbs(reading: Gist) -> set[str]:
    return {word for word in reading.words if reading.grammar.is_verb(word) or word in reading.grammar.words["ended"]}


def _is_of_all(mine: Gist, theirs: Gist) -> bool:
    """Whether what ended is all that was said: who quit eating pork may eat meat."""
    return theirs.terms - theirs.values - theirs.names - {*map(term, _verbs(theirs))} <= mine.terms


def _word_for_word(pair: Pair, mine: Gist, theirs: Gist) -> Replaced | None:
    """What one sentence makes untrue of another that has the very same words but for what changed."""
    new, old = pair.newer.content, pair.older.content
    rejected = _REJECTED.search(fold(new))
    told = new[: rejected.start()] + new[rejected.end() :] if rejected else new
    after, before = _Line(told, mine), _Line(old, theirs)
    if MOST_TOKENS in (len(before.tokens), len(after.tokens)) or _symbols(new) != _symbols(old):
        return None  # more may follow
    if rejected is None and mine.cues.denies != theirs.cues.denies:
        return _denied(before, after) or _told_to_do_otherwise(new, before, mine)
    least = 1 if mine.who else NAMED
    found = _in_its_place(before, after, least, is_told=mine.cues.changes, is_rejected=rejected is not None)
    if rejected is not None:
        is_it = found is not None and _plain(rejected[1]) == " ".join(map(form, found.old.split()))
        if found is None or not is_it:
            return None  # it is not this that it is no longer
        return found._replace(is_sure=True, is_open=False)
    if found is not None and found.is_sure:
        has_several = not before.grammar.words["several"].isdisjoint(before.words)  # one has more than one friend
        is_sure = mine.cues.changes and _NEW.isdisjoint(mine.words)
        return found._replace(is_sure=is_sure, is_open=has_several and not is_sure)
    if mine.cues.denies or not mine.cues.changes:
        return None  # of what is not so, much else may not be so
    return found


def _denied(before: _Line, after: _Line) -> Replaced | None:
    """That just what was said is not so, or is so after all; in another order of words, for the judge to agree."""
    if sorted(before.words) != sorted(after.words):
        return None
    return _UNSURE._replace(is_sure=before.words == after.words)


def _told_to_do_otherwise(new: str, before: _Line, mine: Gist) -> Replaced | None:
    """Don't use yarn, use pnpm."""
    head, _, rest = _CLAUSE.sub("\n", new, count=1).partition("\n")
    is_order = mine.cues.denies and mine.grammar.is_verb(fold(rest).partition(" ")[0])
    is_denied = is_order and sorted(_Line(head, mine).words) == sorted(before.words)
    return Replaced("", fold(rest).rstrip(".! "), is_sure=False) if is_denied else None


def _in_its_place(
    before: _Line, after: _Line, least: int, *, is_told: bool = False, is_rejected: bool = False
) -> Replaced | None:
    """What stands where something else stood, all other words being the same; sure of a value and of a name.

    A new one `is_told` by words of change; where what it is no longer `is_rejected`, it may stand at the beginning.
    """
    start = _same(before.words, after.words)
    end = _same(before.words[start:][::-1], after.words[start:][::-1])
    was, now = before.between(start, end), after.between(start, end)
    if not 0 < len(was) == len(now) <= _FEW:
        return None
    if not is_rejected and not (before.tells(start, end) and after.tells(start, end)):
        return None
    about = {*before.about[:start], *before.about[len(before.about) - end :]} - {""}
    is_certain = len(about) >= least and not before.counts(start) and not after.counts(start)
    if not about or not (is_certain or is_told):
        return None
    sorts = {_sort(token) for token in (*was, *now)}
    are_alike = len(sorts) == 1 and "word" not in sorts
    if not are_alike and len(was) > 1:
        return None
    verb = before.verb(start)
    is_open = verb not in before.single or (verb in before.grammar.words["paid"] and sorts == {"name"})
    is_number = is_told and {token.kind for token in (*was, *now)} == {"value"}
    old, new = (" ".join(token.word for token in one) for one in (was, now))
    return Replaced(old, new, is_sure=is_certain and are_alike and not is_open, is_open=is_open and not is_number)


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
        words = words if reading.who else words - _NEW
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
        acts = [token.word == ":" or (token.kind == "word" and self.is_verb(token)) for token in self.tokens]
        return any(acts[:first]) and not any(acts[last + 1 :])

    def counts(self, start: int) -> bool:
        """Whether it says which one: room 4, model A."""
        place = self.places[start]
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
    return re.compile("|".join((_AHEAD, _DECIDED, *phrases))), words | HOLDING_TOGETHER | _JOINING | _PLACING


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

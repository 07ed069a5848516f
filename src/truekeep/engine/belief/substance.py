"""What a text says, told by its words: all but those that merely hold a sentence together.

No guess may swallow what was said. So two statements are the same only where their words are, and are told of the same:
Ana manages Ben, Ben manages Ana. Where a learned judge is sure that the same is said in other words, words may object.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from truekeep.engine.statement import statement
from truekeep.normal_forms import fold

from .gist import LONGEST, Gist, read, tells
from .grammar import grammar_of
from .said import Pair, Said

# What holds a sentence together and says nothing. A word too many here hides what somebody said.
HOLDING_TOGETHER = frozenset(("a", "an", "the", "that", "am", "is", "are", "it", "there", "please"))
_COMPARING = frozenset(("than", "over", "before", "after", "under"))
_OWNED = re.compile(
    r"(?<!it)(?<!he)(?<!at)(?<!ho)(?<!let)(?<!here)['\u2019]s\b(?! (?:on|in|at|an?|the|my|our|your|not|now)\b)", re.I
)  # Ana's; but not it's, that's, who's, the meeting's on Friday
_WORD_FOR_WORD = 1  # term that only one of two has, at most
LONGEST_HEARD = 40  # words: what the learned judge reads of both for certain


def is_said_again(new: Said, old: Said) -> bool:
    """Whether the new statement adds nothing to the old one."""
    if new.content == old.content and new.speaker == old.speaker:
        return True
    if max(len(new.content), len(old.content)) > LONGEST:  # of these only the beginning was read
        return False
    mine, theirs = read(new.content, new.speaker), read(old.content, old.speaker)
    if mine.who != theirs.who or not _are_same(words_of(new.content), words_of(old.content)):
        return False
    if _is_compared_otherwise(mine, theirs):
        return False
    if mine.about == theirs.about:
        return mine.order == theirs.order
    has_not = not mine.grammar.words["denied"].isdisjoint(mine.words)  # not this but that, not that but this
    is_long = len(mine.words) > LONGEST_HEARD  # who does what to whom takes quadratic time to tell
    return not has_not and not is_long and _is_told_alike(new, old, mine, theirs)


def may_be_said_again(pair: Pair, mine: Gist, theirs: Gist) -> bool:
    """Whether no word speaks against the same being said: by another one, of another value, name or condition, anew.

    The learned judge hardly hears who does what to whom, and reads no more than the beginning of a long text.
    """
    if pair.newer.speaker != pair.older.speaker and (mine.who or theirs.who):
        return False
    if any(len(one.sentences) != 1 or len(one.words) > LONGEST_HEARD for one in (mine, theirs)):
        return False
    cues = mine.cues
    if cues.adds or cues.ends or cues.tentative or (cues.changes and not theirs.cues.changes):
        return False
    fuller, other = (mine, theirs) if is_fuller(mine, theirs) else (theirs, mine)
    if not (other.names | other.values) <= fuller.terms or mine.bounds != theirs.bounds:
        return False
    if _is_only_due(pair.newer, pair.older, theirs) or _is_only_due(pair.older, pair.newer, mine):
        return False
    if _warmly(mine, "fond") != _warmly(theirs, "liked") and _is_narrower(mine.words, theirs.words):
        return False
    if _is_compared_otherwise(mine, theirs):
        return False
    if sorted(mine.words) == sorted(theirs.words):
        return False  # of the same words only their order is left to tell otherwise
    if cues.denies == theirs.cues.denies and is_opposed(mine, theirs):
        return False  # but "closed" is "not open"
    return _is_told_alike(pair.newer, pair.older, mine, theirs)


def _is_told_alike(new: Said, old: Said, mine: Gist, theirs: Gist) -> bool:
    """Whether nobody changes places: where names meet, and where hardly a word differs, the order of them tells."""
    names, is_close = mine.names | theirs.names, len(mine.terms ^ theirs.terms) <= _WORD_FOR_WORD
    has_names = len(names) > 1
    is_reordered = _as_they_come(mine, names) != _as_they_come(theirs, names)
    if has_names and (is_close or is_reordered or mine.cues.denies != theirs.cues.denies):
        return False  # Ana reports to Ben, Ben's manager is Ana; Ana speaks French, Ana can't write French
    if is_close and (_OWNED.search(new.content) or _OWNED.search(old.content)):
        return False  # my manager's mentor, my mentor is my manager
    if is_close and _as_they_come(mine, mine.values) != _as_they_come(theirs, theirs.values):
        return False
    return not ((has_names or is_close) and _is_turned(mine, theirs))


def _is_compared_otherwise(mine: Gist, theirs: Gist) -> bool:
    """Whether what is compared comes in another order: tabs rather than spaces, spaces rather than tabs."""
    if _COMPARING.isdisjoint((*mine.words, *theirs.words)):
        return False
    told = mine.terms & theirs.terms | _COMPARING.intersection(mine.words).intersection(theirs.words)
    return _as_they_come(mine, told) != _as_they_come(theirs, told)


def _as_they_come(one: Gist, told: frozenset[str]) -> list[str]:
    return [token.term for token in one.tokens if token.term in told]


def _is_turned(mine: Gist, theirs: Gist) -> bool:
    """Whether two change sides, or do by one what is done by the other: I owe Ben 5 euros, Ben owes me 5 euros."""
    roles, others = _roles(mine), _roles(theirs)
    sides = any(_changes_sides(roles, others, pivot) for pivot in {*roles} & {*others})
    return sides != (("by" in mine.words) != ("by" in theirs.words))


def _changes_sides(roles: list[str], others: list[str], pivot: str) -> bool:
    """Whether something stands before this word in one and behind it in the other, and the other way round."""
    at, there = roles.index(pivot), others.index(pivot)
    before, after, left, right = {*roles[:at]}, {*roles[at + 1 :]}, {*others[:there]}, {*others[there + 1 :]}
    return not before.isdisjoint(right - left) and not after.isdisjoint(left - right)


def _is_only_due(one: Said, other: Said, reading: Gist) -> bool:
    """Whether it has to be so by one of them, and is so by the other: a bug that has to be fixed is not fixed."""
    obliged, is_verb = reading.grammar.phrases["obliged"].search, reading.grammar.is_verb
    is_order = reading.cues.denies or any(is_verb(word) for word in reading.words[:1])  # use UTC
    return not is_order and bool(obliged(fold(one.content))) and not obliged(fold(other.content))


def _roles(one: Gist) -> list[str]:
    """What it is about, its verbs and who speaks, as they come."""
    ours, is_verb = one.grammar.words["speaking"], one.grammar.is_verb
    told = (token for token in one.tokens if token.word in ours or is_verb(token.word) or tells(token, one.grammar))
    return ["i" if token.word in ours else token.term for token in told]


def is_opposed(mine: Gist, theirs: Gist) -> bool:
    """Whether one has a word that excludes one of the other: high and low, mornings and evenings."""
    only, others = {*mine.words} - {*theirs.words}, {*theirs.words} - {*mine.words}
    pairs = (pair.split("/") for pair in mine.grammar.words["opposed"])
    return any((a in only and b in others) or (b in only and a in others) for a, b in pairs)


def _warmly(one: Gist, name: str) -> tuple[str, ...]:
    """The words that say something, with one for all of that name: who loves sushi likes it."""
    told = (word for word in one.words if word not in HOLDING_TOGETHER)
    return tuple(["like" if word in one.grammar.words[name] else word for word in told])


def _is_narrower(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether one has all words of the other and some more, or another word in the place of one."""
    if len(words) == len(others) and sum(one != other for one, other in zip(words, others, strict=True)) == 1:
        return True
    return holds(words, others) or holds(others, words)


def is_fuller(mine: Gist, theirs: Gist) -> bool:
    """Whether the first has as many different words that say something, or more."""
    return len(mine.terms) >= len(theirs.terms)


def holds(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether all others are among these words, as they come."""
    left = iter(words)
    return all(word in left for word in others)


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """The words that say something, as they come. "As I said, ..." only reminds of what follows it."""
    reminder = grammar_of(text).phrases["reminded"].match(fold(text))
    told = statement(text[reminder.end() :] if reminder else text).split()
    return tuple([form(word) for word in told if word.removesuffix("'s") not in HOLDING_TOGETHER])


@lru_cache(maxsize=16_384)
def form(word: str) -> str:
    """One form for one and several. No stem: who lived there is not who lives there."""
    word = word.removesuffix("'s")
    if len(word) < 4 or not word.endswith("s") or word[-2] in "siu'":
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


def _are_same(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether both have the same words, each as often, and the numbers in the same order: 5 of 7 is not 7 of 5."""
    return 0 < len(a) == len(b) and Counter(a) == Counter(b) and _numbers(a) == _numbers(b)


def _numbers(words: tuple[str, ...]) -> list[str]:
    return [word for word in words if any(map(str.isdigit, word))]


def differing(old: str, new: str, phrase: re.Pattern[str], cues: frozenset[str]) -> bool:
    """Whether one has a word that the other lacks, these phrases and cues apart."""
    told = frozenset(map(form, cues))
    theirs, mine = (
        Counter([word for word in words_of(phrase.sub(" ", fold(text))) if word not in told]) for text in (old, new)
    )
    return theirs != mine

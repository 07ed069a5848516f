"""Whether two statements are of one scope: nothing but the change itself tells them apart.

"I like phone calls" is not made untrue by "I don't like phone calls in the morning". A time of day, a place, a version,
a person, a condition that only one of the two has makes them two claims, however much else they share, and so does any
other word: what a rule takes for empty may be the very thing. Only two of one scope may retire each other.
"""

from __future__ import annotations

import re
from collections import Counter

from . import lexicon as lex
from . import phrases
from .comparing import Comparison
from .days import COUNTS, MONTHS, WEEKDAYS
from .said import Said
from .substance import differing, form, words_of
from .wording import values

_PAST = {"was", "were", "had", "did", "will", "would"}
_NEW = {"new", "newly"}  # "the new oven" may be another one
_CHANGE = frozenset(map(form, (lex.CHANGE_WORDS | lex.AGAIN | lex.DENIALS | lex.TASTE | _PAST) - _NEW))
_TAKEN_BACK = frozenset(map(form, lex.NOISE | lex.DENIALS | _PAST | {"about", "what"}))
_WORKED = frozenset(map(form, lex.AGAIN | _PAST | {"now", "finally"}))
_VALUES = frozenset(map(form, (*WEEKDAYS, *MONTHS, *COUNTS)))
_OF_CHANGE = re.compile("|".join(p.pattern for p in (phrases.CHANGE, phrases.ENDED_USE, phrases.HATE)))
_FAILING = re.compile(
    r":|n't\b|\b(?:fail|crash|br[eo]k|hung|hangs|timed? out|times out|lost|loses|error|not|never|cannot)", re.I
)


def differ_in_the_value(new: Said, old: Said, c: Comparison) -> bool:
    """Whether all that differs is the value of the claim, or that it is denied."""
    theirs, mine = differing(old.content, new.content, _OF_CHANGE, _CHANGE)
    if c.difference == "typed":
        return theirs.total() == mine.total() and all(map(_is_value, (*theirs, *mine)))
    if c.difference == "name":
        names, others = c.old.names - c.shared, c.new.names - c.shared
        was, now = (Counter(words_of(value)) for value in values(c))
        return len(names) == len(others) and theirs <= was and mine <= now
    return not theirs and not mine


def is_what_was_said(new: Said, old: Said) -> bool:
    """Whether a statement takes back just what the old one says."""
    theirs, mine = differing(old.content, new.content, phrases.RETRACT, _TAKEN_BACK)
    return not theirs and not mine


def is_what_failed(new: Said, old: Said) -> bool:
    """Whether a success is one of just what a lesson says has failed; why it did is told behind that."""
    failing = _FAILING.search(old.content)
    tried = old.content[: failing.start()] if failing else old.content
    theirs, mine = differing(tried, new.content, phrases.SUCCESS, _WORKED)
    return not theirs and not mine


def _is_value(word: str) -> bool:
    return word in _VALUES or any(map(str.isdigit, word))

"""What a new statement does to an older one: a pure judgement on a pair, with its reasons.

Retiring a true statement is the worst fault. So a change is *suspected* when the signs add up, and the old statement is
retired only where every word tells so, or where rules and the learned judge agree by a margin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from truekeep.normal_forms import fold

from .gist import LONGEST as LONGEST_READ
from .gist import Gist, read
from .period import holds_until
from .said import Pair, Rule, Said, Verdict
from .scope import is_told_otherwise, is_what_failed, is_what_was_said, one_of_a_list, replaced
from .signs import Layer, Signs, heard, probability, says_change, score, seen, sees_whole
from .subject import is_of_another, is_of_another_part, names_more
from .substance import LONGEST_HEARD, is_fuller, is_said_again, may_be_said_again
from .tokens import term

T = TypeVar("T")

SUSPECTED = 0.5
MARGIN = 0.07
CERTAIN = 0.8
AGREED = 1.0  # the score from which the learned judge agrees by a margin that one value took the place of another ...
AGREED_ANEW = 2.25  # ... and that something else is told of the whole
SURE = 2.25  # the same where words cannot be laid side by side, but tell of a change or of another value
SAID_AGAIN = 2.7  # the judge's margin from which the same is said, if no word speaks against it
OVERRULES = 2.0  # the judge's margin from which part of a statement may have changed
SAME = 0.9  # of all words but the value
NEAR = 0.35
LONGEST = 200  # characters of a value that are shown
_LETTER = re.compile("[A-Za-z]")
_KEY_WORDS = 4
_SYMBOLS = "'\u2019@.#+-"  # belong to a word that begins with them or goes on after them
_WORD = re.compile(rf"[\w{_SYMBOLS}]+")
_WORKING = frozenset(("work", "fix", "solv", "succe", "pass", "repair"))  # terms that tell the success itself
_SUCCESS_SHARES = 0.5  # of what a success is about, in a lesson
_MOST_OF_IT = 0.5  # of what is taken back
_AT_ONCE = timedelta(minutes=15)  # "forget that" takes back what its speaker said just before


def settle(found: Iterable[tuple[T, Verdict]]) -> list[tuple[T, Verdict]]:
    """Of the verdicts on several old statements, those to act on.

    One statement rarely changes two: beside a strong suspicion the weaker ones are dropped.

    Args:
        found: what was judged, each with its verdict.
    """
    verdicts = list(found)
    strongest = max((verdict.certainty for _, verdict in verdicts if not verdict.retires), default=0.0)
    return [(old, verdict) for old, verdict in verdicts if verdict.retires or verdict.certainty >= strongest - MARGIN]


def verdicts(pairs: Sequence[Pair], relations: NDArray[np.float32] | None = None) -> list[Verdict | None]:
    """What the newer statement of each pair does to the older one; None: nothing.

    Args:
        pairs: one statement with each of those near it.
        relations: what the learned judge says of each pair: logits [n, 4]. None: the rules judge alone.
    """
    if relations is None:
        return [_judged(pair, None) for pair in pairs]
    return [_judged(pair, logits) for pair, logits in zip(pairs, relations, strict=True)]


def signs_of(pair: Pair, logits: NDArray[np.float32] | None = None) -> Signs:
    """All that the weights look at."""
    found = seen(pair, *_both(pair))
    return found if logits is None else found | heard(logits)


def _both(pair: Pair) -> tuple[Gist, Gist]:
    return read(pair.newer.content, pair.newer.speaker), read(pair.older.content, pair.older.speaker)


def _judged(pair: Pair, logits: NDArray[np.float32] | None) -> Verdict | None:
    new, old = pair.newer, pair.older
    if min(len(new.content), len(old.content)) > LONGEST_READ:
        return None  # only the beginnings would be compared: too little to tell what the one does to the other
    mine, theirs = _both(pair)
    # What holds for a while and what holds as a rule stand side by side.
    is_alike = (holds_until(new.content, new.when) is None) == (holds_until(old.content, old.when) is None)
    if is_alike and is_said_again(new, old):
        return _verdict("reinforce", pair, theirs.terms, retires=True, certainty=1.0)
    if share := _taken_back(new, old, mine, theirs):
        # "Ignore what I noted of X" may mean any note of X: certain only when it repeats what the note said.
        is_sure = len(mine.terms & theirs.terms) > 2 and is_what_was_said(new, old, mine.grammar)
        return _verdict("retract", pair, mine.terms, retires=is_sure, certainty=(1 + share) / 2)
    if old.kind == "lesson":
        return _success(pair, mine, theirs)
    if mine.cues.tentative or is_of_another(pair, mine, theirs):
        return None
    # Of what the old one says most may still be true, or all of it: who tells what failed may do it all the same.
    is_part = not is_alike or new.kind == "lesson" or one_of_a_list(old, mine)
    if logits is not None and all(map(_is_read, (new, old), (mine, theirs))):
        signs = signs_of(pair, logits)
        if is_alike and signs["judge: same"] >= SAID_AGAIN and may_be_said_again(pair, mine, theirs):
            rule: Rule = "restate" if is_fuller(mine, theirs) else "reinforce"
            return _verdict(rule, pair, theirs.terms, retires=True, certainty=CERTAIN)
        if is_part and signs["judge: change"] < OVERRULES:
            return None
        found = _change(pair, signs, "together", is_whole=sees_whole(logits))
        return found and found._replace(retires=found.retires and not is_part)
    is_far = pair.similarity is not None and pair.similarity < NEAR and pair.lead < 0
    return None if is_far or is_part else _change(pair, signs_of(pair), "rules")


def _is_read(said: Said, gist: Gist) -> bool:
    """Whether the learned judge can read it: what has no Latin letter passes for English as well."""
    return gist.grammar.is_english and _LETTER.search(said.content) is not None


def _change(pair: Pair, signs: Signs, layer: Layer, *, is_whole: bool = False) -> Verdict | None:
    """A change of what the old statement says: certain, nearly so and agreed on, or suspected."""
    mine, theirs = _both(pair)
    found = score(signs, layer)
    values = replaced(pair, mine, theirs)
    is_open = values is not None and values.is_open
    is_settled = not (is_open or _is_reserved(pair, mine) or is_of_another_part(mine, theirs))
    is_agreed = is_whole and found >= (AGREED if values and values.new else AGREED_ANEW)
    if is_settled and values is not None and (values.is_sure or is_agreed):
        rule: Rule = "polarity" if not values.new and mine.cues.denies != theirs.cues.denies else "replace"
        certainty = max(probability(found), CERTAIN)
        return _verdict(rule, pair, mine.terms, retires=True, certainty=certainty, values=values[:2])
    is_another = layer == "rules" and signs["another value"] >= SAME and mine.cues.changes
    if is_another or (values is not None and values.new):
        found = max(found, 0.0)  # one stands where the other stood: no judge may overlook that
    if found < 0 or not mine.terms or not theirs.terms:
        return None
    rule = "partial" if len(theirs.sentences) > 1 else "replace"
    is_sure = is_settled and rule == "replace" and is_whole and found >= SURE and _may_be_sure(signs, mine, theirs)
    return _verdict(rule, pair, mine.terms, retires=is_sure, certainty=probability(found))


def _is_reserved(pair: Pair, mine: Gist) -> bool:
    """Whether the new one alone is for later, for a while, for a reason, or hearsay: the old one may still hold."""
    reserved = mine.grammar.phrases["reserved"].search
    return reserved(fold(pair.newer.content)) is not None and reserved(fold(pair.older.content)) is None


def _may_be_sure(signs: Signs, mine: Gist, theirs: Gist) -> bool:
    """Whether the words agree with a judge who is sure: they tell of a change, and not of a part of what was said."""
    if max(len(mine.words), len(theirs.words)) > LONGEST_HEARD:
        return False  # of which it has read the beginning
    return says_change(signs) and is_told_otherwise(mine, theirs) and not names_more(mine, theirs)


def _verdict(
    rule: Rule,
    pair: Pair,
    about: frozenset[str],
    *,
    retires: bool,
    certainty: float,
    values: tuple[str, str] = ("", ""),
) -> Verdict:
    was, now = (_written(*one) for one in zip((pair.older.content, pair.newer.content), values, strict=True))
    return Verdict(rule, _topic(pair.older, about), was, now, retires, round(certainty, 3))


def _written(content: str, value: str) -> str:
    """A value as the statement writes it; the statement itself where there is none."""
    at = fold(content).find(value)
    return content[at : at + len(value)] if value and at >= 0 else content[:LONGEST]


def _topic(old: Said, terms: frozenset[str]) -> str:
    """What the old statement is about: the first few of these terms, as it writes them."""
    words = (found[0].rstrip(_SYMBOLS) for found in _WORD.finditer(old.content))
    found = (word for word in words if term(fold(word).removesuffix("'s")) in terms)
    return " ".join(dict.fromkeys(islice(found, _KEY_WORDS))).casefold() or old.content[:LONGEST]


def _taken_back(new: Said, old: Said, mine: Gist, theirs: Gist) -> float:
    """How much of what the new statement speaks of is in the old one, where it takes something back; 0: it does not.

    Any of its sentences may tell what it is about, as long as most of its words are in the old one.
    """
    if not mine.cues.retracts:
        return 0.0
    for about in mine.sentences:
        shared = about & theirs.terms
        if len(shared) > _MOST_OF_IT * len(about) and (len(shared) > 1 or len(mine.sentences) == 1):
            return len(shared) / len(about)
    at_once = new.speaker == old.speaker and timedelta(0) <= new.when - old.when <= _AT_ONCE
    return _MOST_OF_IT if at_once and not mine.terms else 0.0


def _success(pair: Pair, mine: Gist, theirs: Gist) -> Verdict | None:
    """Whether what a lesson says failed has worked since."""
    new, old = pair.newer, pair.older
    if new.kind == "lesson" or mine.cues.denies or not mine.grammar.phrases["worked"].search(fold(new.content)):
        return None
    about = mine.terms - _WORKING
    shared = about & theirs.terms
    if len(shared) < 2 or len(shared) < _SUCCESS_SHARES * len(about):
        return None
    is_sure = shared == about and is_what_failed(new, old, mine.grammar)
    return _verdict("success", pair, shared, retires=is_sure, certainty=len(shared) / len(about))

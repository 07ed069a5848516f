"""What a new statement does to an older one: a pure judgement on a pair, with its reasons.

Retiring a true statement is the worst fault. So a change is *suspected* when the signs add up, and the old statement is
retired only when the claim is certainly the same, down to every word, and the new one says that it changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from . import phrases, weights
from .comparing import Comparison, compare
from .folding import fold
from .period import period
from .reading import LONGEST as LONGEST_READ
from .reading import Clause, Reading, read
from .repeating import said_again
from .retracting import retraction
from .rewording import is_reworded
from .said import Rule, Said, Verdict
from .scope import differ_in_the_value, is_what_failed
from .signs import Signs, compared, seen
from .weighing import logit, signs
from .wording import LONGEST, claim, topic, values

T = TypeVar("T")

SUSPECTED = 0.5
MARGIN = 0.07
MOST_COMPARED = 60  # pairs of clauses: two long texts must not cost more than a few milliseconds
CERTAIN = 0.8
NEAR = 0.35
PLAIN = 0.5  # what the rules give to a plain change: one that needs no other sign
_CERTAINLY = 1.4  # what the rules give at least to a pair of clauses that are certain
_WORKING = frozenset(("work", "fix", "solv", "succe", "pass", "repair"))  # terms that tell the success itself
_SUCCESS_SHARES = 0.5  # of what a success is about, in a lesson


def settle(found: Iterable[tuple[T, Verdict]]) -> list[tuple[T, Verdict]]:
    """Of the verdicts on several old statements, those to act on.

    One statement rarely changes two: beside a strong suspicion the weaker ones are dropped.

    Args:
        found: what was judged, each with its verdict.
    """
    verdicts = list(found)
    strongest = max((verdict.certainty for _, verdict in verdicts if not verdict.retires), default=0.0)
    return [(old, verdict) for old, verdict in verdicts if verdict.retires or verdict.certainty >= strongest - MARGIN]


def judge(
    new: Said,
    old: Said,
    similarity: float | None,
    lead: float = 0.0,
    *,
    score: Callable[[Signs], float] = weights.score,
) -> Verdict | None:
    """What the new statement does to the old one; None: nothing.

    Args:
        new: the statement that is being said.
        old: one said before.
        similarity: the cosine of their vectors, where known.
        lead: how much nearer the old one is than any other that was found.
        score: how strongly signs speak for a change, above 0 for one; the learned weights.
    """
    if _is_far(new, old, similarity, lead):
        return None
    pair = Pair(new, old, similarity, lead)
    if not pair.mine.clauses or not pair.theirs.clauses:
        return None
    if pair.alike and (again := said_again(new, old)):
        return again
    if pair.alike and is_reworded(new, old, pair.mine, pair.theirs, similarity):
        return None
    if withdrawn := retraction(new, old, pair.mine, pair.theirs):
        return withdrawn
    if old.kind == "lesson":
        return _success(new, old, pair.mine, pair.theirs)
    return _change(pair, score)


class Pair:
    """Two statements side by side."""

    def __init__(self, new: Said, old: Said, similarity: float | None, lead: float) -> None:
        self.new, self.old, self.similarity, self.lead = new, old, similarity, lead
        self.mine, self.theirs = read(new.content, new.speaker), read(old.content, old.speaker)
        self.closest: Comparison | None = None
        # What holds for a while and what holds as a rule stand side by side.
        self.alike = (period(new.content, new.when) is None) == (period(old.content, old.when) is None)

    def best(self) -> tuple[Comparison | None, float]:
        """The two clauses that speak for a change most, and how much, by the rules."""
        best, most = None, -math.inf
        for known, clause in islice(_pairs(self.mine, self.theirs), MOST_COMPARED):
            c = compare(known, clause)
            found = logit(signs(c, self.mine, self.theirs, self.similarity))
            if _is_certain(c):
                found = max(found, _CERTAINLY)
            if found >= most:
                best, most = c, found
        return best, most

    def signs(self) -> Signs | None:
        """All that the weights look at; None where nothing could change.

        What is asked, considered or a warning changes nothing, nor does one member change a list.
        """
        if not self.alike or "lesson" in (self.new.kind, self.old.kind):
            return None
        if all([clause.cues.asks or clause.cues.tentative for clause in self.mine.clauses]):
            return None
        self.closest, rules = self.best()
        if self.closest is not None and _changes_a_list(self.closest):
            return None
        found = seen(self.new, self.old, self.mine, self.theirs, self.similarity, self.lead)
        found.update(compared(self.closest, rules))
        return found


def _change(pair: Pair, score: Callable[[Signs], float]) -> Verdict | None:
    found = pair.signs()
    if found is None:
        return None
    best = pair.closest
    certainty = probability(max(score(found), found["rules"] - PLAIN))
    certain = best is not None and _is_certain(best)
    if certain:
        certainty = max(certainty, CERTAIN)
    if certainty < SUSPECTED:
        return None
    if best is None:
        about = topic(pair.old.content, pair.theirs.terms & pair.mine.terms or pair.theirs.terms)
        was, now = pair.old.content[:LONGEST], pair.new.content[:LONGEST]
        return Verdict("replace", about, was, now, False, round(certainty, 3))
    rule = _rule(best, pair.theirs)
    retires = certain and rule != "partial" and differ_in_the_value(pair.new, pair.old, best)
    return Verdict(rule, claim(best), *values(best), retires, round(certainty, 3))


def _is_far(new: Said, old: Said, similarity: float | None, lead: float) -> bool:
    """Whether it is not worth reading: another candidate is nearer and this one not near, and nothing is withdrawn."""
    if min(len(new.content), len(old.content)) > LONGEST_READ:
        return True  # only the beginnings would be compared: too little to tell what the one does to the other
    if similarity is None or similarity >= NEAR or lead >= 0 or old.kind == "lesson":
        return False
    return not read(new.content, new.speaker).says.retracts


def probability(score: float) -> float:
    """How likely the new statement makes the old one untrue."""
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))


def _pairs(mine: Reading, theirs: Reading) -> Iterator[tuple[Clause, Clause]]:
    """Clauses that may be about one claim. What is asked or merely considered changes nothing."""
    for clause in mine.clauses:
        if not clause.cues.asks and not clause.cues.tentative:
            yield from (
                (known, clause) for known in theirs.clauses if not known.cues.asks and _comparable(known, clause)
            )


def _comparable(old: Clause, new: Clause) -> bool:
    """Whether two clauses can be about one claim: words or an attribute in common, and not each about its speaker."""
    if old.terms.isdisjoint(new.terms) and old.concepts.isdisjoint(new.concepts):
        return False
    return old.who == new.who or not old.who or not new.who or "we" in (old.who, new.who)


def _rule(c: Comparison, theirs: Reading) -> Rule:
    if any(clause.sentence != c.old.sentence for clause in theirs.clauses):
        return "partial"
    if c.opposite and not c.difference:
        return "polarity"
    return "succession" if c.role else "replace"


def _is_certain(c: Comparison) -> bool:
    """Whether subject and attribute are the same beyond doubt, and the new clause says outright that it changed."""
    said = c.new.cues.changes or c.ended or c.flip == 1
    named = len(c.shared) > 1 or bool(c.concept)
    same = named and c.cover_old == c.cover_new == 1 and not c.mismatch
    apart = c.extra_old or c.extra_new or c.contrast or c.several or c.new.cues.adds or c.new.cues.stays
    clear = c.difference in ("typed", "name") or (c.opposite and not c.difference)
    # Ana moved to the team, the team moved to Basel: what is said of another subject is another claim.
    about = not c.old.subject or not c.new.subject or not c.old.subject.isdisjoint(c.new.subject)
    return said and same and clear and about and not apart and c.old.who == c.new.who


def _changes_a_list(c: Comparison) -> bool:
    """Whether the new clause touches some members of a list and not others: the statement as a whole stays."""
    said = c.new.terms
    if not any(member & c.old.terms for member in c.old.members):  # weekdays, numbers
        said = said.union(*c.new.values.values())
    touched = [not member.isdisjoint(said) for member in c.old.members]
    return any(touched) and not all(touched)


def _success(new: Said, old: Said, mine: Reading, theirs: Reading) -> Verdict | None:
    """Whether what a lesson says failed has worked since."""
    if new.kind == "lesson" or not phrases.SUCCESS.search(fold(new.content)):
        return None
    for clause in mine.clauses:
        about = clause.terms - _WORKING
        shared = about & theirs.terms
        share = len(shared) / len(about) if about else 0.0
        if share >= _SUCCESS_SHARES and len(shared) > 1 and clause.cues.polarity > 0:
            sure = share == 1 and is_what_failed(new, old)
            return Verdict("success", topic(old.content, shared), old.content, new.content, sure, round(share, 3))
    return None

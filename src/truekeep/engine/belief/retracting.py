"""Whether a statement takes an older one back: "scratch that about the ferry", "what I said about Ivo was wrong"."""

from __future__ import annotations

from datetime import timedelta

from .comparing import akin
from .reading import Clause, Reading
from .said import Said, Verdict
from .scope import is_what_was_said
from .wording import topic

AT_ONCE = timedelta(minutes=15)  # "forget that" takes back what its speaker said just before


def retraction(new: Said, old: Said, mine: Reading, theirs: Reading) -> Verdict | None:
    """A verdict when the new statement withdraws what the old one says.

    The clause with the cue rarely says everything: "that note of mine is wrong". So any clause of the statement may
    tell what it is about, as long as most of its words are in the old one.
    """
    if not any(clause.cues.retracts for clause in mine.clauses):
        return None
    told = _plain(theirs.terms | theirs.values)
    for clause in mine.clauses:
        about = _about(clause)
        shared = frozenset(word for word in about if word in told or any(akin(word, other) for other in told))
        if not shared or (len(shared) == 1 and not clause.cues.retracts):
            continue
        share = len(shared) / len(about)
        if share > 0.5 or (share == 0.5 and _is_told(shared, theirs)):
            return _withdrawn(new, old, shared, certainty=(1 + share) / 2)
    if not mine.terms and new.speaker == old.speaker and timedelta(0) <= new.when - old.when <= AT_ONCE:
        return _withdrawn(new, old, theirs.terms, certainty=0.5)
    return None


def _withdrawn(new: Said, old: Said, shared: frozenset[str], *, certainty: float) -> Verdict:
    # "Ignore what I noted of X" may mean any note of X: certain only when it repeats what the note said.
    retires = len(shared) > 2 and certainty > 0.8 and is_what_was_said(new, old)
    return Verdict("retract", topic(old.content, shared), old.content, new.content, retires, round(certainty, 3))


def _about(clause: Clause) -> frozenset[str]:
    return _plain(clause.terms.union(*clause.values.values()))


def _plain(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word.lstrip("#") for word in words)


def _is_told(shared: frozenset[str], theirs: Reading) -> bool:
    """Whether what is shared is a name that the old statement tells, rather than one that it is about."""
    return any(not shared.isdisjoint(clause.names - clause.subject) for clause in theirs.clauses)

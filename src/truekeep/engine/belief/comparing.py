"""Two clauses side by side: what they share, what differs, and of what type that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .reading import NOTHING, Clause

Difference = Literal["", "typed", "name", "place", "open"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How an old clause and a new one relate: all that the score sees, but for the likeness of the vectors."""

    old: Clause
    new: Clause
    shared: frozenset[str]
    cover_old: float  # how much of what the old one is about, its value apart, the new one repeats
    cover_new: float
    difference: Difference  # the type of the value in which they differ
    clash: bool  # both have typed values, none of a type in common: what it costs, when it starts
    concept: str  # an attribute that both are about
    role: bool  # both tell who does something
    extra_old: int  # words that only this subject has, while the other is silent
    extra_new: int
    contrast: bool  # they are told apart: the north gate, the south gate
    apart: float  # each subject has a word of its own; less where the subject is a guess
    mismatch: int  # other words on both sides that agree with nothing
    verbs: int  # +1 the same verb, -1 another one, 0 no telling
    ended: bool  # the new one says that something in the old one came to its end
    several: bool  # of the kind of which several may be true
    opposite: bool  # one affirms, the other denies
    flip: float  # how much of it is turned into the opposite


def compare(old: Clause, new: Clause) -> Comparison:
    """Lay the two side by side."""
    shared = old.terms & new.terms
    only_old, only_new = old.terms - shared, new.terms - shared
    shared, only_old, only_new = _kindred(old, new, shared, only_old, only_new)
    role = not old.roles.isdisjoint(new.roles)
    concept = _concept(old, new)
    difference = _difference(old, new, shared)
    value_old, value_new = only_old & old.names, only_new & new.names
    if difference == "place":
        value_old, value_new = only_old - old.subject, only_new - new.subject
    cover_old = _share(shared, old.core - value_old)
    cover_new = _share(shared, new.core - value_new)
    extra_old, extra_new = _own_words(old, new, shared, role, concept)
    opposite = old.cues.polarity != new.cues.polarity
    contrast = (
        _otherwise_qualified(old, new)
        or _more_values(old, new) > 0
        or (extra_old > 0 < extra_new and (extra_old + extra_new > 4 or _modified_otherwise(old, new, shared)))
    )
    return Comparison(
        old=old,
        new=new,
        shared=shared,
        cover_old=cover_old,
        cover_new=cover_new,
        difference=difference,
        clash=bool(old.values and new.values) and _types(old).isdisjoint(_types(new)),
        concept=concept,
        role=role,
        extra_old=extra_old,
        extra_new=extra_new,
        contrast=contrast,
        apart=0.0 if contrast or not (extra_old and extra_new) else 1.0 if old.parsed and new.parsed else 0.5,
        mismatch=0 if concept else min(len(only_old - value_old), len(only_new - value_new)),
        verbs=_verbs(old, new),
        ended=not old.cues.ends and not new.ended.isdisjoint(old.terms),
        several=not opposite and _several(old, new, shared),
        opposite=opposite,
        flip=_flip(old, new, shared) if opposite and difference != "name" else 0.0,
    )


def _share(shared: frozenset[str], about: frozenset[str]) -> float:
    return min(1.0, len(shared) / len(about)) if about else 0.0


def _flip(old: Clause, new: Clause, shared: frozenset[str]) -> float:
    """How much of what one affirms the other denies; that both speak of themselves counts as a word in common."""
    mine = int(bool(old.who) and old.who == new.who and bool(shared))
    less, most = sorted((len(shared) + mine) / max(1, len(clause.core | shared) + mine) for clause in (old, new))
    return max(0.0, 1.2 * most + 0.8 * less - 1)


def akin(a: str, b: str) -> bool:
    """Whether two terms are of one family: photo, photography."""
    return len(a) >= _ROOT <= len(b) and (a.startswith(b) or b.startswith(a)) and (a + b).isalpha()


def _kindred(
    old: Clause, new: Clause, shared: frozenset[str], only_old: frozenset[str], only_new: frozenset[str]
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Words of one family count as shared: photo, photography. Names do not."""
    if len(only_old) * len(only_new) > _MOST_PAIRS:
        return shared, only_old, only_new
    for a in only_old - old.names:
        for b in only_new - new.names:
            if akin(a, b):
                shared, only_old, only_new = shared | {a, b}, only_old - {a}, only_new - {b}
    return shared, only_old, only_new


def _concept(old: Clause, new: Clause) -> str:
    """An attribute that both tell of one and the same; "new address: ..." is that of who says it."""
    both = old.concepts & new.concepts
    if not both or (old.subject ^ new.subject) - old.known - new.known - old.names - new.names:
        return ""
    if not (old.subject and new.subject) and (old.subject & old.names or new.subject & new.names):
        return ""  # lives in Ghent; Katrien lives in Lyon
    one = old.who == new.who or (old.speaker == new.speaker and not (old.who and new.who))
    return min(both) if one else ""


def _difference(old: Clause, new: Clause, shared: frozenset[str]) -> Difference:
    if old.headed and new.headed and old.subject == new.subject:
        return "place"  # soup of the day: leek
    for kind, found in old.values.items():
        if any(found.isdisjoint(new.values[other]) for other in _kinds_like(kind, new)):
            return "typed"
    if (old.names - shared) and (new.names - shared):
        return "name"
    for name, found in old.slots:
        for other, mine in new.slots:
            if (
                name not in _QUALIFYING
                and _slots_compete(name, other)
                and found.isdisjoint(new.terms)
                and mine.isdisjoint(old.terms)
            ):
                return "open" if name == "is" else "place"
    return ""


def _types(clause: Clause) -> set[str]:
    return {kind.partition(" ")[0] for kind in clause.values}


def _slots_compete(old: str, new: str) -> bool:
    """In the hall, on the terrace: both say where."""
    return old == new or {old, new} <= _WHERE


def _kinds_like(kind: str, clause: Clause) -> list[str]:
    """The types of value in a clause that compete with this one; a number without a unit may count anything."""
    if kind in clause.values:
        return [kind]
    if kind == "number ":
        return [other for other in clause.values if other.startswith("number ") and "#" not in other]
    if kind.startswith("number ") and "#" not in kind and "number " in clause.values:
        return ["number "]
    return []


_QUALIFYING = {"", "for", "of"}  # slots that tell which one, rather than what of it
_OPPOSITE = (("to", "from"), ("before", "after"), ("with", "without"))
_WHERE = {"in", "at", "on", "under"}
_SHORT = 3  # terms of a clause that may be said as one noun with its modifiers
_MOST_PAIRS = 150
_ANOTHER = 3  # words of its own, as it were, that a subject has which is certainly another one
_ROOT = 5  # letters that two words of one family share


def _own_words(old: Clause, new: Clause, shared: frozenset[str], role: bool, concept: str) -> tuple[int, int]:
    """How many words each subject has that the other clause lacks: the north gate, the south gate."""
    a = old.subject - shared - new.values.get("weekday", NOTHING)
    b = new.subject - shared - old.values.get("weekday", NOTHING)
    if concept:
        a, b = a - old.known, b - new.known
    told_apart = a and b and old.names - old.subject - shared and new.names - new.subject - shared
    if (
        role
        and not told_apart
        and not (a & old.names and b & new.names and old.roles & old.subject and new.roles & new.subject)
    ):
        a, b = a - old.names, b - new.names  # who has a role is its value, wherever the name stands
    elif (not b and a == old.subject & old.names == old.subject and new.names - shared) or (
        not a and b == new.subject & new.names == new.subject and old.names - shared
    ):
        return 0, 0  # Boyle teaches 7b; 7b is with Nakamura
    if a & old.names and b & new.names:
        return _ANOTHER, _ANOTHER  # Nadine's, and Nadja's
    if _foreign(a, old, new, shared) or _foreign(b, new, old, shared):
        return _ANOTHER, _ANOTHER  # mine, and my wife's
    return min(2, len(a)), min(2, len(b))


def _modified_otherwise(old: Clause, new: Clause, shared: frozenset[str]) -> bool:
    """Whether a word of the subjects stands behind another one: the north gate, the south gate."""
    theirs, mine = _modifiers(old, shared), _modifiers(new, shared)
    return any(mine[word].isdisjoint(found) for word, found in theirs.items() if word in mine)


def _modifiers(clause: Clause, shared: frozenset[str]) -> dict[str, frozenset[str]]:
    return {
        head: frozenset((word,))
        for word, head in zip(clause.sequence, clause.sequence[1:], strict=False)
        if head in shared and word not in shared and word in clause.subject and head in clause.subject
    }


def _foreign(own: frozenset[str], clause: Clause, other: Clause, shared: frozenset[str]) -> bool:
    """Whether one is about its speaker, and the other about somebody else."""
    return bool(own) and other.bare and other.who != "we" and clause.subject.isdisjoint(shared)


def _otherwise_qualified(old: Clause, new: Clause) -> bool:
    """For the booth, for travel; to the quarry, from the quarry; model A, model C."""
    theirs, mine = dict(old.slots), dict(new.slots)
    for name in ("for", "of"):
        a, b = theirs.get(name, NOTHING), mine.get(name, NOTHING)
        if a and b and a.isdisjoint(new.terms) and b.isdisjoint(old.terms):
            return True
    if _other_label(old, new) or is_modifier(old, new):
        return True
    return opposite_ways(old, new) or _changed_sides(old, new)


def is_modifier(old: Clause, new: Clause) -> bool:
    """Tea is green, green tea is bitter: what was told only tells which one now."""
    if new.headed or len(old.terms) > _SHORT or not old.subject or old.terms <= old.subject:
        return False
    return old.terms <= new.subject and not new.terms <= new.subject


def opposite_ways(old: Clause, new: Clause) -> bool:
    """To the quarry, from the quarry; before lunch, after lunch."""
    theirs, mine = dict(old.slots), dict(new.slots)
    return any(
        not theirs.get(a, NOTHING).isdisjoint(mine.get(b, NOTHING))
        or not theirs.get(b, NOTHING).isdisjoint(mine.get(a, NOTHING))
        for a, b in _OPPOSITE
    )


def _changed_sides(old: Clause, new: Clause) -> bool:
    """Ana manages Ben, Ben manages Ines."""
    if not old.verb or old.verb != new.verb:
        return False
    theirs, mine = old.names & old.core, new.names & new.core
    return not (theirs - old.subject).isdisjoint(new.subject) or not (mine - new.subject).isdisjoint(old.subject)


def _other_label(old: Clause, new: Clause) -> bool:
    """Model A, model C."""
    return any(
        noun in old.subject and new.labels.get(noun, label) != label and f"#{label}" not in new.terms
        for noun, label in old.labels.items()
    )


def _several(old: Clause, new: Clause, shared: frozenset[str]) -> bool:
    if (old.cues.many and new.cues.many) or (old.cues.polarity < 0 > new.cues.polarity and not new.cues.changes):
        return True  # I like jazz, I like tea; no dogs here, no smoking here
    return not shared.isdisjoint(old.introduced)


def _more_values(old: Clause, new: Clause) -> int:
    """How many values differ beyond the first: 5 km on Monday and 8 km on Thursday are two runs."""
    kinds = old.values.keys() & new.values.keys()
    return max(0, sum(old.values[kind].isdisjoint(new.values[kind]) for kind in kinds) - 1)


def _verbs(old: Clause, new: Clause) -> int:
    if not old.verb or not new.verb:
        return 0
    return 1 if old.verb == new.verb else -1

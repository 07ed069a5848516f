"""Whether a statement seems to say an older one in other words, or with more detail: no reason to doubt that.

It is a guess, so both stay. Nearly the same words may say the opposite: every name and value of the old statement has
to come again, and its words in the same place; what is left out is only forgiven where the new one adds nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .comparing import is_modifier, opposite_ways
from .folding import fold
from .reading import NOTHING, Clause, Reading
from .said import Said

UNKNOWN_LIKENESS = 0.6
MOST_COMPARED = 60  # pairs of clauses
_CLOSE = 0.5
_INTRODUCED = 0.42  # "I own a boat", "my boat is a sloop"
# Share of the words and likeness, where the new one adds nothing or has only the verb in another word.
_SHORTER = (0.5, 0.7)
_TELLING = {"", "is", "of", "rest"}  # slots in which anything may stand
_WORDS = re.compile(r"\w+")
# "Note that ...", "right, ...", "by the way": said in passing, or the very thing: a note, the right valve, a day.
_OFTEN_EMPTY = {
    *("note", "right", "part", "time", "times", "record", "way", "update", "info", "moment", "good", "great", "nice"),
    *("morning", "afternoon", "evening", "night", "week", "month", "year", "day", "days", "full"),
}
# And where it adds something elsewhere; less of the words will do where a name or a number tells what it is about.
_LEFT_OUT = ((0.66, 0.8),)
_ANCHORED = ((0.6, 0.75), (0.5, 0.8))


def is_reworded(new: Said, old: Said, mine: Reading, theirs: Reading, similarity: float | None) -> bool:
    """Whether the new statement tells, by all signs, what the old one does."""
    likeness = UNKNOWN_LIKENESS if similarity is None else similarity
    if len(mine.clauses) * len(theirs.clauses) > MOST_COMPARED:
        return False
    if not _says_all(mine, theirs, likeness) or _swaps_a_small_word(new, old):
        return False
    return not _is_another_name(new, old, mine, theirs) and not any(_differs(mine, theirs))


def _says_all(mine: Reading, theirs: Reading, likeness: float) -> bool:
    """Whether every name and value of the old one is there, and its words, close together."""
    if not theirs.names <= mine.terms or not theirs.terms or not _has_values(mine, theirs):
        return False
    cover = min(_covered(known, theirs.names, mine) for known in theirs.sentences if known)
    if cover == 1:
        introduced = all(clause.introduced for clause in theirs.clauses)
        return likeness >= (_INTRODUCED if introduced else _CLOSE)
    missing = theirs.terms - mine.terms
    if any(word[0] in "#'" or word[0] > "\u2fff" for word in missing):
        return False  # which one of its kind, or a character of a script where each means something
    reworded = _is_verb(missing, mine, theirs) and (len(theirs.terms & mine.terms) > 2 or bool(theirs.values))
    if mine.terms <= theirs.terms or reworded:
        return cover >= _SHORTER[0] and likeness >= _SHORTER[1]
    anchored = bool(theirs.values or theirs.names or any(clause.marks for clause in theirs.clauses))
    enough = any(cover >= least and likeness >= close for least, close in (_ANCHORED if anchored else _LEFT_OUT))
    return enough and not _stands_instead(missing, mine, theirs)


def _stands_instead(missing: frozenset[str], mine: Reading, theirs: Reading) -> bool:
    """Whether something of the new one stands where something of the old one is missing: red, blue."""
    gone = {name for clause in theirs.clauses for name, found in clause.slots if not found.isdisjoint(missing)}
    own = mine.terms - theirs.terms
    beside = [clause for clause in mine.clauses if not clause.terms.isdisjoint(theirs.terms)]
    if any(clause.verb in missing for clause in theirs.clauses):  # it works; it is out of order
        return any(not clause.terms.isdisjoint(own) for clause in beside)
    come = {name for clause in beside for name, found in clause.slots if not found.isdisjoint(own)}
    return not gone.isdisjoint(come)


def _is_verb(missing: frozenset[str], mine: Reading, theirs: Reading) -> bool:
    """Whether only a verb is missing, and no other stands in its place: they accept, it has to be."""
    verbs = {clause.verb for clause in theirs.clauses}
    return missing <= verbs and not any(clause.verb for clause in mine.clauses)


def _has_values(mine: Reading, theirs: Reading) -> bool:
    """Whether each value comes again, and counts the same: 12 beds and 3 nurses are not 3 beds and 12 nurses."""
    if not theirs.values <= mine.values:
        return False
    typed: dict[str, frozenset[str]] = {}
    for clause in mine.clauses:
        for kind, found in clause.values.items():
            typed[kind] = typed.get(kind, NOTHING) | found
    return all(found <= typed.get(kind, found) for clause in theirs.clauses for kind, found in clause.values.items())


def _covered(known: frozenset[str], names: frozenset[str], mine: Reading) -> float:
    """How much of one sentence comes again in one sentence, its names before all."""
    return max(len(known & said) if names & known <= said else 0 for said in mine.sentences) / len(known)


def _swaps_a_small_word(new: Said, old: Said) -> bool:
    """Whether a word that often says nothing is what the old one is about, and another stands there now."""
    before, now = (frozenset(_WORDS.findall(fold(said.content))) for said in (old, new))
    return not _OFTEN_EMPTY.isdisjoint(before - now) and not now <= before


def _is_another_name(new: Said, old: Said, mine: Reading, theirs: Reading) -> bool:
    """Whether only the capitals differ, and make a name of a word: us, US."""
    return mine.names != theirs.names and fold(new.content) == fold(old.content)


def _differs(mine: Reading, theirs: Reading) -> Iterator[bool]:
    """Signs that it is not the same after all."""
    yield _order(mine, theirs) != _order(theirs, mine)
    yield not mine.terms <= theirs.terms and not _attributes(theirs) <= _attributes(mine)  # she likes it, she bought it
    # Who else is named beside a role, or behind a colon, may have taken it over.
    yield any(clause.roles or clause.headed for clause in theirs.clauses) and not mine.names <= theirs.terms
    for known in theirs.clauses:
        for clause in mine.clauses:
            if shared := known.terms & clause.terms:
                yield _is_of_another(clause, known, mine, theirs)
                # "Jo eats no meat, he is vegan": what is denied there is not what was said of Jo.
                yield (shared == known.terms or not shared <= theirs.names) and _says_otherwise(clause, known)
                yield _is_elsewhere(clause, known)


def _attributes(one: Reading) -> frozenset[str]:
    return frozenset[str]().union(*(clause.concepts for clause in one.clauses))


def _order(one: Reading, other: Reading) -> list[str]:
    """The names that both have, in their order: Ana manages Ben, Ben manages Ana."""
    both = one.names & other.names
    return [name for name in one.order if name in both]


def _is_of_another(clause: Clause, known: Clause, mine: Reading, theirs: Reading) -> bool:
    own = clause.subject - theirs.terms - theirs.values
    if clause.headed and own == clause.subject and clause.who == known.who != "":
        own = NOTHING  # "Please note: I ..."
    if own and (known.bare or not known.subject <= mine.terms):
        return True
    if any(clause.labels.get(noun, label) != label for noun, label in known.labels.items()):
        return True
    if is_modifier(known, clause):
        return True
    return bool(clause.who and known.who and clause.who != known.who and "we" not in (clause.who, known.who))


def _is_elsewhere(clause: Clause, known: Clause) -> bool:
    """Whether something else stands where it stood: mail goes on the bus; missed the bus, mail went on the boat."""
    slots = dict(clause.slots)
    return any(
        name not in _TELLING and not found <= clause.names and found.isdisjoint(slots.get(name, found))
        for name, found in known.slots
    )


def _says_otherwise(clause: Clause, known: Clause) -> bool:
    cues, before = clause.cues, known.cues
    return (
        cues.polarity != before.polarity
        or cues.ends != before.ends
        or cues.adds
        or cues.asks
        or cues.tentative
        or cues.retracts
        or (cues.changes and not before.changes and not cues.reminds)
        or opposite_ways(known, clause)
    )

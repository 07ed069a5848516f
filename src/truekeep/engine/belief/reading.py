"""A statement, read: its clauses, and in each the words, the typed values and the cues of change. No grammar.

A clause is cut into *slots*: what stands before its verb (the subject), what follows, and one for each preposition.
Two statements about one thing agree in all slots but one; two that merely look alike differ in several.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from . import lexicon as lex
from . import phrases
from .building import Builder, guessed_verb
from .cues import Cues, cues_of
from .folding import fold
from .grammar import Grammar, grammar_of
from .tokens import term, tokens_of

LONGEST = 4000  # characters that are looked at
MOST_CLAUSES = 40
NOTHING: frozenset[str] = frozenset()

_SENTENCE = re.compile(r"(?<=[.!?\u2026])[\s)\"']+|\n+|[\u3002\uff01\uff1f]|\s+[\u2014\u2013-]{1,3}\s+|;\s*")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:dr|mr|mrs|ms|st|no|nr|prof|vs|approx|ca|inc|ltd|bzw|z\.b|e\.g|i\.e|sr|sra|mme|ing|[a-z]|\d{1,2})\.$",
    re.I,
)
_BLANKS = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_WORD = re.compile(r"[\w'.-]*\w")
_PLAIN_WORD = re.compile(r"[^\W\d_]+")
_CONTRACTION = re.compile(r"['\u2019](?:s|t|re|ve|ll|d|m)\b")  # English: they must not pass for French
_TELLING = 400  # characters that are enough to tell a language
_CLAUSE = re.compile(
    r",\s+(?=(?:and|but|so|because|we|i|he|she|they|my|our|which|that|who|his|her|their|und|aber|weil|ich|wir|er|sie"
    r"|et|mais|je|nous|il|elle|y|pero|yo|ma|io|e|mas|eu|en|maar|ik|och|men|jag|no|not|never|kein|keine|nicht|pas|sin|senza"
    r"|sem|geen)\b)|\s+(?=because\b|weil\b|parce que\b|porque\b|perche\b|omdat\b)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """What one clause says."""

    text: str
    sentence: int  # which one of the statement it belongs to
    subject: frozenset[str]  # terms before the verb
    bare: bool  # the subject is the speaker himself, or his team
    headed: bool  # a colon takes the place of its verb
    parsed: bool  # its verb was found
    sequence: tuple[str, ...]  # its terms as they come
    verb: str  # empty when it only binds, as "is" does
    slots: tuple[tuple[str, frozenset[str]], ...]  # terms by slot
    terms: frozenset[str]  # all words that say what it is about, names among them
    core: frozenset[str]  # those that no comma sets apart from the verb
    names: frozenset[str]
    order: tuple[str, ...]  # the names as they come
    sure: frozenset[str]  # names that are not merely the first word of a sentence
    labels: dict[str, str]  # which one of its kind: chapter 3, model A
    marks: frozenset[str]  # the numbers of these
    values: dict[str, frozenset[str]]  # typed: "number kg", "time", "date", "weekday", "mail"
    concepts: frozenset[str]
    known: frozenset[str]  # words by which an attribute or a role is told: no part of what tells subjects apart
    roles: frozenset[str]
    speaker: str
    who: str  # the speaker when it is about himself, "we" when about his team, else empty
    cues: Cues
    introduced: frozenset[str]  # terms of which there may be several: "a replica", "an account"
    members: tuple[frozenset[str], ...]  # of a list, when it gives one
    ended: frozenset[str]  # terms beside a word of ending: "left the guild", "the kiln is gone"


class Says(NamedTuple):
    """What any clause of a statement says."""

    changes: bool
    ends: bool
    stays: bool
    retracts: bool
    denies: bool
    of_self: bool  # it is about its speaker, or his team


@dataclass(frozen=True, slots=True)
class Reading:
    """What a statement says, clause by clause."""

    clauses: tuple[Clause, ...]
    sentences: tuple[frozenset[str], ...]  # the terms of each
    terms: frozenset[str]
    names: frozenset[str]
    order: tuple[str, ...]  # the names as they come
    values: frozenset[str]
    words: tuple[str, ...]  # as they come, folded
    letters: frozenset[str]  # runs of four in its words: what typos and compounds leave alike
    says: Says


@lru_cache(maxsize=4096)
def read(content: str, speaker: str | None) -> Reading:
    """Read a statement; of a long one the beginning."""
    clauses: list[Clause] = []
    content = _BLANKS.sub(" ", content[:LONGEST])  # long runs of them would cost the patterns quadratic time
    sentences = sentences_of(content)
    grammar = _grammar_of(content[:_TELLING])
    words = tuple(_WORD.findall(fold(content[:_TELLING])))
    for number, sentence in enumerate(sentences):
        for part in _CLAUSE.split(sentence):
            if part and part.strip() and len(clauses) < MOST_CLAUSES:
                clauses += filter(None, [_clause(part.strip(), number, speaker, grammar)])
    told = [NOTHING.union(*[it.terms | it.marks for it in clauses if it.sentence == n]) for n in range(len(sentences))]
    return Reading(
        clauses=tuple(clauses),
        sentences=tuple(told),
        terms=told[0] if len(told) == 1 else NOTHING.union(*told),
        names=NOTHING.union(*(clause.names for clause in clauses)),
        order=tuple(dict.fromkeys(name for clause in clauses for name in clause.order)),
        values=NOTHING.union(*(found for clause in clauses for found in clause.values.values())),
        words=words,
        letters=frozenset([word[n : n + 4] for word in set(words) for n in range(len(word) - 3)]),
        says=_says(clauses),
    )


def _says(clauses: list[Clause]) -> Says:
    cues = [clause.cues for clause in clauses]
    return Says(
        changes=any([cue.changes for cue in cues]),
        ends=any([cue.ends for cue in cues]),
        stays=any([cue.stays for cue in cues]),
        retracts=any([cue.retracts for cue in cues]),
        denies=any([cue.polarity < 0 for cue in cues]),
        of_self=any([clause.who for clause in clauses]),
    )


def _grammar_of(text: str) -> Grammar:
    """Names tell nothing of a language: Ben is a man, and "ben" is Dutch."""
    words = _PLAIN_WORD.findall(_CONTRACTION.sub(" ", text))
    return grammar_of(fold(" ".join(word for word in words if word.islower())).split())


def sentences_of(text: str) -> list[str]:
    """Cut at the ends of sentences, but not behind a title, an initial or the number of a day."""
    found: list[str] = []
    for part in _SENTENCE.split(text):
        if found and _ABBREVIATION.search(found[-1][-8:]):
            found[-1] = f"{found[-1]} {part}"
        elif part and part.strip():
            found.append(part)
    return found


_CONCEPTS = {term(word): name for name, words in lex.CONCEPTS.items() for word in words}
_ROLES = frozenset(map(term, lex.ROLES)) | lex.ROLE_ROOTS
_DWELLINGS = frozenset(map(term, lex.DWELLINGS))


def _clause(text: str, sentence: int, speaker: str | None, grammar: Grammar) -> Clause | None:
    folded = fold(text)
    phrased = phrases.ANY.search(folded) is not None
    without = phrases.REMIND.sub(lambda match: " " * len(match[0]), folded) if phrased else folded
    tokens = tokens_of(without, text, grammar)
    builder = Builder(grammar, guessed_verb(tokens, grammar))
    for n, token in enumerate(tokens):
        builder.take(n, token, tokens)
    words = frozenset(builder.words)
    cues = cues_of(text, folded, words, core=builder.core_words, phrased=phrased, reminds=without != folded)
    terms = NOTHING.union(*builder.slots.values())
    if not terms and not builder.values and not cues.retracts:
        return None
    return Clause(
        text=text,
        sentence=sentence,
        subject=frozenset(builder.subject if builder.verb_at else builder.slots.get("", ())),
        bare=bool(builder.verb_at) and not builder.subject and not words.isdisjoint(grammar.mine),
        headed=builder.colon,
        parsed=bool(builder.verb_at),
        sequence=tuple(builder.last),
        verb=builder.verb,
        slots=tuple((name, frozenset(found)) for name, found in builder.slots.items() if found),
        terms=terms,
        core=terms - builder.slots.get("rest", NOTHING) or terms,
        names=frozenset(builder.names),
        order=tuple(word for word in builder.last if word in builder.names),
        sure=frozenset(builder.names - builder.doubtful),
        labels=builder.labels,
        marks=frozenset(f"#{label}" for label in builder.labels.values() if label[0] != "'"),
        values={kind: frozenset(found) for kind, found in builder.values.items()},
        concepts=_concepts(builder.plain) | _home(words, terms - builder.names, builder),
        known=frozenset(word for word in terms if word in _CONCEPTS) | (terms & _ROLES),
        roles=terms & _ROLES,
        speaker=(speaker or "").casefold(),
        who=_who(words, speaker, grammar),
        cues=cues,
        introduced=frozenset(builder.introduced),
        members=builder.listed(),
        ended=frozenset(builder.ended or builder.ending_of),
    )


def _concepts(words: set[str]) -> frozenset[str]:
    found = {_CONCEPTS[known] for known in map(term, words) if known in _CONCEPTS}
    if not words.isdisjoint(lex.TASTE):
        found.add("taste")
    return frozenset(found)


def _home(words: frozenset[str], others: frozenset[str], builder: Builder) -> frozenset[str]:
    """ "I moved to Lyon" tells where I live; "I moved the piano" does not."""
    moved = not words.isdisjoint(lex.MOVED) and not words.isdisjoint(builder.grammar.mine) and not builder.subject
    return frozenset({"home"}) if moved and others <= _DWELLINGS else NOTHING


def _who(words: frozenset[str], speaker: str | None, grammar: Grammar) -> str:
    if not words.isdisjoint(grammar.first_person):
        return (speaker or "i").casefold()
    if not words.isdisjoint(grammar.team):
        return "we"
    return "user" if speaker == "assistant" and not words.isdisjoint(lex.SECOND_PERSON) else ""

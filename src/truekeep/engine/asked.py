"""Reading a question: whom, when and what it is about. Pure; what other languages say of it is read in English."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from truekeep.index.dates import mentions
from truekeep.index.tokens import STOP_WORDS, query_terms, stop_words_of
from truekeep.language import glossed
from truekeep.language.dates import Period
from truekeep.model import ROLE_TRUST

_WORD = re.compile(r"[^\W\d_]+")
_OWNED = re.compile(r"\b([^\W\d_]+)\b(?:['\u2019]s\b)?")
_SPACED = re.compile(r"\S+")
_MOST_SPEAKERS = 1000  # with more of them, any word is somebody's name
_SHORTEST_NICKNAME = 3  # letters: "Mel" is Melanie, "Me" is nobody
_AVOID = re.compile(
    r"\b(?:avoid\w*|mistakes?|blunders?|pitfalls?|lessons?|regret\w*|steer clear|stay away|(?:go|goes|went|gone) wrong"
    r"|(?:what|which|anything|something)\b[^.?!]{0,40}\b(?:fail|failed|failures|backfired)"
    r"|watch out|beware|bad experiences?"
    r"|(?:should|must|ought)(?:\s+\w+)?\s+(?:not|never)|(?:should|must)n['\u2019]?t|what not|not to \w+|differently"
    r"|(?:not|never|n['\u2019]t)\b[^.?!]{0,40}\bagain)\b",
    re.IGNORECASE,
)
# What such a question consists of where it names no matter: "what mistakes did we make in the past?"
_LESSON_WORDS = """
again anything avoid avoided bad badly before beware blunder blunders earlier ever everything experience experiences
fail failed failing failure failures far go goes gone happen happened know known last learn learned learnt lesson
lessons make made mistake mistakes never not once past pitfall pitfalls previously regret remember something steer
clear stay away time times tried try watch out went work worked wrong
"""
_NO_MATTER = STOP_WORDS | frozenset(_LESSON_WORDS.split())
_VERB = "(?:did|do|does|is|are|was|were|will|has|have|had|can|should|would|could)"
_TIME = re.compile(
    rf"^\W*when\b|\bwhen {_VERB}\b|\b(?:what|which) (?:date|day|month|year|week)\b|\bhow (?:long|old)\b", re.IGNORECASE
)
_QUESTION = re.compile(rf"\?|^\W*(?:who|whom|whose|what|when|where|which|why|how|am|{_VERB[3:-1]})\b", re.IGNORECASE)
_SELF = re.compile(r"\b(?:i|my|me|mine|myself|we|our|us)\b", re.IGNORECASE)
_YOU_SAID = re.compile(
    r"\b(?:did|have) you\b|\byou(?:['\u2019]ve| have)? (?:recommend|suggest|said|told|explain|advis|mention|propos)"
    r"|\byou gave\b|\byour (?:advice|recommend|suggest|explan)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it was understood."""

    text: str  # to be embedded: in a chat without the names of speakers, which nearly every text is near to
    words: str  # to be looked for: in a chat without the name of the one who is asked about
    speakers: frozenset[str]  # who is asked about, if it is one person among those who speak
    names: tuple[str, ...]  # what the question calls them
    periods: tuple[Period, ...]  # the days that it names
    wants_time: bool  # "when did ...?"
    wants_lessons: bool  # "what should we not do again?"
    wants_all_lessons: bool  # ... about nothing in particular
    is_about_user: bool  # "what is my ...?", unless it asks for what the assistant said


def read(text: str, *, today: date, speakers: tuple[str, ...], is_chat: bool) -> Asked:
    """What a question asks for, among people of these names. In a chat, somebody in particular said each text."""
    named = _named(text, speakers)
    person = _one_person(named.values())
    nameless = _without(text, named) if is_chat else text
    english, rest = glossed(text)
    return Asked(
        text=nameless,
        words=nameless if person else text,
        speakers=person,
        names=tuple(named) if person else (),
        periods=tuple(mention.period for mention in mentions(english, today)),
        wants_time=_TIME.search(english) is not None,
        wants_lessons=(avoids := _AVOID.search(english) is not None),
        wants_all_lessons=avoids and _names_no_matter(text, rest),
        is_about_user=_SELF.search(english) is not None and _YOU_SAID.search(english) is None,
    )


def _names_no_matter(text: str, rest: str) -> bool:
    known = _NO_MATTER | stop_words_of(text)
    return all(term.label in known for term in query_terms(rest or text))


def is_question(text: str) -> bool:
    """Whether it asks something, rather than telling what is about to be done."""
    return _QUESTION.search(text) is not None


def unanswered(text: str, held: Collection[str]) -> list[tuple[int, int]]:
    """Where the question has other words than an item holds; nowhere if that holds all that mean anything."""
    kept, is_left = [], False
    for found in _SPACED.finditer(text):
        word = found.group()
        if word.casefold() in STOP_WORDS or (labels := {term.label for term in query_terms(word)}) <= STOP_WORDS:
            kept.append(found.span())
        elif labels.isdisjoint(held):
            kept.append(found.span())
            is_left = True
    return kept if is_left else []


def _named(text: str, speakers: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """Words of the text that are names, and whose."""
    if not 0 < len(speakers) <= _MOST_SPEAKERS:
        return {}
    owners, known = _owners(speakers)
    is_lower = text == text.lower()
    found = {}
    for word in _WORD.findall(text):
        folded = word.casefold()
        if folded in STOP_WORDS or not (is_lower or word[0].isupper()):
            continue
        if folded in owners:
            found[word] = owners[folded]
        elif len(folded) >= _SHORTEST_NICKNAME and not is_lower:
            place = bisect_left(known, folded)
            if place < len(known) and known[place].startswith(folded):
                found[word] = owners[known[place]]
    return found


@lru_cache(maxsize=64)
def _owners(speakers: tuple[str, ...]) -> tuple[Mapping[str, frozenset[str]], Sequence[str]]:
    """Parts of names and who bears them, and the same parts sorted; roles are no names."""
    owners: dict[str, set[str]] = {}
    for speaker in speakers:
        for part in _WORD.findall(speaker.casefold()):
            if len(part) > 1 and part not in STOP_WORDS and speaker.casefold() not in ROLE_TRUST:
                owners.setdefault(part, set()).add(speaker)
    return {part: frozenset(bearers) for part, bearers in owners.items()}, sorted(owners)


def _one_person(named: Iterable[frozenset[str]]) -> frozenset[str]:
    """Whoever bears all the names: nobody, where the question is about two people."""
    common: frozenset[str] | None = None
    for bearers in named:
        common = bearers if common is None else common & bearers
    return common or frozenset()


def _without(text: str, names: Collection[str]) -> str:
    if not names:
        return text
    rest = _OWNED.sub(lambda word: " " if word[1] in names else word[0], text)
    has_words = any(term.label not in STOP_WORDS for term in query_terms(rest))
    return " ".join(rest.split()) if has_words else text

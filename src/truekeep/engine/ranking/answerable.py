"""Whether anything found answers the question: what recall saw, and what the judge makes of the first matches."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from truekeep.engine import asked
from truekeep.engine.parts import Parts
from truekeep.errors import EmbedderError
from truekeep.index.arms import Meaning
from truekeep.index.tokens import query_terms
from truekeep.model import Match
from truekeep.ports.texts import said

from . import rank
from .search import Scored, Search

JUDGED = 5  # matches that the judge looks at, at once
EXCERPT = 50  # words of a longer text that the judge is shown: some more, and it would not see the end of them
NAMED = 0.1  # at least, for a task that shares a word with a match: "draft a letter to Bob". The judge knows questions
COMPARED = 5  # best scores whose mean tells whether anything is relevant


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a recall saw of its candidates, kept for whoever asks whether they answer the question."""

    gained: float  # how much nearer the best is to what it does not hold of the question in words than to all of it
    best: float  # the mean of the best scores
    coverage: float  # the largest share of the question's words in one item
    similarity: float  # of the best match to the question
    passages: Sequence[int]  # which passage of each of the first matches is nearest to the question


def seen(search: Search, candidates: Scored, found: Sequence[Match]) -> Seen:
    place = int(candidates.score.argmax())
    few = max(1, min(COMPARED, search.view.live // COMPARED))  # a space of a few items is about other things, too
    few = min(few, len(candidates.rows))
    return Seen(
        gained=_gained(search, candidates, place),
        best=sum(np.partition(candidates.score, -few)[-few:].tolist()) / few,
        coverage=float(candidates.coverage.max()),
        similarity=float(candidates.similarity[place]),
        passages=[_nearest_passage(search, match.id) for match in found[:JUDGED]],
    )


def _nearest_passage(search: Search, id: str) -> int:
    row = search.view.row_of(id)
    return 0 if row is None or search.meaning is None else search.meaning.nearest_passage(row)


def answerable(question: str, found: Sequence[Match], seen: Seen, parts: Parts) -> float:
    """How likely anything found answers the question, by the judge; without one, by what recall saw alone."""
    logits = None
    if parts.judge.is_there:
        words = {term.hash for term in query_terms(question)}
        shown = [_shown(match, place, words, parts) for match, place in zip(found, seen.passages, strict=False)]
        logits = parts.judge.relevance(question, shown)
    if logits is None:
        return unjudged(seen)
    likely = _judged(seen, logits)
    names_it = seen.coverage > 0 and not asked.is_question(question)
    return max(likely, NAMED) if names_it else likely


def _shown(match: Match, passage: int, words: Set[int], parts: Parts) -> str:
    """A match as the judge sees it: of a long text, what stands nearest to the question."""
    text = match.content
    if passage:
        with suppress(EmbedderError):
            passages = parts.embedder_of(text).passages(text)
            text = passages[min(passage, len(passages) - 1)]
    return said(match.speaker, excerpt(text, words))


def excerpt(text: str, words: Set[int]) -> str:
    """The stretch of a long text that holds the most of these words; the beginning, where it holds none."""
    spaced = text.split()
    if len(spaced) <= EXCERPT:
        return text
    held = [{term.hash for term in query_terms(word)} & words for word in spaced]
    starts = range(0, len(spaced), EXCERPT // 2)
    start = max(starts, key=lambda first: len(set[int]().union(*held[first : first + EXCERPT])))
    return " ".join(spaced[start : start + EXCERPT])


def _gained(search: Search, candidates: Scored, place: int) -> float:
    """How much nearer an item is to that part of the question whose words it does not hold than to all of it.

    This is what tells an answer from a trap: "what is Ana's telephone number" shares a name with all that is known of
    Ana, and what is left of it, "what is telephone number", is near to none of that.
    """
    if search.meaning is None or search.reader is None:
        return float(candidates.coverage[place])
    row, nearness = candidates.rows[[place]], float(candidates.similarity[place])
    rest = asked.unanswered(search.asked.text, search.words.terms_of(row)[0])
    if not rest:
        return 1.0 - nearness
    if len(rest) == len(search.asked.text.split()):
        return 0.0
    try:
        vector = search.reader.embed_within(search.asked.text, rest)
    except EmbedderError:  # counted and logged by the guard
        return 0.0
    return 0.0 if vector is None else float(Meaning(search.view, vector).of(row)[0]) - nearness


def unjudged(seen: Seen) -> float:
    """How likely anything found is relevant: that it is no trap, and that the space knows of such things at all.

    Two logistics, fitted to questions with and without an answer, and to questions about another space.
    """
    likely = _logistic(_no_trap(seen)) * _logistic(20 * (seen.similarity - 0.25))
    return 2 * likely / (1 + likely)  # odds doubled: one floor for both ways loses as few of those that have an answer


def _judged(seen: Seen, logits: rank.Scores) -> float:
    """The same where a judge looked at the first matches: its largest logit, and the mean, since next to an answer
    stands more that has to do with the question. One logistic, fitted with authors left out.
    """
    trap = min(max(_no_trap(seen), -3.0), 3.0)
    relevant = 0.28 * float(logits.max()) + 0.84 * float(logits.mean())
    return _logistic(relevant + 0.3 * trap + 1.99 * seen.best + 4.09 * seen.similarity - 0.37)


def _no_trap(seen: Seen) -> float:
    """Coverage counts against: what shares words with a question has got its due in the score, and a trap shares them
    too.
    """
    return 11.5 * seen.gained + 3.1 * seen.best - 4.5 * seen.coverage - 0.26


def _logistic(number: float) -> float:
    return 1.0 / (1.0 + math.exp(-number))

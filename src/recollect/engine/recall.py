"""Recalling: find what answers the query, best first."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.errors import DamagedStore, EmbedderError, StoreError
from recollect.model import Match, Order, Query, Recall, SpaceId

from . import rank
from .parts import Parts
from .vectorise import fill_pending

if TYPE_CHECKING:
    from recollect.index.arms import Meaning, Words
    from recollect.index.view import Mask, View

log = logging.getLogger(__name__)

Rows = NDArray[np.int32]

FEW_PENDING = 16  # vectors that a recall makes itself before it answers
OVERSAMPLE = 4  # fusion needs overlap: with fewer candidates, words and meaning rarely agree
LEAST_CANDIDATES = 50
SMALL = 250  # in a space of so few items, looking at each costs less than asking who shall be looked at
NEAR_BEST = 0.25  # of the best score: what the order "newest" chooses from
MOST_LESSONS = 3
LESSONS_SCANNED = 2000  # in a space with more lessons than these, the arms nominate among them, too
LESSON_SIMILARITY = 0.35  # below this, and with no rare word in common, a past failure has nothing to say


class Scored(NamedTuple):
    """Rows, and what each arm thinks of them."""

    rows: Rows
    coverage: rank.Scores  # the share of the query's words, by their rarity, 0 to 1
    similarity: rank.Scores  # cosine to the query; where there is no vector, the coverage

    def only(self, keep: slice | NDArray[np.intp] | NDArray[np.bool_]) -> Scored:
        return Scored(self.rows[keep], self.coverage[keep], self.similarity[keep])


class Found(NamedTuple):
    """A match, and how far it covers the words of the query."""

    match: Match
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One query at work on one state of the index."""

    view: View
    mask: Mask
    words: Words
    meaning: Meaning | None  # None: degraded, words answer alone
    vector: NDArray[np.float32] | None
    now: datetime

    def candidates(self, count: int) -> Rows:
        """What either arm nominates: no arm gates."""
        if self.meaning is not None and self.view.live <= SMALL and not self.view.pending_count:
            return self.view.rows(self.mask)
        by_words = self.words.nominate(count)
        if self.meaning is None:
            return by_words
        return np.unique(np.concatenate([by_words, self.meaning.nominate(count)]))

    def scored(self, rows: Rows) -> Scored:
        coverage = self.words.of(rows) / np.float32(max(self.words.ceiling, 1e-9))  # a ceiling is never reached
        if self.meaning is None:
            return Scored(rows, coverage, coverage)
        similarity = self.meaning.of(rows)
        if self.view.pending_count:
            similarity = np.where(self.view.has_vectors(rows), similarity, coverage)
        return Scored(rows, coverage, np.minimum(np.maximum(similarity, np.float32(0)), np.float32(1)))


def recall(query: Query, *, parts: Parts, space: SpaceId, now: datetime, count: bool = True) -> Recall:
    """Find what answers the query; `count` says whether it counts as an access."""
    search = begin(query, parts=parts, space=space, now=now)
    candidates = search.candidates(max(OVERSAMPLE * query.limit, LEAST_CANDIDATES))
    warnings = _lessons(search, query)
    scored = search.scored(np.concatenate([candidates, warnings]) if len(warnings) else candidates)  # in one go
    found = best(search, query, scored.only(slice(len(candidates))), parts=parts, space=space)
    lessons = _near(search, query, scored.only(slice(len(candidates), None)), parts=parts, space=space)
    if count and found:
        parts.accesses.add(space, [match.item.id for match, _ in found])
    return Recall(
        matches=tuple([match for match, _ in found]),
        lessons=tuple([match for match, _ in lessons]),
        answerable=max([rank.answerable(match.similarity, share) for match, share in found[:3]], default=0.0),
        pending=search.view.pending_count,
        degraded=search.meaning is None,
    )


def begin(query: Query, *, parts: Parts, space: SpaceId, now: datetime) -> Search:
    view = parts.indexes.refreshed(space)
    meaning = None
    if 0 < view.pending_count <= FEW_PENDING and _finish_pending(parts, space):
        view = parts.indexes.refreshed(space)
    try:
        vector = parts.embedder.embed([query.text])[0]
    except EmbedderError:
        vector = None  # counted and logged by the guard; the answer says `degraded`
    mask = view.select(query.filters, now)
    if vector is not None:
        meaning = view.meaning(vector, mask)
    words = view.words(query.text, mask)
    return Search(view=view, mask=mask, words=words, meaning=meaning, vector=vector, now=now)


def _finish_pending(parts: Parts, space: SpaceId) -> bool:
    """Whether any of the missing vectors were made; nothing that goes wrong with them hinders the answer."""
    try:
        return fill_pending(parts, space, limit=FEW_PENDING, prompt=True) > 0
    except EmbedderError:
        return False  # counted and logged by the guard; `pending` tells what the answer lacks
    except DamagedStore:
        raise
    except StoreError as error:  # a full or read-only disk
        log.warning("pending vectors could not be kept: %s", error)
        return False


def best(search: Search, query: Query, candidates: Scored, *, parts: Parts, space: SpaceId) -> list[Found]:
    """The best of the candidates, in the order that the query asks for."""
    if query.min_similarity > 0:
        candidates = candidates.only(candidates.similarity >= query.min_similarity)
    if not len(candidates.rows):
        return []
    fused = rank.fuse(candidates.coverage, None if search.meaning is None else candidates.similarity)
    if query.order == "best":  # the others need not be read
        keep = _at_least(fused, query.limit, rank.MOST_BONUS)
        candidates, fused = candidates.only(keep), fused[keep]
    elif query.order == "newest":  # of what has to do with the query
        keep = (fused >= NEAR_BEST * fused.max()).nonzero()[0]
        candidates, fused = candidates.only(keep), fused[keep]
    found = _read(search, candidates, fused, parts=parts, space=space)
    return _in_order(found, query.order)[: query.limit]


def _at_least(scores: rank.Scores, limit: int, margin: float) -> NDArray[np.intp]:
    """Positions of all scores that can be among the first `limit` once bonuses are added."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    threshold = np.partition(scores, -limit)[-limit] - margin
    places: NDArray[np.intp] = (scores >= threshold).nonzero()[0]
    return places


def _read(search: Search, candidates: Scored, fused: rank.Scores, *, parts: Parts, space: SpaceId) -> list[Found]:
    """Rows become matches: the text is read from the store, which checks it; what was erased meanwhile drops out."""
    ids = search.view.ids(candidates.rows)
    kept = {item.id: (item, accesses) for item, accesses in parts.store.found(space, ids)}
    waiting = parts.accesses.waiting(space, ids)
    terms = search.words.terms_of(candidates.rows)
    columns = (column.tolist() for column in (fused, candidates.similarity, candidates.coverage))
    found = []
    for id, held, score, similarity, coverage in zip(ids, terms, *columns, strict=True):
        if id not in kept:
            continue
        item, accesses = kept[id]
        recency = rank.recency(item, search.now)
        frequency = rank.frequency(accesses + waiting.get(id, 0))
        match = Match(
            item=item,
            score=score + rank.bonus(item.kind, recency),
            similarity=similarity,
            recency=recency,
            frequency=frequency,
            confidence=rank.confidence(similarity, recency, frequency),
            why=_why(held, None if search.meaning is None else similarity),
        )
        found.append(Found(match, coverage))
    return found


def _why(terms: list[str], similarity: float | None) -> str:
    reasons = [f"words: {', '.join(terms)}"] if terms else []
    if similarity is not None:
        reasons.append(f"meaning: {similarity:.2f}")
    return "; ".join(reasons) or "newest"


def _in_order(found: list[Found], order: Order) -> list[Found]:
    """Sorted; ties go to the newer item, then by id, so that the order never depends on the process."""
    found.sort(key=lambda one: one.match.item.id)
    if order == "newest":
        found.sort(key=lambda one: one.match.item.when, reverse=True)
    elif order == "confidence":
        found.sort(key=lambda one: (one.match.confidence, one.match.item.when), reverse=True)
    else:
        found.sort(key=lambda one: (one.match.score, one.match.item.when), reverse=True)
    return found


def _lessons(search: Search, query: Query) -> Rows:
    """Rows for the avoid channel: past failures, whatever kinds were asked for."""
    kinds = query.filters.kinds
    if kinds is None:
        rows = search.view.of_kind("lesson", search.mask)
    elif "-lesson" in kinds:
        return np.empty(0, dtype=np.int32)
    else:
        alone = replace(query.filters, kinds=frozenset({"lesson"}))
        rows = search.view.rows(search.view.select(alone, search.now))
    return rows if len(rows) <= LESSONS_SCANNED else _nominated(search, rows, LEAST_CANDIDATES)


def _nominated(search: Search, rows: Rows, count: int) -> Rows:
    """Those of the rows that either arm puts first."""
    by_words = search.words.of(rows)
    threshold = np.partition(by_words, -count)[-count]
    nominated: Rows = rows[by_words >= max(threshold, np.finfo(np.float32).tiny)]
    if search.vector is None:
        return nominated
    mask = np.zeros(search.view.size, dtype=np.bool_)
    mask[rows] = True
    by_meaning = search.view.meaning(search.vector, mask).nominate(count)
    return np.unique(np.concatenate([nominated, by_meaning]))


def _near(search: Search, query: Query, lessons: Scored, *, parts: Parts, space: SpaceId) -> Sequence[Found]:
    """The lessons that have something to say about the query."""
    if not len(lessons.rows):
        return ()
    near = (np.maximum(lessons.similarity, lessons.coverage) >= LESSON_SIMILARITY).nonzero()[0]
    if not len(near):
        return ()
    query = replace(query, limit=MOST_LESSONS, order="best")
    return best(search, query, lessons.only(near), parts=parts, space=space)

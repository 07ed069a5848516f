"""Recalling: find what answers the query, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from truekeep.engine.parts import Parts
from truekeep.engine.ranking import precedence, rank
from truekeep.engine.ranking.answerable import answerable, seen
from truekeep.engine.ranking.search import Scored, Search, begin
from truekeep.index.arrays import Rows
from truekeep.lazy import worked_out
from truekeep.model import Match, Order, Query, Recall, SpaceId

from .listing import as_known

OVERSAMPLE = 4  # fusion needs overlap: with fewer candidates, words and meaning rarely agree
LEAST_CANDIDATES = 80
NEAR_BEST = 0.25  # of the best by words and meaning: what the order "newest" chooses from
MOST_LESSONS = 3
LESSON_SIMILARITY = 0.35  # below this, and with no rare word in common, a past failure has nothing to say
SHARED_WORD = 0.05  # of similarity, for a lesson that has any word in common with the query
NOTABLE = 0.05  # a part of a score that is worth telling


def recall(query: Query, *, parts: Parts, space: SpaceId, now: datetime, count: bool = True) -> Recall:
    """Find what answers the query; `count` says whether it counts as an access."""
    search = begin(query, parts=parts, space=space, now=now)
    candidates = search.candidates(max(OVERSAMPLE * query.limit, LEAST_CANDIDATES))
    warnings = _lessons(search, query)
    scored = search.scored(np.concatenate([candidates, warnings]) if len(warnings) else candidates)  # in one go
    answers = _similar(scored.only(slice(len(candidates))), query)
    found = best(search, query, answers)
    lessons = _near(search, query, scored.only(slice(len(candidates), None)))
    known = partial(answerable, query.text, found, seen(search, answers, found), parts) if found else None
    answer = Recall(
        matches=tuple(found),
        lessons=tuple(lessons),
        answerable=worked_out(known) if known else 0.0,
        pending=search.view.unfinished,
        degraded=search.meaning is None,
    )
    if query.min_answerable > 0 and answer.answerable < query.min_answerable:
        return replace(answer, matches=())
    if count and found:
        parts.accesses.add(space, [match.item.id for match in found])
    return answer


def best(search: Search, query: Query, candidates: Scored) -> list[Match]:
    """The best of the candidates, in the order that the query asks for."""
    candidates = _similar(candidates, query)
    if not len(candidates.rows):
        return []
    chosen = candidates
    if query.order == "best":  # the others need not be read
        chosen = candidates.only(_at_least(candidates.score, query.limit, rank.MOST_BONUS))
    elif query.order == "newest":  # of what has to do with the query
        near = np.maximum(candidates.similarity, candidates.coverage)
        near = np.where(search.names_it(candidates.rows), near.max(), near)
        chosen = candidates.only((near >= NEAR_BEST * near.max()).nonzero()[0])
    found = _read(search, chosen)
    if query.order == "best":
        return _newer_first(search, query, candidates, found, known=chosen.rows)
    found = _in_order(found, query.order)
    if len(search.exact):
        named = {*search.view.ids(search.exact)}
        found.sort(key=lambda match: match.id not in named)
    return found[: query.limit]


def _newer_first(search: Search, query: Query, candidates: Scored, found: list[Match], *, known: Rows) -> list[Match]:
    """By score, but what a newer statement may have replaced stands behind that one, which is fetched if need be."""
    near = candidates.only(_at_least(candidates.score, query.limit + precedence.LOOKED_AT, 0))
    pairs = precedence.replacing(search, near)
    if pairs is not None:
        is_known = np.isin(near.rows, known)
        newer = ~is_known & pairs[:, is_known].any(axis=1)
        if newer.any():
            found += _read(search, near.only(newer))
    doubters = precedence.doubters(search, found)
    if len(doubters):
        found += _read(search, _similar(search.scored(doubters), query))
    ordered = precedence.behind_doubters(_in_order(found, query.order))
    if pairs is not None:
        ordered = precedence.newer_first(ordered, search.view.ids(near.rows), pairs)
    return ordered[: query.limit]


def _similar(candidates: Scored, query: Query) -> Scored:
    if query.min_similarity <= 0:
        return candidates
    return candidates.only(candidates.similarity >= query.min_similarity)


def _at_least(scores: rank.Scores, limit: int, margin: float) -> NDArray[np.intp]:
    """Positions of all scores that can be among the first `limit` once bonuses are added."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    threshold = np.partition(scores, -limit)[-limit] - margin
    places: NDArray[np.intp] = (scores >= threshold).nonzero()[0]
    return places


def _read(search: Search, candidates: Scored) -> list[Match]:
    """Rows become matches: the text is read from the store, which checks it; what was erased meanwhile drops out."""
    parts, space, ids = search.parts, search.space, search.view.ids(candidates.rows)
    read = list(parts.store.found(space, ids))
    known = as_known([item for item, _ in read], search.known_at, parts=parts, space=space)
    kept = {item.id: (item, accesses) for item, (_, accesses) in zip(known, read, strict=True)}
    waiting = parts.accesses.waiting(space, ids)
    reasons = _reasons(search, candidates)
    columns = (column.tolist() for column in (candidates.score, candidates.similarity))
    found = []
    for id, why, score, similarity in zip(ids, reasons, *columns, strict=True):
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
            why=why,
        )
        found.append(match)
    return found


def _reasons(search: Search, candidates: Scored) -> list[str]:
    """Why each was found: the words it holds, how near its meaning is, and what else counted."""
    reasons = [[f"words: {', '.join(held)}"] if held else [] for held in search.words.terms_of(candidates.rows)]
    if search.meaning is not None:
        for said, similarity in zip(reasons, candidates.similarity.tolist(), strict=True):
            said.append(f"meaning: {similarity:.2f}")
    for part in search.more(candidates.rows):
        for said, worth in zip(reasons, part.scores.tolist(), strict=True):
            if worth >= NOTABLE:
                said.append(part.name)
    return ["; ".join(said) or "newest" for said in reasons]


def _in_order(found: list[Match], order: Order) -> list[Match]:
    """Sorted; ties go to the newer item, then by id, so that the order never depends on the process."""
    found.sort(key=lambda match: match.item.id)
    if order == "newest":
        found.sort(key=lambda match: match.item.when, reverse=True)
    elif order == "confidence":
        found.sort(key=lambda match: (match.confidence, match.item.when), reverse=True)
    else:
        found.sort(key=lambda match: (match.score, match.item.when), reverse=True)
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
    return search.among(rows, LEAST_CANDIDATES)


def _near(search: Search, query: Query, lessons: Scored) -> Sequence[Match]:
    """The lessons that have something to say about the query."""
    if not len(lessons.rows):
        return ()
    most = query.limit if search.asked.wants_all_lessons else MOST_LESSONS
    if not search.asked.wants_all_lessons:
        near = lessons.similarity + (lessons.coverage > 0) * np.float32(SHARED_WORD)
        lessons = lessons.only(np.maximum(near, lessons.coverage) >= LESSON_SIMILARITY)
    return best(search, replace(query, limit=most, order="best"), lessons)

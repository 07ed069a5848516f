"""Explaining: which arm ranked an item where, and what it lost to."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np

from truekeep.engine.parts import Parts
from truekeep.engine.ranking.search import Search, begin
from truekeep.index.arrays import united
from truekeep.model import Arm, Explanation, Filters, Query, SpaceId

from . import recall as recalling
from .listing import no_item

_DEPTH = 1000  # how far down a named miss is looked for


def explain(query: Query, id: str | None, *, parts: Parts, space: SpaceId, now: datetime) -> list[Explanation]:
    """One explanation a match, best first; with an id, of that item alone. Counts no access."""
    found = recalling.recall(query, parts=parts, space=space, now=now, count=False)
    ranks = {match.id: rank for rank, match in enumerate(found, start=1)}
    search = begin(query, parts=parts, space=space, now=now)
    if id is None:
        scores = {match.id: match.score for match in found}
        return [_explained(search, one, ranks[one], scores[one], "found", is_found=True) for one in ranks]
    row = search.view.row_of(id)
    if row is None:
        raise no_item(id, space)
    if id in ranks:
        return [_explained(search, id, ranks[id], found[ranks[id] - 1].score, "found", is_found=True)]
    return [_miss(search, query, id, row)]


def _miss(search: Search, query: Query, id: str, row: int) -> Explanation:
    if not search.view.allows(search.mask, row):
        return _explained(search, id, None, 0.0, _why_hidden(search, query, row))
    rows = np.array([row], dtype=np.int32)
    if float(search.scored(rows).similarity[0]) < query.min_similarity:
        return _explained(search, id, None, 0.0, f"its similarity is below min_similarity={query.min_similarity}")
    deep = replace(query, limit=_DEPTH)
    candidates = united([search.candidates(_DEPTH), rows])
    ranking = recalling.best(search, deep, search.scored(candidates))
    position = next((place for place, match in enumerate(ranking, start=1) if match.id == id), None)
    if position is None or not ranking:
        return _explained(search, id, None, 0.0, f"not among the best {_DEPTH}")
    winner = ranking[min(query.limit, len(ranking)) - 1]
    note = f"ranked {position}, below the limit of {query.limit}; it lost to {winner.id} with {winner.score:.3f}"
    return _explained(search, id, position, ranking[position - 1].score, note)


def _why_hidden(search: Search, query: Query, row: int) -> str:
    view = search.view
    if not view.allows(view.select(Filters(include_superseded=True), search.now), row):
        return "it has expired"
    if not view.allows(view.select(Filters(), search.now), row) and not query.filters.include_superseded:
        return "it is superseded or no longer valid; include_superseded=True shows it"
    return "the filters of the query leave it out"


def _explained(
    search: Search, id: str, rank: int | None, score: float, note: str, *, is_found: bool = False
) -> Explanation:
    row = search.view.row_of(id)
    arms = () if row is None else tuple(_arm(search, name, row) for name in ("words", "meaning"))
    if row is not None and rank is not None:
        note = f"{note}: {_made_of(search, row)}"
    return Explanation(id=id, found=is_found, rank=rank, score=score, arms=arms, note=note)


def _made_of(search: Search, row: int) -> str:
    """The parts of the score, as far as they are anything; ties and rounding apart, they add up to it."""
    parts = [(part.name, float(part.scores[0])) for part in search.made_of(np.array([row], dtype=np.int32))]
    return ", ".join(f"{name} {worth:.2f}" for name, worth in parts if abs(worth) >= 0.005)


def _arm(search: Search, name: str, row: int) -> Arm:
    arm = search.words if name == "words" else search.meaning
    if arm is None:
        return Arm(name=name, rank=None, score=0.0)
    ranked, _ = arm.top(_DEPTH)
    places = np.flatnonzero(ranked == row)
    score = float(arm.of(np.array([row], dtype=np.int32))[0])
    return Arm(name=name, rank=int(places[0]) + 1 if len(places) else None, score=score)

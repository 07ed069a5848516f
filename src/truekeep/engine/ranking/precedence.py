"""Precedence: where one statement may have replaced another, the newer one stands first."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from truekeep.index.arrays import Rows
from truekeep.index.tokens import query_terms
from truekeep.model import Match

from .search import Scored, Search

RECORD = "interaction"  # who said what, when: it replaces nothing
ALIKE = 0.45  # cosine from which two statements may be about the same ...
ALIKE_ELSEWHERE = 0.7  # the same in other languages, of which the embedder tells less apart
THE_SAME = 0.97  # ... and from which they say the same: then neither replaces the other
AS_GOOD = 0.15  # how much less the score of a newer one may be that is merely like the older
OF_IT = 0.8  # ... and of one that casts doubt on the older: with less it is about something else than the question
LOOKED_AT = 8  # beyond the limit: one of them may be the newer one of a pair

# What tells statements apart that are alike: "unit A1", "Mondays".
_ONE_OF_MANY = re.compile(r"\d|^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$")

Pairs = NDArray[np.bool_]  # [newer, older]: which may have replaced which


def replacing(search: Search, candidates: Scored) -> Pairs | None:
    """Which of the candidates may have replaced which, as far as their times, scores and meanings tell."""
    view, rows = search.view, candidates.rows
    if search.asked.periods:  # what was true then is asked for
        return None
    when = view.column("when").take(rows)
    pairs = (when[:, None] > when) & (candidates.score[:, None] >= candidates.score - np.float32(AS_GOOD))
    statements = ~view.is_kind(RECORD, rows)
    pairs &= statements[:, None] & statements
    if not pairs.any():
        return None
    alike = view.alike(rows)
    pairs &= (alike >= (ALIKE if search.is_english else ALIKE_ELSEWHERE)) & (alike < THE_SAME)
    if pairs.any():
        pairs &= _as_named(search, rows)
    return pairs if pairs.any() else None


def _as_named(search: Search, rows: Rows) -> Pairs:
    """Where the newer holds each number and weekday of the question that the older holds.

    "When does the lease of unit A1 end?" is not about unit A2, however much like it that sounds.
    """
    pairs = np.ones((len(rows), len(rows)), np.bool_)
    for term in query_terms(search.asked.words):
        if _ONE_OF_MANY.search(term.label):
            held = search.view.holding([term.hash], rows)
            pairs &= held[:, None] | ~held
    return pairs


def doubters(search: Search, found: Sequence[Match]) -> Rows:
    """What cast doubt on one of the matches last, and was not found itself."""
    known = {match.id for match in found}
    ids = dict.fromkeys(id for match in found for id in match.item.suspected_by[-1:] if id not in known)
    rows = [row for id in ids if (row := search.view.row_of(id)) is not None and search.view.allows(search.mask, row)]
    return np.array(rows, np.int32)


def behind_doubters(found: list[Match]) -> list[Match]:
    """Each match behind the one that cast doubt on it last: many before it would bury it."""
    if not any(match.item.suspected_by for match in found):
        return found
    by_id = {match.id: match for match in found}
    ordered: dict[str, Match] = {}

    def place(match: Match, waiting: frozenset[str]) -> None:
        for doubter in match.item.suspected_by[-1:]:
            newer = by_id.get(doubter)
            if newer is not None and doubter not in waiting and newer.score >= match.score - OF_IT:
                place(newer, waiting | {doubter})
        ordered.setdefault(match.id, match)

    for match in found:
        place(match, frozenset({match.id}))
    return list(ordered.values())


def newer_first(found: list[Match], ids: Sequence[str], pairs: Pairs) -> list[Match]:
    """Each newer match before the first that it may have replaced; `ids` are those that the pairs speak of."""
    places = {id: place for place, id in enumerate(ids)}
    replaces = [set(row.nonzero()[0].tolist()) for row in pairs]
    ordered: list[tuple[Match, int]] = []
    for match in found:
        place = places.get(match.id, -1)
        older = replaces[place] if place >= 0 else ()
        before = next((at for at, (_, other) in enumerate(ordered) if other in older), len(ordered)) if older else None
        ordered.insert(len(ordered) if before is None else before, (match, place))
    return [match for match, _ in ordered]

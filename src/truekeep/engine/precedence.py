"""Precedence: where one statement may have replaced another, the newer one stands first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from truekeep.index.arrays import Rows
from truekeep.model import Match

from .search import Scored, Search

RECORD = "interaction"  # who said what, when: it replaces nothing
ALIKE = 0.45  # cosine from which two statements may be about the same ...
THE_SAME = 0.97  # ... and from which they say the same: then neither replaces the other
AS_GOOD = 0.05  # how much less the score of a newer one may be that is merely like the older
OF_IT = 0.4  # ... and of one that casts doubt on the older: with less it is about something else than the question
LOOKED_AT = 8  # beyond the limit: one of them may be the newer one of a pair

IsNewer = Callable[[Match, Match], bool]


def with_newer(search: Search, candidates: Scored, chosen: NDArray[np.intp], limit: int) -> NDArray[np.intp]:
    """The places that were chosen among the candidates, and those next to them that may have to stand before one."""
    if search.asked.periods or len(chosen) == len(candidates.rows) or not limit:
        return chosen
    wanted = min(limit + LOOKED_AT, len(candidates.rows))
    threshold = np.partition(candidates.score, -wanted)[-wanted]
    further = np.setdiff1d((candidates.score >= threshold).nonzero()[0], chosen)[:LOOKED_AT]
    if not len(further):
        return chosen
    newer = candidates.only(further)
    older = candidates.only(chosen)
    when = search.view.column("when")
    may = when.take(newer.rows)[:, None] > when.take(older.rows)
    may &= newer.score[:, None] >= older.score - AS_GOOD
    may &= _may_compete(search.view.alike(newer.rows, older.rows))
    return np.concatenate([chosen, further[may.any(axis=1)]])


def doubters(search: Search, found: Sequence[Match]) -> Rows:
    """What casts doubt on one of the matches and was not found itself."""
    known = {match.id for match in found}
    ids = dict.fromkeys(id for match in found for id in match.item.suspected_by if id not in known)
    rows = [row for id in ids if (row := search.view.row_of(id)) is not None and search.view.allows(search.mask, row)]
    return np.array(rows, np.int32)


def newer_first(search: Search, found: Sequence[Match]) -> list[Match]:
    """The matches in their order, but each behind those that cast doubt on it, and behind newer ones like it."""
    ordered = _behind_doubters(found)
    if search.asked.periods:  # what was true then is asked for
        return ordered
    rows = {match.id: row for match in found if (row := search.view.row_of(match.id)) is not None}
    places = {id: place for place, id in enumerate(rows)}
    at = np.fromiter(rows.values(), np.int32)
    competes = _may_compete(search.view.alike(at, at))

    def is_newer(newer: Match, older: Match) -> bool:
        return (
            newer.item.when > older.item.when
            and newer.score >= older.score - AS_GOOD
            and bool(competes[places[newer.id], places[older.id]])
            and RECORD not in (newer.item.kind, older.item.kind)
        )

    return _raised(ordered, is_newer)


def _may_compete(alike: NDArray[np.float32]) -> NDArray[np.bool_]:
    return np.asarray((alike >= ALIKE) & (alike < THE_SAME))


def _behind_doubters(found: Sequence[Match]) -> list[Match]:
    by_id = {match.id: match for match in found}
    ordered: dict[str, Match] = {}

    def place(match: Match, waiting: frozenset[str]) -> None:
        for doubter in match.item.suspected_by:
            newer = by_id.get(doubter)
            if newer is not None and doubter not in waiting and newer.score >= match.score - OF_IT:
                place(newer, waiting | {doubter})
        ordered.setdefault(match.id, match)

    for match in found:
        place(match, frozenset({match.id}))
    return list(ordered.values())


def _raised(found: list[Match], is_newer: IsNewer) -> list[Match]:
    """Each newer one before the first that it may replace."""
    ordered: list[Match] = []
    for match in found:
        place = next((place for place, other in enumerate(ordered) if is_newer(match, other)), len(ordered))
        ordered.insert(place, match)
    return ordered

"""Filters as a mask over rows: which items may answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from truekeep.model import TRUST_LEVELS, Filters

from .arrays import Array
from .columns import BOUNDED, DEAD, NEVER, QUARANTINED, RETIRED, TRUST_MASK, TRUST_SHIFT, Names, microseconds
from .postings import PostingsView
from .tokens import tag_term

Mask: TypeAlias = NDArray[np.bool_] | None  # None: every row


def select(
    filters: Filters,
    now: int,
    *,
    column: Callable[[str], Array],
    names: Mapping[str, Names],
    postings: PostingsView,
) -> NDArray[np.bool_]:
    """The rows that pass: alive, not expired, valid at the time in question, and as the filters want them."""
    flags = column("flags")
    hidden = DEAD if filters.include_quarantined else DEAD | QUARANTINED
    if filters.as_of is None and filters.known_at is None and not filters.include_superseded:
        hidden |= RETIRED
    mask: NDArray[np.bool_] = (flags & hidden) == 0
    if filters.known_at is not None:
        mask &= column("created") <= microseconds(filters.known_at)
    _drop_bounded(mask, filters, now, column)
    _narrow(mask, filters, column, names)
    for tag in filters.tags or ():
        tagged = np.zeros(len(mask), np.bool_)
        tagged[postings.find([tag_term(tag)])[0].rows] = True
        mask &= tagged
    return mask


def _drop_bounded(mask: NDArray[np.bool_], filters: Filters, now: int, column: Callable[[str], Array]) -> None:
    """Expired items never answer; others not outside the time for which they are true."""
    asked = filters.as_of or filters.known_at
    at = now if asked is None else microseconds(asked)
    bounded = np.flatnonzero(column("flags") & BOUNDED)  # few: only they cost a look at the times
    if len(bounded):
        fits = column("expires")[bounded] > now
        if asked is not None or not filters.include_superseded:
            true = column("until")[bounded] > at
            if filters.known_at is not None:  # what was retired later had no end yet, as far as anybody knew
                retired = column("retired")[bounded]
                true |= (retired > microseconds(filters.known_at)) & (retired != NEVER)
            fits &= true
        mask[bounded] &= fits
    if asked is not None:
        mask &= column("when") <= at


def _narrow(
    mask: NDArray[np.bool_], filters: Filters, column: Callable[[str], Array], names: Mapping[str, Names]
) -> None:
    if filters.kinds:
        _narrow_kinds(mask, filters.kinds, column("kind"), names["kind"])
    for name in ("session", "speaker", "source"):
        if (wanted := getattr(filters, name)) is not None:
            mask &= column(name) == names[name].code(wanted)
    if filters.since is not None:
        mask &= column("when") >= microseconds(filters.since)
    if filters.until is not None:
        mask &= column("when") < microseconds(filters.until)
    if filters.before is not None:
        mask &= column("created") < microseconds(filters.before)
    if filters.min_trust is not None:
        mask &= ((column("flags") >> TRUST_SHIFT) & TRUST_MASK) >= TRUST_LEVELS.index(filters.min_trust)


def _narrow_kinds(mask: NDArray[np.bool_], kinds: frozenset[str], column: Array, names: Names) -> None:
    unwanted = {kind for kind in kinds if kind.startswith("-")}
    if wanted := kinds - unwanted:
        mask &= np.logical_or.reduce([column == names.code(kind) for kind in wanted])
    for kind in unwanted:
        mask &= column != names.code(kind[1:])

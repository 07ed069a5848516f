"""A space as pictures: its latest items in two dimensions, those that mean the same close together; how it grew."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truekeep.model import Filters, SpaceId

from .parts import Parts

_DAY = 86_400 * 1_000_000  # in microseconds


class Projection(NamedTuple):
    """Where items lie, each coordinate between -1 and 1."""

    seq: int  # of the space, when it was made
    ids: tuple[str, ...]
    places: NDArray[np.float64]  # [items, 2]
    share: float  # of the variance that the two axes show, 0 to 1


def project(*, parts: Parts, space: SpaceId, now: datetime, limit: int) -> Projection:
    """The latest current items that have vectors, on the two axes along which they differ most."""
    view = parts.indexes.refreshed(space)
    rows = view.newest(view.select(Filters(), now), limit)
    rows = rows[view.has_vectors(rows)]
    passages = view.column("first")[rows]  # a long text lies where its first passage does
    codes = view.passages.columns["codes"].take(passages, axis=0).astype(np.float32)
    vectors = codes * view.passages.columns["inverse"].take(passages)[:, None]
    places, share = principal_axes(vectors)
    return Projection(view.seq, tuple(view.ids(rows)), places, share)


def principal_axes(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float64], float]:
    """Places on the two axes of the greatest variance, scaled into -1 to 1, and the share of it that they show.

    Always the same for the same vectors: the signs of the axes, which mathematics leaves open, are settled.
    """
    if len(vectors) < 2:
        return np.zeros((len(vectors), 2)), 1.0
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    variances, axes = np.linalg.eigh(centred.T @ centred)
    chosen = axes[:, [-1, -2]] if axes.shape[1] > 1 else np.repeat(axes, 2, axis=1)
    chosen = chosen * np.where(chosen[np.abs(chosen).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    places = centred @ chosen
    peaks = np.abs(places).max(axis=0)
    total = float(variances.sum())
    return places / np.where(peaks > 1e-9, peaks, 1.0), float(variances[-2:].sum()) / total if total > 1e-9 else 1.0


def counted_by_day(
    column: Literal["created", "retired"], *, parts: Parts, space: SpaceId, now: datetime, days: int
) -> list[int]:
    """How many of the items that are still kept came, or went, on each of the last days of UTC, the oldest first."""
    view = parts.indexes.refreshed(space)
    today = int(now.timestamp()) // 86_400
    age = today - view.column(column)[view.alive] // _DAY
    counts = np.bincount(age[(age >= 0) & (age < days)], minlength=days)
    return [int(count) for count in counts[::-1]]

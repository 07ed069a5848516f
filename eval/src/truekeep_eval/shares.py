"""Figures that are shares: so many of so many, pooled, averaged over groups, by fold, and held against a target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from truekeep._version import __version__


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    hits: int = 0
    of: int = 0

    @property
    def value(self) -> float | None:
        """None where there is nothing to be a share of."""
        return self.hits / self.of if self.of else None

    def __add__(self, other: Share) -> Share:
        return Share(self.hits + other.hits, self.of + other.of)


Shares = Mapping[str, Share]


@dataclass(frozen=True, slots=True)
class Target:
    """What a share has to reach, or must not exceed."""

    bound: float
    at_least: bool

    def is_met(self, value: float) -> bool:
        return value >= self.bound if self.at_least else value <= self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All that a run came to."""

    format: str
    data: str
    embedder: str
    k: int | None = None  # how many matches were looked at, where that matters
    entries: int  # scenarios or conversations
    overall: Shares  # of all entries together
    groups: Mapping[str, Shares]  # by category or kind
    means: Mapping[str, float] = field(default_factory=dict)  # over the categories, where that is the headline
    folds: Mapping[int, Shares] = field(default_factory=dict)
    targets: Mapping[str, Target]
    truekeep: str = __version__

    def is_met(self, name: str) -> bool | None:
        """Whether all entries together, and the mean over categories where there is one, are within the target."""
        values = [self.overall[name].value, self.means.get(name)]
        known = [value for value in values if value is not None]
        if name not in self.targets or not known:
            return None
        return all(self.targets[name].is_met(value) for value in known)

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "format": self.format,
            "version": 1,
            "data": self.data,
            "truekeep": self.truekeep,
            "embedder": self.embedder,
            "k": self.k,
            "entries": self.entries,
            "measures": {name: self._measure(name) for name in self.overall},
            "groups": {group: _record(shares) for group, shares in self.groups.items()},
            "folds": {str(fold): _record(shares) for fold, shares in self.folds.items()},
        }

    def _measure(self, name: str) -> dict[str, Any]:
        target = self.targets.get(name)
        folds = self.folds.values()
        return {
            **_plain(self.overall[name]),
            "mean_over_groups": self.means.get(name),
            "target": None if target is None else target.bound,
            "met": self.is_met(name),
            "mean_over_folds": mean(folds, name),
            "spread_over_folds": spread(folds, name),
        }


def _record(shares: Shares) -> dict[str, Any]:
    return {name: _plain(share) for name, share in shares.items()}


def _plain(share: Share) -> dict[str, Any]:
    return {"hits": share.hits, "of": share.of, "share": share.value}


def share_of(verdicts: Iterable[bool]) -> Share:
    """How many of them are true."""
    found = list(verdicts)
    return Share(sum(found), len(found))


def pooled(parts: Sequence[Shares]) -> dict[str, Share]:
    """The sum of each measure."""
    names = dict.fromkeys(chain.from_iterable(parts))
    return {name: sum((part[name] for part in parts if name in part), Share()) for name in names}


def mean(groups: Iterable[Shares], name: str) -> float | None:
    """The mean of a measure over the groups that have it."""
    values = [value for group in groups if (value := group[name].value) is not None]
    return sum(values) / len(values) if values else None


def spread(groups: Iterable[Shares], name: str) -> float | None:
    """The highest less the lowest of a measure, over the groups that have it."""
    values = [value for group in groups if (value := group[name].value) is not None]
    return max(values) - min(values) if values else None


def by_fold(parts: Mapping[str, Shares], fold_of: Mapping[str, int] | None) -> dict[int, Shares]:
    """The sums of each fold that has entries, in order; nothing without folds. `parts` are those of the entries."""
    folds: dict[int, list[Shares]] = {}
    if fold_of is not None:
        for id, shares in parts.items():
            folds.setdefault(fold_of[id], []).append(shares)
    return {fold: pooled(folds[fold]) for fold in sorted(folds)}

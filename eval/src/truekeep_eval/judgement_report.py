"""What the findings come to: each measure by author and as a mean over authors, with intervals and targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from truekeep._version import __version__

from .judgement import Judged
from .metrics import Interval, Sum, auroc, mean, pooled, resampled_mean
from .shares import Target

FORMAT, VERSION = "truekeep-judgement", 1
ANSWERABLE = "answerable (AUROC)"
TARGETS: Mapping[str, Target] = {
    "newest first": Target(0.85, at_least=True),
    "R@1": Target(0.68, at_least=True),
    "R@5": Target(0.95, at_least=True),
    ANSWERABLE: Target(0.85, at_least=True),
    "changes marked": Target(0.75, at_least=True),
    "false marks": Target(0.04, at_least=False),
    "changes superseded": Target(0.30, at_least=True),
    "true superseded": Target(0.002, at_least=False),
    "said again, one left": Target(0.55, at_least=True),
    "swallowed": Target(0.0, at_least=False),
    "precision": Target(0.80, at_least=True),
    "recall": Target(0.85, at_least=True),
    "kind": Target(0.85, at_least=True),
    "kept of nothing": Target(0.10, at_least=False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All that a run came to: for each measure the mean over authors, and each author's own."""

    data: str
    embedder: str
    seed: int
    spaces: int | None  # of each author, at most
    entries: int  # worlds and conversations
    means: Mapping[str, Interval]
    authors: Mapping[str, Mapping[str, Interval]]
    truekeep: str = __version__

    def record(self) -> dict[str, Any]:
        """As JSON."""
        targets = {name: asdict(TARGETS[name]) | {"met": self.is_met(name)} for name in self.means}
        return {"format": FORMAT, "version": VERSION, **asdict(self), "targets": targets}

    def is_met(self, name: str) -> bool:
        """Whether the mean over authors is within the target."""
        return TARGETS[name].is_met(self.means[name].value)


def figures(judged: Sequence[Judged], *, data: str, embedder: str, seed: int, spaces: int | None) -> Figures:
    """All figures of a run."""
    authors: dict[str, list[Judged]] = {}
    for one in judged:
        authors.setdefault(one.author or "", []).append(one)
    return Figures(
        data=data,
        embedder=embedder,
        seed=seed,
        spaces=spaces,
        entries=len(judged),
        means=_measures(list(authors.values())),
        authors={author: _measures([authors[author]]) for author in sorted(authors)},
    )


def _measures(parts: Sequence[Sequence[Judged]]) -> dict[str, Interval]:
    """The mean of each measure over the parts, in the order of the targets, where there is anything to measure."""
    found = {name: _interval(name, parts) for name in TARGETS}
    return {name: interval for name, interval in found.items() if interval is not None}


def _interval(name: str, parts: Sequence[Sequence[Judged]]) -> Interval | None:
    if name == ANSWERABLE:
        return resampled_mean([[(one.answered, one.unanswered) for one in part] for part in parts], pooled(auroc))
    return resampled_mean([[_sum(one, name) for one in part] for part in parts], mean)


def _sum(judged: Judged, name: str) -> Sum:
    hits = [finding.hit for finding in judged.findings if finding.measure == name]
    return Sum(sum(hits), len(hits))


def rows(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """One record a world or conversation."""
    return [asdict(one) | {"findings": [finding._asdict() for finding in one.findings]} for one in judged]


def failures(judged: Sequence[Judged]) -> Iterator[str]:
    """What went wrong, for a developer to read."""
    for one in judged:
        for finding in one.findings:
            if finding.hit != TARGETS[finding.measure].at_least:
                yield f"{one.author or ''} {one.id}, {finding.measure}: {finding.about!r}".strip()

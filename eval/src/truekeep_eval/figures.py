"""What findings come to: shares with intervals, together, by group and by part of a set, held against targets."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from truekeep._version import __version__

from .findings import Judged, Measure
from .metrics import Interval, Sum, auroc, mean, pooled, resampled_mean

VERSION = 1
ANSWERABLE = "answerable (AUROC)"  # the only measure that is no share

Measures = Mapping[str, Measure]
Parts = Mapping[str, Sequence[Judged]]  # folds or authors, by name
Apart = tuple[str | None, Sequence[Judged]]  # entries, and the group of their findings that counts; None: all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All that a run came to."""

    format: str
    data: str
    embedder: str
    settings: Mapping[str, Any]  # what else was asked for
    entries: int  # scenarios, worlds or conversations
    measures: Measures
    overall: Mapping[str, Interval]  # of all entries together
    counts: Mapping[str, Sum]  # how many hits of how many
    means: Mapping[str, Interval] = field(default_factory=dict)  # over groups or parts, where that is the headline
    groups: Mapping[str, Mapping[str, Sum]]
    parts: Mapping[str, Mapping[str, Interval]]
    truekeep: str = __version__

    def is_met(self, name: str) -> bool | None:
        """Whether all entries together, and the mean where there is one, are within the target."""
        values = [found[name].value for found in (self.overall, self.means) if name in found]
        met = [self.measures[name].is_met(value) for value in values]
        return None if None in met else all(met)

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "format": self.format,
            "version": VERSION,
            "data": self.data,
            "truekeep": self.truekeep,
            "embedder": self.embedder,
            **self.settings,
            "entries": self.entries,
            "measures": {name: self._measure(name) for name in self.overall},
            "groups": {
                group: {name: _plain(share) for name, share in sums.items()} for group, sums in self.groups.items()
            },
            "parts": {part: {name: asdict(one) for name, one in found.items()} for part, found in self.parts.items()},
        }

    def _measure(self, name: str) -> dict[str, Any]:
        measure = self.measures[name]
        return {
            **asdict(self.overall[name]),
            **(_plain(self.counts[name]) if name in self.counts else {}),
            "mean": asdict(self.means[name]) if name in self.means else None,
            "wanted": measure.wanted,
            "bound": measure.bound,
            "met": self.is_met(name),
        }


def _plain(share: Sum) -> dict[str, float]:
    return {"hits": share.total, "of": share.questions}


def figures(
    judged: Sequence[Judged],
    measures: Measures,
    *,
    parts: Parts,
    mean_over: Literal["groups", "parts"] | None = None,
    **more: Any,
) -> Figures:
    """All figures of a run, in the order of the measures; `more` are the fields of Figures that say what was run."""
    names = dict.fromkeys(finding.group for one in judged for finding in one.findings if finding.group)
    groups = {name: [one for one in judged if any(finding.group == name for finding in one.findings)] for name in names}
    apart: dict[str | None, list[Apart]] = {
        None: [],
        "groups": list(groups.items()),
        "parts": [(None, part) for part in parts.values()],
    }
    return Figures(
        entries=len(judged),
        measures=measures,
        overall=_intervals(measures, [(None, judged)]),
        counts=_counts(judged, measures),
        means=_intervals(measures, apart[mean_over]),
        groups={group: _counts(entries, measures, group) for group, entries in groups.items()},
        parts={name: _intervals(measures, [(None, part)]) for name, part in parts.items()},
        **more,
    )


def _intervals(measures: Measures, apart: Sequence[Apart]) -> dict[str, Interval]:
    """The mean of each measure over entries apart from each other; those with nothing to measure are not drawn from."""
    found = {}
    for name in measures:
        if name == ANSWERABLE:
            scores = [[(one.answered, one.unanswered) for one in entries] for _, entries in apart]
            interval = resampled_mean([[one for one in part if any(one)] for part in scores], pooled(auroc))
        else:
            sums = [[_sum(one, name, group) for one in entries] for group, entries in apart]
            interval = resampled_mean([[one for one in part if one.questions] for part in sums], mean)
        if interval is not None:
            found[name] = interval
    return found


def _counts(judged: Sequence[Judged], measures: Measures, group: str | None = None) -> dict[str, Sum]:
    found = {}
    for name in measures:
        hits, counts = zip(*(_sum(one, name, group) for one in judged), strict=True)
        if sum(counts):
            found[name] = Sum(sum(hits), sum(counts))
    return found


def _sum(judged: Judged, name: str, group: str | None) -> Sum:
    hits = [one.hit for one in judged.findings if one.measure == name and group in (None, one.group)]
    return Sum(sum(hits), len(hits))


def rows(judged: Sequence[Judged], *, hidden: Collection[str] = ()) -> list[dict[str, Any]]:
    """One record an entry; of hidden ones without any text."""
    return [
        asdict(one) | {"findings": [_row(finding._asdict(), one.id in hidden) for finding in one.findings]}
        for one in judged
    ]


def _row(finding: dict[str, Any], is_hidden: bool) -> dict[str, Any]:
    return {name: value for name, value in finding.items() if not (is_hidden and name == "about")}


def failures(judged: Sequence[Judged], measures: Measures) -> Iterator[str]:
    """What went wrong, for a developer to read."""
    for one in judged:
        for finding in one.findings:
            if measures[finding.measure].is_fault(finding):
                name = " ".join(part for part in (one.author, one.id, finding.group) if part)
                yield f"{name}, {finding.measure}: {finding.about}"

"""What a run came to: figures with intervals, a file with one row a question, and two runs side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from truekeep._version import __version__
from truekeep.errors import InvalidInput

from .datasets import ABSTAIN
from .metrics import (
    Interval,
    Sum,
    auroc,
    complete_at,
    mean,
    ndcg_at,
    percentile,
    pooled,
    precision_at_recall,
    recall_at,
    reciprocal_rank,
    resampled,
)
from .runner import CONTEXT_TOKENS, Row

FORMAT, VERSION = "truekeep-evaluation", 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A run of one set: what was asked of which configuration, and one row a question."""

    data: str
    embedder: str
    ks: tuple[int, ...]
    rows: tuple[Row, ...]
    truekeep: str = __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The figures of one category."""

    questions: int
    measures: Mapping[str, Interval]


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstention:
    """How well `answerable` tells the questions that nothing answers from the others."""

    questions: int  # that nothing answers
    auroc: Interval
    precision_at_95: Interval  # of those let through when 95 % of the answerable ones are


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts:
    """What contexts cost, and how much evidence a thousand tokens of them hold."""

    budget: int
    mean_tokens: float
    recall_per_1000_tokens: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """How long a recall took."""

    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All that a run came to; as JSON, this is the report without its rows."""

    format: str = FORMAT
    version: int = VERSION
    data: str
    truekeep: str
    embedder: str
    ks: tuple[int, ...]
    conversations: int
    questions: int
    overall: Scores | None  # of all questions that have evidence
    categories: Mapping[str, Scores]  # in the order of the set
    context: Contexts | None
    abstention: Abstention | None
    latency: Latency | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One measure in two runs, over the questions that both have."""

    before: float
    after: float
    change: Interval
    better: int
    worse: int
    same: int


def measures_of(row: Row, ks: Iterable[int]) -> dict[str, float]:
    """The measures of one question that has evidence."""
    ranked, evidence = row.ranked, row.evidence
    return {
        **{f"R@{k}": recall_at(ranked, evidence, k) for k in ks},
        "all@10": complete_at(ranked, evidence, 10),
        "NDCG@10": ndcg_at(ranked, evidence, 10),
        "MRR@10": reciprocal_rank(ranked[:10], evidence),
        "context": recall_at(row.context, evidence, len(row.context)),
    }


def figures(report: Report) -> Figures:
    """All figures of a run."""
    asked = [row for row in report.rows if row.evidence]
    categories: dict[str, list[Row]] = {}
    for row in asked:
        categories.setdefault(row.category, []).append(row)
    scored = {category: _scores(rows, report.ks) for category, rows in categories.items()}
    return Figures(
        data=report.data,
        truekeep=report.truekeep,
        embedder=report.embedder,
        ks=report.ks,
        conversations=len({row.conversation for row in report.rows}),
        questions=len(report.rows),
        overall=_scores(asked, report.ks),
        categories={category: found for category, found in scored.items() if found},
        context=_contexts(asked),
        abstention=_abstention(report.rows),
        latency=_latency(report.rows),
    )


def record(report: Report, found: Figures) -> dict[str, Any]:
    """The whole report as JSON: the figures, and one row a question with its own measures."""
    rows = [asdict(row) | {"measures": measures_of(row, report.ks) if row.evidence else {}} for row in report.rows]
    return asdict(found) | {"rows": rows}


def _scores(rows: Sequence[Row], ks: Sequence[int]) -> Scores | None:
    measured = [(row, measures_of(row, ks)) for row in rows]
    return Scores(questions=len(rows), measures=_intervals(measured)) if rows else None


def _contexts(rows: Sequence[Row]) -> Contexts | None:
    if not rows:
        return None
    tokens = sum(row.context_tokens for row in rows)
    shares = sum(measures_of(row, ())["context"] for row in rows)
    return Contexts(
        budget=CONTEXT_TOKENS,
        mean_tokens=tokens / len(rows),
        recall_per_1000_tokens=1000 * shares / tokens if tokens else 0.0,
    )


def _abstention(rows: Sequence[Row]) -> Abstention | None:
    """None where the set has no question that nothing answers, or no other."""
    groups: dict[str, tuple[list[float], list[float]]] = {}
    for row in rows:
        positives, negatives = groups.setdefault(row.conversation, ([], []))
        if row.evidence:
            positives.append(row.answerable)
        elif row.category in ABSTAIN:
            negatives.append(row.answerable)
    scores = list(groups.values())
    area, precision = resampled(scores, pooled(auroc)), resampled(scores, pooled(precision_at_recall))
    if area is None or precision is None:
        return None
    count = sum(len(negatives) for _, negatives in groups.values())
    return Abstention(questions=count, auroc=area, precision_at_95=precision)


def _latency(rows: Sequence[Row]) -> Latency | None:
    times = [row.ms for row in rows]
    return Latency(p50_ms=percentile(times, 0.5), p95_ms=percentile(times, 0.95)) if times else None


def read(path: Path) -> Report:
    """A report as `record` was written to a file.

    Raises:
        InvalidInput: it cannot be read, or is something else.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT or found["version"] != VERSION:
            raise ValueError("another format or version")
        texts = {name: str(found[name]) for name in ("data", "embedder", "truekeep")}
        return Report(**texts, ks=tuple(map(int, found["ks"])), rows=tuple(map(_row, found["rows"])))
    except OSError as error:
        raise InvalidInput("report", f"{path} cannot be read: {error.strerror}") from error
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("report", f"{path} is no report of this version of `truekeep eval`") from error


def compare(before: Report, after: Report) -> dict[str, Difference]:
    """Each measure that both have, question by question.

    Raises:
        InvalidInput: they have no question in common.
    """
    ks = [k for k in after.ks if k in before.ks]
    earlier = {_identity(row): row for row in before.rows if row.evidence}
    pairs = [(earlier[_identity(row)], row) for row in after.rows if row.evidence and _identity(row) in earlier]
    if not pairs:
        raise InvalidInput("report", "the two have no question in common")
    changes = [(new, measures_of(old, ks), measures_of(new, ks)) for old, new in pairs]
    gains = _intervals([(row, {name: new[name] - old[name] for name in new}) for row, old, new in changes])
    return {name: _difference([(old[name], new[name]) for _, old, new in changes], gains[name]) for name in gains}


def _difference(pairs: Sequence[tuple[float, float]], change: Interval) -> Difference:
    better, worse = sum(new > old for old, new in pairs), sum(new < old for old, new in pairs)
    return Difference(
        before=sum(old for old, _ in pairs) / len(pairs),
        after=sum(new for _, new in pairs) / len(pairs),
        change=change,
        better=better,
        worse=worse,
        same=len(pairs) - better - worse,
    )


def _intervals(measured: Sequence[tuple[Row, Mapping[str, float]]]) -> dict[str, Interval]:
    """The mean of each figure, with its interval."""
    conversations: dict[str, list[Mapping[str, float]]] = {}
    for row, found in measured:
        conversations.setdefault(row.conversation, []).append(found)
    intervals = {}
    for name in measured[0][1]:
        sums = [Sum(sum(found[name] for found in group), len(group)) for group in conversations.values()]
        if (interval := resampled(sums, mean)) is not None:
            intervals[name] = interval
    return intervals


def _identity(row: Row) -> tuple[str, int, str]:
    """What is the same question in two runs, also when one of them left out others."""
    return row.conversation, row.number, row.question


def _row(found: Mapping[str, Any]) -> Row:
    return Row(
        conversation=str(found["conversation"]),
        number=int(found["number"]),
        question=str(found["question"]),
        category=str(found["category"]),
        evidence=tuple(map(str, found["evidence"])),
        ranked=tuple(map(str, found["ranked"])),
        answerable=float(found["answerable"]),
        context=tuple(map(str, found["context"])),
        context_tokens=int(found["context_tokens"]),
        ms=float(found["ms"]),
    )

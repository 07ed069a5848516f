"""What logits are worth: the figures of one author, and of several with an interval over authors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from .examples import CHANGE, KINDS, PART, SAME, STAY, Example, Task

Logits = Sequence[NDArray[np.float32]]  # of each example, one row a text: relevance, relation (4), keep, kinds (5)
Figures = dict[str, float]

# Authors who are left out together: worlds of work and of life, mostly, and conversations of one author more.
FOLDS = ("ghnp", "aioq", "bjrs", "cetu", "dfvw")
FALSE_MARKS = (0.01, 0.02, 0.05)
FALSE_SAMES = (0.002, 0.01)
_STUDENT = (
    12.7,
    4.3,
    3.18,
    2.78,
    2.57,
    2.45,
    2.36,
    2.31,
    2.26,
    2.23,
    2.2,
    2.18,
    2.16,
    2.14,
    2.13,
)  # 97.5 % of t


def relation_margins(logits: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How much speaks for a change, and how much for the same said again."""
    stay, change, same, part = (logits[:, 1 + each] for each in (STAY, CHANGE, SAME, PART))
    changed = np.logaddexp(change, part)
    return changed - np.logaddexp(stay, same), same - np.logaddexp(stay, changed)


def pairs(examples: Sequence[Example], logits: Logits) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The labels and logits of all pairs of statements that somebody labelled."""
    chosen = [(example, rows) for example, rows in zip(examples, logits, strict=True) if example.task == "relation"]
    labels = np.array([label for example, rows in chosen for label in example.labels[: len(rows)]], dtype=np.int64)
    values = np.concatenate([rows for _, rows in chosen])
    return labels[labels >= 0], values[labels >= 0]


def found_at(score: NDArray[np.float32], wanted: NDArray[np.bool_], share: float) -> float:
    """The share of the wanted that score above all but `share` of the others."""
    others = np.sort(score[~wanted])[::-1]
    cut = others[min(len(others) - 1, math.floor(share * len(others)))]
    return float((score[wanted] > cut).mean())


def auroc(high: NDArray[np.float32], low: NDArray[np.float32]) -> float:
    """How often one that should be high is above one that should be low."""
    above = (high[:, None] > low[None]).mean() + 0.5 * (high[:, None] == low[None]).mean()
    return float(above)


def relation(examples: Sequence[Example], logits: Logits) -> Figures:
    """Changes marked, and repetitions found, at several shares of false ones among the nearest."""
    labels, values = pairs(examples, logits)
    changed, same = relation_margins(values)
    is_change = (labels == CHANGE) | (labels == PART)
    found = {f"changes at {share:.0%} false": found_at(changed, is_change, share) for share in FALSE_MARKS}
    return found | {f"same at {share:.1%} false": found_at(same, labels == SAME, share) for share in FALSE_SAMES}


def relevance(examples: Sequence[Example], logits: Logits) -> Figures:
    """Whether what is found tells an answerable question from one that is not; and whether the answer comes first."""
    best: dict[bool, list[float]] = {True: [], False: []}
    first: list[bool] = []
    for example, rows in zip(examples, logits, strict=True):
        if example.task == "relevance":
            answerable = bool(example.facts[0]["answerable"])
            best[answerable].append(float(rows[:, 0].max()))
            if answerable:
                first.append(example.labels[int(rows[:, 0].argmax())] == 1)
    high, low = (np.array(best[each], dtype=np.float32) for each in (True, False))
    return {"answerable AUROC": auroc(high, low), "first of the nearest": float(np.mean(first))}


def kept_above(examples: Sequence[Example], logits: Logits) -> float:
    """The cut of the sentence head that gives the best F1."""
    score, labels = _sentences(examples, logits)
    cuts = np.quantile(score, np.linspace(0.5, 0.98, 97))

    def f1(cut: float) -> float:
        hits = float(((score > cut) & (labels == 1)).sum())
        return 2 * hits / float((score > cut).sum() + (labels == 1).sum())

    return float(max(cuts, key=f1))


def keep(examples: Sequence[Example], logits: Logits, cut: float) -> Figures:
    """Sentences kept: how many of them rightly, how many of those to keep, of the right kind, and out of nothing."""
    score, labels = _sentences(examples, logits)
    kept = score > cut
    right = kept & (labels == 1)
    kinds: list[bool] = []
    worlds: dict[str, tuple[bool, bool]] = {}
    for example, rows in zip(examples, logits, strict=True):
        if example.task != "keep":
            continue
        for label, kind, row in zip(example.labels, example.kinds, rows, strict=True):
            if label == 1 and row[5] > cut:
                kinds.append(KINDS[int(row[6:11].argmax())] == kind)
        holds, leaks = worlds.get(example.world, (False, False))
        worlds[example.world] = (holds or 1 in example.labels, leaks or bool((rows[:, 5] > cut).any()))
    empty = [leaks for holds, leaks in worlds.values() if not holds]
    return {
        "kept rightly": float(right.sum() / max(1, kept.sum())),
        "of those to keep": float(right.sum() / (labels == 1).sum()),
        "kind right": float(np.mean(kinds)) if kinds else math.nan,
        "kept out of nothing": float(np.mean(empty)),
    }


def _sentences(examples: Sequence[Example], logits: Logits) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    chosen = [(example, rows) for example, rows in zip(examples, logits, strict=True) if example.task == "keep"]
    labels = np.array([label for example, _ in chosen for label in example.labels], dtype=np.int64)
    score = np.concatenate([rows[:, 5] for _, rows in chosen])
    return score[labels >= 0], labels[labels >= 0]


def by_author(
    examples: Mapping[str, Sequence[Example]], logits: Mapping[str, Logits], cut: Callable[[str], float] | None = None
) -> dict[str, dict[str, float]]:
    """Every figure of every author.

    Args:
        examples: of each author.
        logits: of each author, by a judge that did not learn from them.
        cut: of the sentence head for an author; by default the best one for the other authors.
    """

    def others(author: str) -> float:
        rest = [name for name in logits if name != author and has("keep", examples[name])]
        return kept_above([*chain(*(examples[n] for n in rest))], [*chain(*(logits[n] for n in rest))])

    table: dict[str, dict[str, float]] = {}
    for author, rows in logits.items():
        figures: Figures = {}
        if has("relation", examples[author]):
            figures |= relation(examples[author], rows) | relevance(examples[author], rows)
        if has("keep", examples[author]):
            figures |= keep(examples[author], rows, (cut or others)(author))
        for name, value in figures.items():
            table.setdefault(name, {})[author] = value
    return table


def has(task: Task, examples: Sequence[Example]) -> bool:
    """Whether an author wrote anything of a task; some wrote worlds alone, some conversations alone."""
    return any(example.task == task for example in examples)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean over authors, and how far from it the true one may be, in 95 of 100 cases."""
    if len(values) < 2:
        return values[0], math.nan
    wide = _STUDENT[min(len(values), len(_STUDENT) + 1) - 2] * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return float(np.mean(values)), wide


def lines(table: Mapping[str, Mapping[str, float]]) -> list[str]:
    """The table in Markdown: a figure a row, the authors in columns, the mean with its interval last."""
    authors = sorted({author for row in table.values() for author in row})
    head = ["| | " + " | ".join(authors) + " | mean, 95 % over authors |", "| --- |" + " --- |" * (len(authors) + 1)]
    body = []
    for name, row in table.items():
        middle, wide = interval(list(row.values()))
        cells = [f"{100 * row[author]:.1f}" if author in row else "" for author in authors]
        body.append(f"| {name} | {' | '.join(cells)} | **{100 * middle:.1f}** ± {100 * wide:.1f} |")
    return head + body

"""What the package makes of each author's texts, by its public API, with judges that did not learn from the author.

The layers over a judge, of some twenty numbers, did learn from all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from truekeep.judges.learned import LearnedJudge
from truekeep_eval import judgement, sample
from truekeep_eval.figures import Figures, figures
from truekeep_eval.findings import Judged

from .measure import FOLDS


def by_author(data: Path, judges: Path, *, spaces: int | None = None, at_once: int = 1) -> Figures:
    """The figures of `truekeep eval judgement`, by author.

    Args:
        data: the folder with what the authors wrote.
        judges: the folder with a network for each fold, without whose authors it was made.
        spaces: only so many of each author.
        at_once: processes.
    """
    with get_context("spawn").Pool(at_once) as pool:
        authors = sorted("".join(FOLDS))
        judged = dict(zip(authors, pool.map(partial(_judged, data, judges, spaces), authors, chunksize=1), strict=True))
    return figures(
        [one for some in judged.values() for one in some],
        judgement.MEASURES,
        format=judgement.FORMAT,
        data=data.name,
        embedder="",
        settings={"spaces": spaces},
        parts=judged,
        mean_over="parts",
    )


def _judged(data: Path, judges: Path, spaces: int | None, author: str) -> list[Judged]:
    (fold,) = (fold for fold in FOLDS if author in fold)
    judge = LearnedJudge(threads=1, file=judges / f"{fold}.onnx")
    chosen = sample.draw(sample.read([data]), authors=[author], spaces=spaces)
    return list(judgement.run(chosen, judge=judge))


def lines(found: Figures) -> Iterator[str]:
    """The table in Markdown: the mean over authors with its interval, then each author."""
    authors = list(found.parts)
    yield "| | aim | mean (95 %) | " + " | ".join(authors) + " |"
    yield "| --- | --- | --- |" + " --- |" * len(authors)
    for name, mean in found.means.items():
        measure = found.measures[name]
        aim = "" if measure.bound is None else f"{'≥' if measure.wanted else '≤'} {100 * measure.bound:g}"
        cells = [f"{100 * part[name].value:.0f}" if name in part else "" for part in found.parts.values()]
        low, high = (100 * (bound or 0) for bound in (mean.low, mean.high))
        yield f"| {name} | {aim} | **{100 * mean.value:.1f}** ({low:.1f} to {high:.1f}) | {' | '.join(cells)} |"

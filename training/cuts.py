"""Where to cut the logits: at a share of false marks, of lost questions, or of conversations with nothing in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from .examples import CHANGE, PART, SAME, Example
from .measure import Logits, has, keep, kept_above, pairs, relation_margins

FALSE_CHANGES = (0.01, 0.02, 0.04, 0.05)
FALSE_SAMES = (0.002, 0.01)
LOST = (0.02, 0.05)  # of the questions that can be answered
OUT_OF_NOTHING = 0.1

Scores = Mapping[str, tuple[NDArray[np.float32], NDArray[np.bool_]]]  # of each author: a score, and where it is wanted


def cut_lines(examples: Mapping[str, Sequence[Example]], logits: Mapping[str, Logits]) -> list[str]:
    """A table in Markdown: each cut, what it finds, and its faults for the author with fewest and most of them."""
    changes, sames, questions = {}, {}, {}
    for author, rows in logits.items():
        if not has("relation", examples[author]):
            continue
        labels, values = pairs(examples[author], rows)
        changed, same = relation_margins(values)
        changes[author] = changed, (labels == CHANGE) | (labels == PART)
        sames[author] = same, labels == SAME
        questions[author] = _best(examples[author], rows)
    lines = ["| what | above | found | faults | faults by author |", "| --- | --- | --- | --- | --- |"]
    for share in FALSE_CHANGES:
        lines.append(_line(f"change, {share:.0%} false", changes, _quantile(changes, 1 - share, wanted=False)))
    for share in FALSE_SAMES:
        lines.append(_line(f"same, {share:.1%} false", sames, _quantile(sames, 1 - share, wanted=False)))
    for share in LOST:
        cut = _quantile(questions, share, wanted=True)
        lines.append(_line(f"answerable, {share:.0%} lost; faults are questions without an answer", questions, cut))
    return [*lines, *_sentence_lines(examples, logits)]


def _best(examples: Sequence[Example], logits: Logits) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    asked = [(e, rows) for e, rows in zip(examples, logits, strict=True) if e.task == "relevance"]
    best = np.array([rows[:, 0].max() for _, rows in asked], dtype=np.float32)
    return best, np.array([bool(example.facts[0]["answerable"]) for example, _ in asked])


def _quantile(scores: Scores, share: float, *, wanted: bool) -> float:
    return float(np.quantile(np.concatenate([score[right == wanted] for score, right in scores.values()]), share))


def _line(name: str, scores: Scores, cut: float) -> str:
    found = np.concatenate([score[right] > cut for score, right in scores.values()]).mean()
    faults = [float((score[~right] > cut).mean()) for score, right in scores.values()]
    all_faults = np.concatenate([score[~right] > cut for score, right in scores.values()]).mean()
    return f"| {name} | {cut:.2f} | {found:.1%} | {all_faults:.1%} | {min(faults):.1%} to {max(faults):.1%} |"


def _sentence_lines(examples: Mapping[str, Sequence[Example]], logits: Mapping[str, Logits]) -> list[str]:
    spoken = [author for author in logits if has("keep", examples[author])]
    texts = [*chain(*(examples[author] for author in spoken))]
    rows = [*chain(*(logits[author] for author in spoken))]
    best = kept_above(texts, rows)
    quiet = best
    while keep(texts, rows, quiet)["kept out of nothing"] > OUT_OF_NOTHING:
        quiet += 0.05
    cuts = {"sentence, best F1": best, f"sentence, at most {OUT_OF_NOTHING:.0%} kept out of nothing": quiet}
    return [_sentence_line(name, cut, texts, rows, examples, logits) for name, cut in cuts.items()]


def _sentence_line(
    name: str,
    cut: float,
    texts: Sequence[Example],
    rows: Logits,
    examples: Mapping[str, Sequence[Example]],
    logits: Mapping[str, Logits],
) -> str:
    whole = keep(texts, rows, cut)
    leaks = [
        keep(examples[author], logits[author], cut)["kept out of nothing"]
        for author in logits
        if has("keep", examples[author])
    ]
    found = f"{whole['of those to keep']:.1%}, {whole['kept rightly']:.1%} rightly"
    by_author = f"{min(leaks):.1%} to {max(leaks):.1%}"
    return f"| {name} | {cut:.2f} | {found} | {whole['kept out of nothing']:.1%} | {by_author} |"

"""The judge and the rules together: a logistic layer over logits, plain figures and the rules' signs, for each pair.

It tells what the two give beside either alone; the authors that it is measured on are left out of its fitting too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .examples import CHANGE, PART, Example
from .measure import FALSE_MARKS, Logits, found_at, relation_margins

_STEPS = 40
_RIDGE = 2.0

Row = list[float]


def compare(examples: Mapping[str, Sequence[Example]], logits: Mapping[str, Logits]) -> dict[str, dict[str, float]]:
    """Changes marked at shares of false marks, by author: judge alone, with figures, with the rules' signs as well."""
    signs = sorted({name for e in _relations(examples) for facts in e.facts for name in facts.get("signs", {})})
    layers: dict[str, Callable[[Mapping[str, Any]], Row]] = {
        "judge, figures": lambda facts: [],
        "judge, figures, rules": lambda facts: _rules(facts, signs),
    }
    table: dict[str, dict[str, float]] = {}
    data = {author: _labelled(examples[author], logits[author]) for author in logits}
    for author, (margins, _, wanted) in data.items():
        for share in FALSE_MARKS:
            table.setdefault(f"judge alone, {share:.0%} false", {})[author] = found_at(margins, wanted, share)
        rules = np.array([facts.get("changes", 0.0) for _, facts in data[author][1]])
        table.setdefault("rules alone, changes", {})[author] = float((rules[wanted] > 0).mean())
        table.setdefault("rules alone, false", {})[author] = float((rules[~wanted] > 0).mean())
    for name, extra in layers.items():
        inputs = {a: np.array([row + extra(facts) for row, facts in found]) for a, (_, found, _) in data.items()}
        for author in data:
            rest = [other for other in data if other != author]
            score = _fitted(
                np.concatenate([inputs[other] for other in rest]), np.concatenate([data[other][2] for other in rest])
            )(inputs[author])
            for share in FALSE_MARKS:
                table.setdefault(f"{name}, {share:.0%} false", {})[author] = found_at(score, data[author][2], share)
    return table


def _relations(examples: Mapping[str, Sequence[Example]]) -> Iterator[Example]:
    return (example for found in examples.values() for example in found if example.task == "relation")


def _labelled(
    examples: Sequence[Example], logits: Logits
) -> tuple[NDArray[np.float32], list[tuple[Row, Mapping[str, Any]]], NDArray[np.bool_]]:
    """Of all labelled pairs: the margin, what the layer sees with the facts, and whether the older one was changed."""
    margins, inputs, wanted = [], [], []
    for example, rows in zip(examples, logits, strict=True):
        if example.task != "relation":
            continue
        changed, same = relation_margins(rows)
        for place in range(len(rows)):
            if example.labels[place] >= 0:
                facts = example.facts[place]
                others = np.delete(changed, place)
                margins.append(changed[place])
                inputs.append((_plain(changed[place], same[place], others, place, example, facts), facts))
                wanted.append(example.labels[place] in (CHANGE, PART))
    return np.array(margins), inputs, np.array(wanted)


def _plain(
    changed: float, same: float, others: NDArray[np.float32], place: int, example: Example, facts: Mapping[str, Any]
) -> Row:
    best = float(others.max()) if len(others) else -4.0
    return [
        float(changed), float(same), float(changed) - best, max(float(changed), best), facts["cosine"], facts["lead"],
        place == 0, place == 1, facts["same speaker"], facts["by assistant"], math.log1p(max(0, facts["days"])),
        min(len(example.texts[place]), 200) / 100, min(len(example.head), 200) / 100,
    ]  # fmt: skip


def _rules(facts: Mapping[str, Any], signs: Sequence[str]) -> Row:
    seen = facts.get("signs", {})
    verdict = [facts.get("changes", 0.0), facts.get("retires", False), facts.get("repeats", False), bool(seen)]
    return [float(value) for value in verdict] + [float(seen.get(name, 0.0)) for name in signs]


def _fitted(inputs: NDArray[Any], wanted: NDArray[np.bool_]) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """A logistic regression with a ridge, by Newton's method."""
    middle, spread = inputs.mean(0), inputs.std(0) + 1e-6

    def scaled(rows: NDArray[Any]) -> NDArray[Any]:
        return np.column_stack([np.clip((rows - middle) / spread, -6, 6), np.ones(len(rows))])

    rows = scaled(inputs.astype(np.float64))
    weights = np.zeros(rows.shape[1])
    ridge = np.full(rows.shape[1], _RIDGE)
    ridge[-1] = 0.0
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (likely - wanted) + ridge * weights
        curve = (rows * (likely * (1 - likely))[:, None]).T @ rows + np.diag(ridge + 1e-9)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return lambda others: scaled(others.astype(np.float64)) @ weights

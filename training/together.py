"""The judge and the rules together: logistic layers over the rules' signs and the judge's logits, for each pair.

The product has two of them, in `truekeep/engine/belief/weights.json`: one for the rules alone and one for both. The
authors that a layer is measured on are left out of its fitting, as they were left out of the judge's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truekeep.engine.belief.signs import heard

from .examples import CHANGE, PART, Example, read
from .measure import Logits, found_at, has
from .rules import NEAR, NEAREST

JUDGED = {"relation": NEAREST, "relevance": 5}  # older statements, and memories, that are judged at once
FALSE_MARKS = 0.025  # of the nearest that stay: where the layers begin to suspect
SHARES = (0.01, 0.02, 0.04)
OLDER = 3.0  # what a pair of the older corpora weighs, of which there are few
JUDGE = ("judge: change", "judge: same")
GROUPS = {
    "how near": ("likeness", "lead"),
    "who speaks": ("same speaker",),
    "another value": ("another value",),
    "another subject": ("another subject",),
    "words of change": ("changes", "changes it"),
    "words of an end": ("ends", "ends it"),
    "taking back": ("takes back",),
    "still, also, several": ("stays", "adds", "several"),
    "more sentences": ("more sentences",),
}
_STEPS = 40
_RIDGE = 2.0


def save(folder: Path, logits: Mapping[str, Logits]) -> None:
    """Keep the logits of authors by judges that did not learn from them: no GPU is needed from here on."""
    arrays: dict[str, Any] = {author: np.concatenate(rows).astype(np.float16) for author, rows in logits.items()}
    np.savez_compressed(folder / "logits.npz", **arrays)


def measured(folder: Path) -> tuple[dict[str, list[Example]], dict[str, Logits]]:
    """The examples of each author, and the logits that were saved."""
    examples: dict[str, list[Example]] = {}
    for example in read(folder / "authors.jsonl.gz"):
        examples.setdefault(example.source, []).append(example)
    logits: dict[str, Logits] = {}
    with np.load(folder / "logits.npz") as saved:
        for author, found in examples.items():
            ends = np.cumsum([len(example.texts[: JUDGED.get(example.task)]) for example in found])
            logits[author] = np.split(saved[author].astype(np.float32), ends[:-1])
    return examples, logits


class Pairs(NamedTuple):
    """Labelled pairs: their signs, whether the older one was changed, and whether the product compares them."""

    signs: list[Mapping[str, float]]
    changed: NDArray[np.bool_]
    near: NDArray[np.bool_]


def layers(
    examples: Mapping[str, Sequence[Example]], logits: Mapping[str, Logits], older: Sequence[Example]
) -> dict[str, dict[str, float]]:
    """The weights of both layers, by sign. A score above 0 marks `FALSE_MARKS` of the pairs that stay."""
    data = _by_author(examples, logits)
    names = [name for group in GROUPS.values() for name in group]
    corpora = _pairs(older)
    found = {}
    for layer, signs, extra in (("rules", names, [corpora]), ("together", [*names, *JUDGE], [])):
        scores = np.concatenate([_left_out(data, author, signs, extra) for author in data])
        changed = np.concatenate([pairs.changed for pairs in data.values()])
        cut = float(np.quantile(scores[~changed], 1 - FALSE_MARKS))
        *weights, bias = _fitted([*data.values()], signs, extra)
        found[layer] = {"bias": round(bias - cut, 3)}
        found[layer] |= {name: round(weight, 3) for name, weight in zip(signs, weights, strict=True)}
    return found


def compare(
    examples: Mapping[str, Sequence[Example]], logits: Mapping[str, Logits], older: Sequence[Example]
) -> dict[str, dict[str, float]]:
    """Changes marked at shares of false marks, by author: judge, rules, both, and both without a group of signs."""
    data = _by_author(examples, logits)
    names = [name for group in GROUPS.values() for name in group]
    layers = {"judge alone": [*JUDGE], "rules alone": names, "together": [*names, *JUDGE]}
    for group, parts in GROUPS.items():
        layers[f"rules without {group}"] = [name for name in names if name not in parts]
        layers[f"together without {group}"] = [name for name in [*names, *JUDGE] if name not in parts]
    corpora = _pairs(older)
    table: dict[str, dict[str, float]] = {}
    for layer, signs in layers.items():
        extra = [] if JUDGE[0] in signs else [corpora]
        for author, pairs in data.items():
            scores = _left_out(data, author, signs, extra)
            for share in SHARES:
                found = found_at(scores, pairs.changed, share)
                table.setdefault(f"{layer}, {share:.0%} false", {})[author] = found
    return table


def _by_author(examples: Mapping[str, Sequence[Example]], logits: Mapping[str, Logits]) -> dict[str, Pairs]:
    return {name: _pairs(examples[name], rows) for name, rows in logits.items() if has("relation", examples[name])}


def _pairs(examples: Iterable[Example], logits: Logits | None = None) -> Pairs:
    """All labelled pairs of the nearest; with what the judge says of them where there are logits."""
    signs: list[Mapping[str, float]] = []
    changed, near = [], []
    for number, example in enumerate(examples):
        if example.task != "relation":
            continue
        for place, label in enumerate(example.labels[:NEAREST]):
            if label >= 0:
                facts = example.facts[place]
                signs.append(facts["signs"] | ({} if logits is None else heard(logits[number][place, 1:5])))
                changed.append(label in (CHANGE, PART))
                near.append(facts["cosine"] >= NEAR)
    return Pairs(signs, np.array(changed), np.array(near))


def _left_out(
    data: Mapping[str, Pairs], author: str, signs: Sequence[str], extra: Sequence[Pairs]
) -> NDArray[np.float32]:
    """How strongly a layer that was fitted to the others speaks for a change, for the pairs of one author."""
    weights = _fitted([data[other] for other in data if other != author], signs, extra)
    scores = np.column_stack([_rows(data[author], signs), np.ones(len(data[author].signs))]) @ weights
    return np.asarray(np.where(data[author].near, scores, -99), dtype=np.float32)


def _rows(pairs: Pairs, signs: Sequence[str]) -> NDArray[np.float64]:
    return np.array([[found.get(name, 0.0) for name in signs] for found in pairs.signs])


def _fitted(data: Sequence[Pairs], signs: Sequence[str], extra: Sequence[Pairs]) -> NDArray[Any]:
    """A logistic regression with a ridge, by Newton's method: a weight for each sign, and the bias."""
    inputs = np.concatenate([_rows(pairs, signs) for pairs in (*data, *extra)])
    wanted = np.concatenate([pairs.changed for pairs in (*data, *extra)])
    fresh = sum(len(pairs.signs) for pairs in data)
    counts = np.where(np.arange(len(wanted)) < fresh, 1.0, OLDER)
    middle, spread = inputs.mean(0), inputs.std(0) + 1e-6
    rows = np.column_stack([(inputs - middle) / spread, np.ones(len(inputs))])
    weights = np.zeros(rows.shape[1])
    ridge = np.append(np.full(len(signs), _RIDGE), 0.0)
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (counts * (likely - wanted)) + ridge * weights
        curve = (rows * (counts * likely * (1 - likely))[:, None]).T @ rows + np.diag(ridge + 1e-9)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    plain = weights[:-1] / spread
    return np.append(plain, weights[-1] - plain @ middle)

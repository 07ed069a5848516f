"""Learn the weights of the judge of beliefs from our own corpora, and say how well they do on what they have not seen.

    python -m benchmarks.belief_weights            # cross-validation by scenario, and the curve
    python -m benchmarks.belief_weights --write    # and put the table into the package

Boosted steps: one yes-or-no question about one sign at a time, the one that helps most. The sum of all steps on a
sign is a staircase, so the result is a table that can be read. Nothing is drawn at random.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from pprint import pformat

import numpy as np
from numpy.typing import NDArray

from truekeep.engine.belief import weights
from truekeep.engine.belief.judging import MARGIN, PLAIN, probability

from .belief_examples import FOLDS, SETS, Example, examples

ROUNDS = 400
RATE = 0.1
DAMPING = 10.0  # how many examples of doubt each step has to overcome
CUTS = 8  # questions about one sign at most
WEIGHT = {"true": 10.0}  # a doubt where everything is true weighs more: most of life is like that
FALSE_SUSPICION = 0.07  # of what must stay, where the threshold is put
TABLE = Path(weights.__file__)

Floats = NDArray[np.float64]


@dataclass(slots=True)
class Staircase:
    """A sum of steps, each on one sign."""

    names: Sequence[str]
    bias: float = 0.0
    steps: dict[tuple[int, float], float] = field(default_factory=dict)

    def scores(self, values: Floats) -> Floats:
        total = np.full(len(values), self.bias)
        for (sign, above), weight in self.steps.items():
            total += weight * (values[:, sign] > above)
        return total

    def table(self) -> dict[str, tuple[tuple[float, float], ...]]:
        rows: dict[str, list[tuple[float, float]]] = {}
        for (sign, above), weight in sorted(self.steps.items()):
            if abs(weight) >= 0.005:
                rows.setdefault(self.names[sign], []).append((round(above, 3), round(weight, 2)))
        return {name: tuple(found) for name, found in rows.items()}


def learn(names: Sequence[str], values: Floats, changed: NDArray[np.bool_], weight: Floats) -> Staircase:
    """Fit by Newton steps on the logistic loss."""
    questions = [(sign, above) for sign in range(len(names)) for above in _cuts(values[:, sign])]
    answers = np.array([values[:, sign] > above for sign, above in questions], dtype=np.float64)
    share = float(weight @ changed / weight.sum())
    model = Staircase(names, bias=float(np.log(share / (1 - share))))
    scores = np.full(len(changed), model.bias)
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-scores))
        slope, bend = weight * (changed - chance), weight * chance * (1 - chance)
        slope_yes, bend_yes = answers @ slope, answers @ bend
        slope_no, bend_no = slope.sum() - slope_yes, bend.sum() - bend_yes
        best = int((slope_yes**2 / (bend_yes + DAMPING) + slope_no**2 / (bend_no + DAMPING)).argmax())
        yes = RATE * slope_yes[best] / (bend_yes[best] + DAMPING)
        no = RATE * slope_no[best] / (bend_no[best] + DAMPING)
        model.bias += float(no)
        model.steps[questions[best]] = model.steps.get(questions[best], 0.0) + float(yes - no)
        scores += no + (yes - no) * answers[best]
    return model


def _cuts(values: Floats) -> list[float]:
    unique = np.unique(values.round(3))
    if len(unique) <= CUTS + 1:
        return [float(cut) for cut in (unique[1:] + unique[:-1]) / 2]
    return [float(cut) for cut in np.unique(np.quantile(values, np.linspace(0, 1, CUTS + 2)[1:-1]).round(3))]


def cross_validated(found: Sequence[Example], names: Sequence[str]) -> tuple[Floats, Staircase]:
    """A score for each example by a model that has not seen its scenario, and the model that has seen all."""
    values = np.array([[float(one.signs.get(name, 0.0)) for name in names] for one in found])
    usable = np.array([one.open and one.changed is not None for one in found])
    changed = np.array([bool(one.changed) for one in found])
    weight = np.array([WEIGHT.get(one.space, 1.0) for one in found])
    folds = np.array([one.fold for one in found])
    scores = np.zeros(len(found))
    for fold in range(FOLDS):
        seen, unseen = usable & (folds != fold), folds == fold
        scores[unseen] = learn(names, values[seen], changed[seen], weight[seen]).scores(values[unseen])
    return scores, learn(names, values[usable], changed[usable], weight[usable])


def doubts(found: Sequence[Example], scores: Floats, threshold: float, spaces: Sequence[str]) -> dict[str, bool]:
    """Which old statements of these spaces are marked or retired at a threshold, as the memory would do it."""
    strongest: dict[str, float] = {}
    certainties = []
    for one, score in zip(found, scores, strict=True):
        said, again = one.verdict, one.verdict is not None and one.verdict.rule in ("reinforce", "restate")
        certainty = 0.0 if again else said.certainty if said else 0.0
        if said is None and one.open:
            certainty = probability(max(score - threshold, one.signs["rules"] - PLAIN))
        certainties.append(certainty)
        strongest[one.new] = max(strongest.get(one.new, 0.0), certainty)
    marked: dict[str, bool] = {}
    for one, certainty in zip(found, certainties, strict=True):
        if one.space in spaces:
            marked[one.old] = marked.get(one.old, False) or (
                certainty >= 0.5 and certainty >= strongest[one.new] - MARGIN
            )
    return marked


def figures(found: Sequence[Example], scores: Floats, threshold: float, stays: dict[str, int]) -> dict[str, float]:
    """Stale values that nobody marks, doubts about what must stay, and doubts where everything is true."""
    marked = doubts(found, scores, threshold, SETS)
    stale = {one.old for one in found if one.stale and one.space in SETS}
    kept = {one.old for one in found if one.stays and one.space in SETS}
    calm = doubts(found, scores, threshold, ["true"])
    return {
        "stale": 1 - sum(marked[old] for old in stale) / len(stale),
        "false suspicion": sum(marked[old] for old in kept) / sum(stays.values()),
        "where all is true": sum(calm.values()) / len(calm),
    }


def threshold_for(found: Sequence[Example], scores: Floats, stays: dict[str, int], share: float) -> float:
    """The lowest threshold with so much false suspicion at most."""
    low, high = -6.0, 6.0
    while high - low > 0.01:
        middle = (low + high) / 2
        if figures(found, scores, middle, stays)["false suspicion"] > share:
            low = middle
        else:
            high = middle
    return high


def area(found: Sequence[Example], scores: Floats) -> float:
    """How often a pair that is a change scores higher than one that is none; in scenarios, where weights decide."""
    told = [(s, one.changed) for one, s in zip(found, scores, strict=True) if one.open and one.space in SETS]
    ranks = np.argsort(np.argsort([s for s, changed in told if changed is not None], kind="stable"), kind="stable")
    changed = np.array([changed for _, changed in told if changed is not None], dtype=bool)
    count = int(changed.sum())
    return float((ranks[changed].sum() - count * (count - 1) / 2) / (count * (len(changed) - count)))


def sign_names(found: Sequence[Example]) -> list[str]:
    return sorted({name for one in found for name in one.signs})


def main() -> None:
    found, stays = examples()
    scores, model = cross_validated(found, sign_names(found))
    print(
        f"{len(found)} pairs, {sum(bool(one.changed) for one in found)} of them changes; AUC {area(found, scores):.3f}"
    )
    for share in (0.04, 0.06, 0.08, 0.1):
        threshold = threshold_for(found, scores, stays, share)
        told = figures(found, scores, threshold, stays)
        print(f"threshold {threshold:+.2f}: " + ", ".join(f"{name} {value:.1%}" for name, value in told.items()))
    threshold = threshold_for(found, scores, stays, FALSE_SUSPICION)
    table = model.table()
    print(f"{len(table)} of {len(model.names)} signs matter")
    if "--write" in sys.argv:
        TABLE.write_text(written(model.bias - threshold, table), encoding="utf-8")


def written(bias: float, table: dict[str, tuple[tuple[float, float], ...]]) -> str:
    """The module with the table, the rest of it as it is."""
    before, _, rest = TABLE.read_text(encoding="utf-8").partition("BIAS = ")
    after = rest.partition("\n\n\n")[2]
    rows = "".join(f"    {name!r}: {pformat(steps, width=100)},\n".replace("'", '"') for name, steps in table.items())
    head = f"{before}BIAS = {bias:.2f}\nSTEPS: Mapping[str, tuple[tuple[float, float], ...]] = {{\n"
    return f"{head}{rows}}}\n\n\n{after}"


if __name__ == "__main__":
    main()

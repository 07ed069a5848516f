"""Pairs of statements out of our own corpora, with what is true of them: what the judge's weights are learned from.

Three kinds of spaces are told step by step, as a memory would hear them: each scenario alone, scenarios of one fold
mixed into one space, and spaces in which everything is true. Only what would be nominated becomes a pair. The
development data is no part of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from truekeep.embedders.minilm import MiniLM
from truekeep.engine.belief import Said, Verdict, judge
from truekeep.engine.belief.judging import Pair
from truekeep.engine.belief.reading import read as parse
from truekeep.engine.belief.signs import Signs, lead_of
from truekeep_eval.matching import holds
from truekeep_eval.scenarios import Scenario, read

TESTS = Path(__file__).parents[1] / "tests"
SETS = ("own", "more", "train")
TRUE_AT_ONCE = TESTS / "engine" / "belief" / "true_at_once.txt"
PAIRS = TRUE_AT_ONCE.with_name("pairs.jsonl")
FOLDS = 8
NEAREST = 3
LEAST_SIMILARITY = 0.25
_BATCH = 32
_START = datetime(2026, 3, 2, 9, tzinfo=UTC)
_APART = timedelta(days=3)
_LEADS = (0.0, 0.05, 0.12, 0.25)  # of pairs that are told alone, in turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One pair, as the judge sees it, and what is true of it."""

    space: str  # "own", "more", "train", "mixed", "true" or "pair"
    old: str  # which statement of which space, and the new one
    new: str
    fold: int
    signs: Signs
    verdict: Verdict | None  # what follows without the weights: said again, taken back, certainly changed
    open: bool  # the weights decide
    changed: bool | None  # None: nobody can tell
    stale: bool  # the old one is out of date in the end
    stays: bool  # it must not be doubted


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What the labels of a scenario say about its steps."""

    changed: dict[tuple[int, int], bool | None]  # (newer, older)
    stale: set[int]
    stays: set[int]


def vectors_of(texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    """Each text with the vector that a store would keep."""
    model, unique = MiniLM(), list(dict.fromkeys(texts))
    found: dict[str, NDArray[np.float32]] = {}
    for start in range(0, len(unique), _BATCH):
        part = unique[start : start + _BATCH]
        found.update(zip(part, model.embed(part).astype(np.float16).astype(np.float32), strict=True))
    return found


def examples() -> tuple[list[Example], dict[str, int]]:
    """All pairs, and how many statements of each set must stay."""
    scenarios = [(name, one) for name in SETS for one in read(TESTS / "corpus" / f"belief_{name}.jsonl")]
    spaces = [block.splitlines() for block in TRUE_AT_ONCE.read_text(encoding="utf-8").split("\n\n")]
    vectors = vectors_of(
        [step.say for _, one in scenarios for step in one.steps] + [it for all in spaces for it in all]
    )
    found: list[Example] = []
    for name, one in scenarios:
        truth = truth_of(one, vectors)
        steps = [Said(content=step.say, speaker=step.speaker, when=step.at) for step in one.steps]
        found += _told(name, one.id, _fold(name, one), steps, vectors, _labels(truth))
    for fold in range(FOLDS):
        found += _mixed(fold, [it for it in scenarios if _fold(*it) == fold], vectors)
    for n, lines in enumerate(spaces):
        said = [Said(content=it, speaker="user", when=_START + k * _APART) for k, it in enumerate(lines)]
        found += _told("true", str(n), n % FOLDS, said, vectors, lambda newer, older: (False, False, True))
    found += _pairs()
    return found, {name: sum(len(one.must_stay) for set, one in scenarios if set == name) for name in SETS}


def _pairs() -> Iterator[Example]:
    """Plain changes and plain look-alikes, a pair each: the corpora hold few of these, and life many."""
    for n, line in enumerate(PAIRS.read_text(encoding="utf-8").splitlines()):
        told = json.loads(line)
        new = Said(content=told["new"], speaker=told["newer_speaker"], when=_START + 10 * _APART)
        old = Said(content=told["old"], speaker=told["speaker"], when=_START)
        label = told["label"].startswith("change")
        yield _example(
            "pair",
            str(n),
            n % FOLDS,
            Pair(new, old, told["likeness"], _LEADS[n % len(_LEADS)]),
            (label, label, not label),
        )


def _fold(name: str, one: Scenario) -> int:
    return blake2b(f"{name}{one.id}".encode()).digest()[0] % FOLDS


Label = tuple[bool | None, bool, bool]  # changed, stale, stays
Labels = Callable[[int, int], "Label | None"]  # None: leave it out


def _labels(truth: Truth) -> Labels:
    return lambda newer, older: (truth.changed[newer, older], older in truth.stale, older in truth.stays)


def truth_of(one: Scenario, vectors: dict[str, NDArray[np.float32]]) -> Truth:
    """Which step changes which: the one that holds the current value, or else the nearest that need not stay."""
    steps = [step.say for step in one.steps]
    numbers = range(len(steps))
    stays = {n for n in numbers if any(holds(steps[n], text) for text in one.must_stay)}
    changers: dict[int, set[int]] = {}
    for ask in one.asks:
        for old in (n for n in numbers if any(holds(steps[n], text) for text in ask.stale)):
            later = (n for n in numbers if n > old and any(holds(steps[n], text) for text in ask.current))
            changers.setdefault(old, set()).update(later)
    for old, found in changers.items():
        if not found and old + 1 < len(steps):
            likeness = [float(vectors[steps[n]] @ vectors[steps[old]]) for n in numbers]
            found.add(max(range(old + 1, len(steps)), key=lambda n: (n not in stays, likeness[n])))
    bounded = one.category == "bounded"  # such a statement ends by itself
    return Truth(
        changed={
            (new, old): (None if bounded or new not in changers[old] else True) if old in changers else False
            for new in numbers
            for old in range(new)
        },
        stale=set() if bounded else set(changers),
        stays=stays,
    )


def _told(
    space: str,
    name: str,
    fold: int,
    said: Sequence[Said],
    vectors: dict[str, NDArray[np.float32]],
    labels: Labels,
) -> Iterator[Example]:
    matrix = np.array([vectors[one.content] for one in said])
    likeness = matrix @ matrix.T
    for new in range(1, len(said)):
        nearest = sorted(range(new), key=lambda old: -likeness[new, old])[:NEAREST]
        near = {old: float(likeness[new, old]) for old in nearest if likeness[new, old] >= LEAST_SIMILARITY}
        for old, similarity in near.items():
            if (label := labels(new, old)) is None:
                continue
            lead = lead_of(similarity, [it for other, it in near.items() if other != old])
            pair = Pair(said[new], said[old], similarity, lead)
            yield _example(space, name, fold, pair, label, f"/{new}", f"/{old}")


def _example(
    space: str, name: str, fold: int, pair: Pair, label: Label, newer: str = "/1", older: str = "/0"
) -> Example:
    signs = pair.signs()
    return Example(
        space=space,
        old=f"{space}/{name}{older}",
        new=f"{space}/{name}{newer}",
        fold=fold,
        signs=signs or {},
        verdict=judge(pair.new, pair.old, pair.similarity, pair.lead, score=lambda signs: float("-inf")),
        open=signs is not None,
        changed=label[0],
        stale=label[1],
        stays=label[2],
    )


def _mixed(
    fold: int, scenarios: Sequence[tuple[str, Scenario]], vectors: dict[str, NDArray[np.float32]]
) -> Iterator[Example]:
    """The scenarios of one fold as one space. What speaks of its speaker is not compared across them."""
    told = sorted(
        (
            (step.at, f"{name}{one.id}", n, step, truth)
            for name, one in scenarios
            for truth in [truth_of(one, vectors)]
            for n, step in enumerate(one.steps)
        ),
        key=lambda it: it[:3],
    )
    said = [Said(content=step.say, speaker=step.speaker, when=at) for at, _, _, step, _ in told]
    of_self = [any(clause.who for clause in parse(one.content, one.speaker).clauses) for one in said]

    def labels(newer: int, older: int) -> Label | None:
        (_, mine, n, _, truth), (_, theirs, k, _, other) = told[newer], told[older]
        if mine != theirs and of_self[newer] and of_self[older]:
            return None
        return truth.changed[n, k] if mine == theirs else False, k in other.stale, k in other.stays

    return _told("mixed", str(fold), fold, said, vectors, labels)

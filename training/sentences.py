"""The layer by which extraction weighs a judge's word on a sentence together with the rules'.

    python -m training.sentences [--out FOLDER]

It reads what `prepare` and `measure` left in the folder: the examples, and the logits of judges that did not learn from
the author. It prints the numbers for `extractors/rules/weights.py`, and what they give.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truekeep.extractors.rules.conversation import walk
from truekeep.extractors.rules.judgement import on_trial
from truekeep.extractors.rules.vetoes import is_doubtful
from truekeep.extractors.rules.weights import weights
from truekeep.model import Message

from .conversations import role_of, spoken
from .examples import Example, read

NEAREST = {"relation": 3, "relevance": 5}  # texts of an example that were judged
_KEEP = 5  # of the logits of a text
_RIDGE = 1.0
_STEPS = 60
_HERE = Path(__file__).parent

Rows = NDArray[np.float64]


def judged(out: Path) -> Iterator[tuple[Example, NDArray[np.float32]]]:
    """The messages of all authors, and the logits of their sentences."""
    logits, seen = np.load(out / "logits.npz"), dict[str, int]()
    for example in read(out / "authors.jsonl.gz"):
        start = seen.get(example.source, 0)
        seen[example.source] = end = start + min(len(example.texts), NEAREST.get(example.task, len(example.texts)))
        if example.task == "keep":
            yield example, logits[example.source][start:end].astype(np.float32)


def heard(data: Path) -> Iterator[list[tuple[float, bool]]]:
    """What the rules say of the sentences of each message: how sure they are, and whether they doubt it.

    Nothing of a text that is handed over to be worked on, which comes last in its message.
    """
    for line in data.read_text(encoding="utf-8").splitlines():
        messages = [_message(speaker, text) for speaker, text in json.loads(line)["m"]]
        turns = dict(walk(messages))
        for place, message in enumerate(messages):
            turn = turns.get(place)
            tried = on_trial(turn.said, turn.language, turn.scene) if turn else []
            if spoken(message.role or "", message.content):
                yield [(one.weighed(weights()).sure, is_doubtful(one.reading)) for one in tried]


def _message(speaker: str, text: str) -> Message:
    role = role_of(speaker)
    return Message(content=text, role=role, speaker=None if speaker == role else speaker)


def fitted(rows: Rows, wanted: NDArray[np.bool_]) -> Rows:
    """A logistic regression with a ridge, by Newton's method; the last number is the bias."""
    given = np.column_stack([rows, np.ones(len(rows))])
    found, ridge = np.zeros(given.shape[1]), np.array([*[_RIDGE] * rows.shape[1], 1e-9])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(given @ found, -30, 30)))
        slope = given.T @ (likely - wanted) + ridge * found
        found -= np.linalg.solve((given * (likely * (1 - likely))[:, None]).T @ given + np.diag(ridge), slope)
    return found


def _figures(score: Rows, wanted: NDArray[np.bool_], worlds: Sequence[str], lean: float) -> Mapping[str, float]:
    likely = {world for world, value in zip(worlds, score, strict=True) if value > lean}
    kept = (score > 0) & np.array([world in likely for world in worlds])  # what is not likely, in company alone
    full = {world for world, is_wanted in zip(worlds, wanted, strict=True) if is_wanted}
    empty = set(worlds) - full
    leaking = {world for world, is_kept in zip(worlds, kept, strict=True) if is_kept}
    return {
        "rightly": float(wanted[kept].mean()),
        "found": float(kept[wanted].mean()),
        "out of nothing": len(empty & leaking) / len(empty),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training.sentences", description=__doc__)
    parser.add_argument("--out", type=Path, default=_HERE / "out", help="where authors.jsonl.gz and logits.npz are")
    parser.add_argument("--lean", type=float, default=0.5, help="added to the bias: more is kept than is likely")
    given = parser.parse_args()
    found: list[list[Any]] = []
    for (example, logits), rules in zip(judged(given.out), heard(_HERE / "data/conversations.jsonl"), strict=True):
        for row, (sure, doubted), label in zip(logits, rules, example.labels, strict=bool(rules)):
            found.append([example.source, example.world, label == 1, float(row[_KEEP]), sure, float(doubted)])
    author, worlds = np.array([row[0] for row in found]), [row[1] for row in found]
    wanted, rows = np.array([row[2] for row in found]), np.array([row[3:] for row in found])
    *layer, bias = fitted(rows, wanted)
    print("judge, rules, doubt, bias:", *(f"{number:.2f}" for number in (*layer, bias + given.lean)))
    for one in sorted(set(author)):
        own = author == one
        *layer, bias = fitted(rows[~own], wanted[~own])
        score = rows[own] @ layer + bias + given.lean
        its = [world for world, is_own in zip(worlds, own, strict=True) if is_own]
        figures = _figures(score, wanted[own], its, given.lean)
        print(one, ", ".join(f"{name} {100 * value:.1f}" for name, value in figures.items()))


if __name__ == "__main__":
    main()

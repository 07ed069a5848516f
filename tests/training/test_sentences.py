"""The layer over judge and rules that tells what is worth keeping."""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from training.conversations import load
from training.sentences import fitted, heard, judged

TALK = {
    "author": "a",
    "m": [["user", "Maybe it rains."], ["tool", "ok"], ["Ana", "We tried tin. It rusted within a week."]],
    "keep": [[2, "We tried tin. It rusted within a week.", "lesson"]],
}


def test_what_tells_gets_the_weight() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(400, 3))

    telling, useless, _, bias = fitted(rows, 2 * rows[:, 0] + random.normal(size=400) > 1)

    assert telling > 1 > abs(useless)
    assert bias < 0


def test_judge_and_rules_speak_of_the_same_sentences(tmp_path: Path) -> None:
    data = tmp_path / "conversations.jsonl"
    data.write_text(json.dumps(TALK), encoding="utf-8")
    examples = list(load(data))
    with gzip.open(tmp_path / "authors.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(asdict(example)) + "\n" for example in examples)
    logits: dict[str, Any] = {"a": np.arange(33, dtype=np.float16).reshape(3, 11)}
    np.savez(tmp_path / "logits.npz", **logits)

    found = [rows for _, rows in judged(tmp_path)]
    rules = list(heard(data))

    assert [len(rows) for rows in found] == [len(rows) for rows in rules] == [1, 2]
    assert [doubted for rows in rules for _, doubted in rows] == [True, False, False]
    assert float(found[1][1][5]) == 27.0

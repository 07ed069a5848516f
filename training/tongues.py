"""The map of `embedders/multilingual`: from the vectors of the multilingual encoder to those of MiniLM.

Of every English sentence of our own data both encoders say what it means, and a ridge regression finds the matrix that
leads from the one to the other. The multilingual one puts a sentence and its translation in nearly the same place, so
the matrix takes the translation along: no text in another language is needed, and none was used.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from truekeep.embedders.multilingual.embedder import Encoder, with_one
from truekeep.language import ENGLISH, language_of

from .vectors import Vectors

RIDGE = 1.0  # of 0.5 to 8 all do about as well
LONGEST = 400  # characters: beyond that MiniLM sees passages


def write_map(data: Path, vectors: Vectors, file: Path) -> int:
    """Fit the matrix and write it; how many sentences it was fitted to."""
    texts = sorted({text for text in _texts(data) if len(text) < LONGEST and language_of([text]).code == ENGLISH})
    vectors.learn(texts)
    np.save(file, fitted(Encoder.load().encode(texts), np.stack([vectors[text] for text in texts])))
    return len(texts)


def fitted(given: NDArray[np.float32], wanted: NDArray[np.float32]) -> NDArray[np.float16]:
    """The matrix, with a last row for a constant."""
    features = with_one(given).astype(np.float64)
    squares = features.T @ features + RIDGE * np.eye(features.shape[1])
    return np.linalg.solve(squares, features.T @ wanted).astype(np.float16)


def _texts(data: Path) -> Iterator[str]:
    with (data / "scenarios.jsonl").open(encoding="utf-8") as lines:
        for world in map(json.loads, lines):
            yield from (text for _, _, text in world["s"])
            yield from (question for question, _ in world["q"])
    with (data / "conversations.jsonl").open(encoding="utf-8") as lines:
        for conversation in map(json.loads, lines):
            yield from (text for _, text in conversation["m"])

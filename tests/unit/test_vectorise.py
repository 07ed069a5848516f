"""Vectors that are made later: one bad text holds up nobody, and no round takes for ever."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from truekeep import Memory
from truekeep.engine.vectorise import MOST_PASSAGES
from truekeep.errors import EmbedderError
from truekeep.testing.fakes import FakeEmbedder


class Choosy(FakeEmbedder):
    """Refuses texts with a certain word, for good; remembers how much it was given at once."""

    def __init__(self) -> None:
        super().__init__(32, passage_words=8)
        self.largest = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.largest = max(self.largest, len(texts))
        if any("forbidden" in text for text in texts):
            raise EmbedderError("400: no such text", retryable=False)
        return super().embed(texts)


def test_a_text_that_the_embedder_refuses_holds_up_no_other() -> None:
    memory = Memory("bot", at=":memory:", embedder=Choosy(), background=False)

    memory.remember_many(["a forbidden text", *(f"text number {number}" for number in range(50))])
    found = memory.recall("text number 7")

    assert found[0].content == "text number 7"
    assert (found.pending, found.degraded) == (1, False)
    assert memory.recall("forbidden")[0].content == "a forbidden text"


def test_long_texts_are_made_a_few_at_a_time() -> None:
    embedder = Choosy()
    memory = Memory("bot", at=":memory:", embedder=embedder, background=False)

    memory.remember_many([f"{number} " + "word " * 200 for number in range(20)])

    assert memory.stats().pending == 0
    assert embedder.largest <= MOST_PASSAGES

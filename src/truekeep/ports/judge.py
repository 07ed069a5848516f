"""What the engine asks of whoever judges what statements do to each other, what answers, and what is worth keeping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RELATIONS = ("stay", "change", "same", "change of a part")  # what a newer statement does to an older one
SENTENCE = ("keep", "preference", "decision", "fact", "lesson", "context")  # what is asked of a sentence


def said(speaker: str | None, text: str) -> str:
    """A text as a judge reads it: the user's own words bare, everybody else's with the name."""
    return text if speaker in (None, "", "user") else f"{speaker}: {text}"


class Judge(Protocol):
    """Answers in logits: larger means surer, and nothing is calibrated.

    The same question has the same answer in every process. Any text is taken, however long or odd; a long one may be
    judged by its beginning. No texts give no rows. A judge answers soon, as it is called without a deadline, from any
    thread. What it raises is counted and logged, and the rules then decide alone.
    """

    @property
    def name(self) -> str:
        """It changes whenever the answers do."""

    def relations(self, newer: str, older: Sequence[str]) -> NDArray[np.float32]:
        """What the newer statement does to each of the older: [n, 4], in the order of `RELATIONS`.

        The texts are as `said` puts them. The nearest come first: those that compete are seen beside each other, three
        at once.
        """

    def relevance(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Whether each text, as `said` puts it, is needed for the answer: [n]. The nearest come first, five at once."""

    def sentences(self, before: str, speaker: str, sentences: Sequence[str]) -> NDArray[np.float32]:
        """Whether each sentence of one message is worth keeping, and as which kind: [n, 6], in the order of `SENTENCE`.

        `before` is the message before it, "speaker: text", or "" where there is none.
        """

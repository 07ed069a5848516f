"""What the engine asks of whoever turns text into meaning or into drafts, or judges what it says."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, runtime_checkable

from truekeep.model import Draft, ExtractionReport, Message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PROBE = "Is anybody there?"  # a text that every embedder takes
RELATIONS = ("stay", "change", "same", "change of a part")  # what a newer statement does to an older one
SENTENCE = ("keep", "preference", "decision", "fact", "lesson", "context")  # what is asked of a sentence


class Embedder(Protocol):
    """Turns text into meaning."""

    @property
    def name(self) -> str:
        """Vectors are kept under this name and their dimension: it changes whenever the vectors do."""

    @property
    def dimension(self) -> int: ...

    @property
    def in_process(self) -> bool:
        """Whether `embed` always returns soon (a local model); others are called with a deadline, in a thread."""

    def passages(self, text: str) -> list[str]:
        """The text as overlapping pieces that `embed` sees whole; [text] for a short one."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a text, in order; an empty input gives shape (0, dimension). Raises EmbedderError."""


class ContextualEmbedder(Embedder, Protocol):
    """An embedder that can also tell what a part of a text means within it, at no cost after embedding the text."""

    def embed_within(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """One unit vector for all these stretches of characters together. Raises EmbedderError."""


class Extractor(Protocol):
    """Reads what is durable out of a conversation."""

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        """Drafts in the order of the messages, each citing its message in `source`. Raises ExtractorError."""


Span = Literal["day", "month"]


class Account(Protocol):
    """What is used on behalf of one space, kept durably by the day or the month of UTC."""

    def take(self, counter: str, want: int, *, limit: int | None, per: Span) -> bool:
        """Count this many more, or none of them where that would exceed the limit; whether they were counted."""

    def settle(self, counter: str, more: int, *, per: Span) -> None:
        """Correct what was taken: that many more, or fewer where it is negative."""


class Extracted(NamedTuple):
    """What an extractor found, and what that cost."""

    drafts: Sequence[Draft]
    report: ExtractionReport


@runtime_checkable
class ReportingExtractor(Extractor, Protocol):
    """An extractor that costs something, and so works within an account and says what it used."""

    @property
    def name(self) -> str:
        """What it has read is noted under this name, and not read again."""

    @property
    def time_limit(self) -> timedelta:
        """Longer than this it never takes."""

    def extract_within(
        self, messages: Sequence[Message], *, account: Account, settled: Collection[int] = ()
    ) -> Extracted:
        """As `extract`. Messages at the `settled` places were read before: they may be looked at and not cited.

        A report with a `fallback` says that it did not go as it should; the messages may then be read again later.
        """


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

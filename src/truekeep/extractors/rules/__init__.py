"""What is worth keeping in a conversation, found by plain rules and no model that has to be loaded.

`conversation` walks through the messages, `truekeep.language.reading` turns a sentence into the classes of words of its
language, `vetoes` says what is never kept and `clear` what always is; all else is weighed in `judgement` by its `signs`
with `weights` that were fitted on our own conversations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truekeep.model import Draft, Message

if TYPE_CHECKING:
    from .conversation import Sentences
    from .weights import Weights

__all__ = ["RulesExtractor"]


class RulesExtractor:
    """Keeps preferences, decisions with their reason, facts, plans with their dates, and lessons.

    It leaves questions, requests, thanks, progress, guesses, rumours, code, quotations, recalled memory, and what tools
    and systems say. A sentence is kept as it was said and cites its message; `metadata` holds the question that a short
    answer answers ("asked"), and the parts of a lesson ("attempt", "outcome", "reason") where they stand apart.

    Args:
        weights: what each sign of a sentence is worth; those of the package unless given.
        judge: `sentences` of a judge, whose word is weighed together with the rules' in English conversations. None,
            or one that answers None: rules alone.
    """

    def __init__(self, weights: Weights | None = None, *, judge: Sentences | None = None) -> None:
        self._weights = weights
        self._judge = judge

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        # Here and not above: the languages take a while to load, and most processes recall before they extract.
        from .conversation import kept
        from .weights import weights

        return kept(messages, self._weights or weights(), self._judge)

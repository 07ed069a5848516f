"""What the judge of beliefs sees, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

Rule = Literal["replace", "polarity", "retract", "partial", "reinforce", "restate", "success"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A statement, as far as the judge needs it."""

    content: str
    speaker: str | None = None  # "user", "assistant", "Ana": "I" in the content is this speaker
    kind: str = "fact"
    when: datetime  # when it was said, or became true


class Pair(NamedTuple):
    """Two statements that may be about the same."""

    newer: Said
    older: Said
    similarity: float | None  # the cosine of their vectors, where known
    lead: float = 0.0  # how much nearer these two are than any others that were found


class Verdict(NamedTuple):
    """What a new statement does to an older one.

    `reinforce`: the new one says nothing that the old one does not say; the old one stays and was said again.
    `restate`: the same is said in other words, and the new one has as many or more; it takes the place of the old one.
    All other rules: the old one is no longer true. It is retired, or only suspected when `retires` is False.
    """

    rule: Rule
    key: str  # the claim: "user/home", "harbour crane"
    old: str  # the value, or the sentence, in the old statement
    new: str  # and in the new one
    retires: bool  # False: a suspicion; both stay and the doubt is shown
    certainty: float  # 0 to 1

    @property
    def is_guessed(self) -> bool:
        """Whether the same is said again by the learned judge's word, and not by the same words."""
        return self.rule in ("reinforce", "restate") and self.certainty < 1.0

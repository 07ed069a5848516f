"""What a sentence is by the weights of its signs, and by what a learned judge says of it as well."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import exp, inf, log
from pathlib import Path
from typing import NamedTuple

from .scene import Scene

KINDS = ("fact", "preference", "decision", "lesson", "context")
Weights = Mapping[str, Sequence[int]]  # sign -> what it is worth for each kind, in hundredths
Opinion = Mapping[str, float]  # of a judge: logits by name, "keep" and the kinds

# Fitted by `python -m training.sentences` to judges that had not seen the author; not to be edited by hand.
_JUDGE, _RULES, _DOUBT, _BIAS = 0.84, 0.17, -0.53, -0.23
LIKELY = exp(0.5)  # the odds from which it is likelier worth keeping than not: the bias leans that much
FAR = 6.0  # beyond which the rules are not surer
TABLE = Path(__file__).with_name("weights.json")
_KIND = 0.5  # what the rules' word on the kind is worth beside the judge's
# The judge's word from which it is enough in a conversation, and in a message or two; how much less where words tell of
# news that lasts ("I moved to Denver"); and up to which nothing is kept without clear words.
_SURE, _TOLD, _NEWS, _CHATTED = 0.0, -1.0, 1.5, -2.5


class Weighed(NamedTuple):
    """How much likelier each kind is than that there is nothing to keep, as logarithms in the order of `KINDS`."""

    logs: tuple[float, ...]

    @property
    def kind(self) -> str:
        return KINDS[self.logs.index(max(self.logs))]

    @property
    def odds(self) -> float:
        """How much likelier it is to be kept than left: from 1 on it is."""
        return sum(map(exp, self.logs))

    @property
    def sure(self) -> float:
        """The same as a logarithm, within bounds."""
        return min(max(log(self.odds or exp(-FAR)), -FAR), FAR)


@cache
def weights() -> Weights:
    """Those of the package: `python -m benchmarks.fitting --write` fitted them to our own corpora."""
    found: Weights = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


def weighed(signs: Iterable[str], weights: Weights) -> Weighed:
    """By a multinomial logistic model: weights add up."""
    rows = [weights[sign] for sign in ("always", *signs) if sign in weights]
    return Weighed(tuple(sum(column) / 100 for column in zip(*rows, strict=True)) or (-inf,) * len(KINDS))


def together(rules: Weighed, opinion: Opinion, *, doubted: bool) -> Weighed:
    """What the rules and the judge say together, by a logistic layer over both.

    Args:
        rules: what the weights say.
        opinion: what the judge says.
        doubted: whether the words tell that it is asked, guessed or not meant.
    """
    keep = _JUDGE * opinion["keep"] + _RULES * rules.sure + _DOUBT * doubted + _BIAS
    kinds = [opinion[kind] + _KIND * found for kind, found in zip(KINDS, rules.logs, strict=True)]
    total = log(sum(exp(kind - max(kinds)) for kind in kinds)) + max(kinds)
    return Weighed(tuple(kind - total + keep for kind in kinds))


def least_odds(rules: Weighed, opinion: Opinion, scene: Scene, *, is_news: bool) -> float:
    """The odds that it has at least, whatever both together say.

    The judge learned from conversations in which most is said in passing, and hardly anything as plainly as "My dog is
    called Rex.". Where hardly anything else is said one of the two is enough, of an assistant's words the rules.
    """
    keep = opinion["keep"] + _NEWS * is_news
    if scene.is_brief:
        is_told = keep > _TOLD and not scene.by_assistant
        return LIKELY if is_told or (rules.odds >= 1 and keep > _CHATTED) else 0.0
    return LIKELY if keep > _SURE else 0.0

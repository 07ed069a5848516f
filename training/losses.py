"""What a logit costs: each task's loss, and the price of two readings of one text that disagree."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from .examples import CHANGE, PART, SAME, STAY, Task

SMOOTH = 0.05  # of a label is doubt
NOTHING = -100  # the kind of what is not kept: the loss leaves it out
_RARE = (1.0, 2.0, 2.0, 2.0)  # weights of stay, change, same, change of a part
_KEPT, _KIND = 1.5, 0.4


class Labelled(NamedTuple):
    """Of each text: its label, its kind, and the group that it competes in."""

    labels: list[int]
    kinds: list[int]
    groups: list[int]


def loss_of(task: Task, logits: Tensor, known: Labelled) -> Tensor:
    """The loss of a task, for the logits that belong to it."""
    return _LOSSES[task](logits, known)


def agreement(task: Task, one: Tensor, other: Tensor) -> Tensor:
    """How far two readings are apart, in both directions."""
    if task in ("relation", "inference"):
        left, right = functional.log_softmax(one, 1), functional.log_softmax(other, 1)
        return 0.5 * ((left.exp() - right.exp()) * (left - right)).sum(1).mean()
    return 0.5 * ((one[:, 0].sigmoid() - other[:, 0].sigmoid()) * (one[:, 0] - other[:, 0])).mean()


def _relation(logits: Tensor, known: Labelled) -> Tensor:
    labels = torch.tensor(known.labels, device=logits.device)
    told = labels >= 0
    rare = torch.tensor(_RARE, device=logits.device)
    each = functional.cross_entropy(logits[told], labels[told], weight=rare, label_smoothing=SMOOTH)
    changed = (labels == CHANGE) | (labels == PART)
    margin = torch.logsumexp(logits[:, [CHANGE, PART]], 1) - torch.logsumexp(logits[:, [STAY, SAME]], 1)
    return each + _competing(margin, changed, known.groups)


def _relevance(logits: Tensor, known: Labelled) -> Tensor:
    labels = torch.tensor(known.labels, device=logits.device)
    told, score = labels >= 0, logits[:, 0]
    wanted = labels[told].float() * (1 - 0.8 * SMOOTH) + 0.4 * SMOOTH
    each = functional.binary_cross_entropy_with_logits(score[told], wanted)
    return each + 0.5 * _competing(score, labels == 1, known.groups)


def _keep(logits: Tensor, known: Labelled) -> Tensor:
    labels = torch.tensor(known.labels, device=logits.device)
    told = labels >= 0
    wanted = labels[told].float() * (1 - SMOOTH) + SMOOTH / 2
    rare = torch.tensor(_KEPT, device=logits.device)
    keep = functional.binary_cross_entropy_with_logits(logits[told, 0], wanted, pos_weight=rare)
    kinds = torch.tensor(known.kinds, device=logits.device)
    named = functional.cross_entropy(
        logits[:, 1:], kinds, ignore_index=NOTHING, label_smoothing=SMOOTH, reduction="sum"
    )
    return keep + _KIND * named / (kinds >= 0).sum().clamp_min(1)


def _inference(logits: Tensor, known: Labelled) -> Tensor:
    return functional.cross_entropy(logits, torch.tensor(known.labels, device=logits.device))


def _competing(score: Tensor, wanted: Tensor, groups: list[int]) -> Tensor:
    """Cross entropy within each group, with one more choice, at zero: none of them."""
    numbers = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    group = torch.tensor([numbers[each] for each in groups], device=score.device)
    zeros = torch.zeros(len(numbers), device=score.device)
    mass = score.clamp(-15, 15).exp()
    whole = zeros.index_add(0, group, mass) + 1.0
    right = zeros.index_add(0, group, mass * wanted)
    return (whole.log() - torch.where(right > 0, right.clamp_min(1e-6).log(), zeros)).mean()


_LOSSES: dict[Task, Callable[[Tensor, Labelled], Tensor]] = {
    "relation": _relation,
    "relevance": _relevance,
    "keep": _keep,
    "inference": _inference,
}

"""Fitting: a run begins at the embedder, or at another run, and learns all tasks at once."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from .examples import CHANGE, KINDS, PART, Example, Task
from .network import OUTPUTS, SHIPPED, Network, from_base, with_weights
from .windows import MASK, Lexer, Window, means, padded, windows

BATCH: dict[Task, int] = {"relation": 48, "relevance": 24, "keep": 24, "inference": 48}
WEIGHT: dict[Task, float] = {"relation": 1.0, "relevance": 1.0, "keep": 1.0, "inference": 0.5}
SMOOTH = 0.05  # of a label is doubt
MASKED = 0.08  # of the tokens of every third window
_JUDGED_AT_ONCE = 256
NOTHING = -100  # the kind of what is not kept: the loss leaves it out
_FIRST_WORD = 1000  # lower ids are special or letters


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One fitting."""

    name: str
    start: str = ""  # the run whose weights it begins with; the embedder's where empty
    without: str = ""  # the author who is left out
    seed: int = 1
    epochs: float = 4.0
    rate: float = 2e-4


def fit(run: Run, examples: Sequence[Example], lexer: Lexer, folder: Path, device: str) -> Network:
    """Fit, and return the mean of the weights over the last part of the way."""
    torch.manual_seed(run.seed)
    random = Random(run.seed)
    network = with_weights(folder / f"{run.start}.npz") if run.start else from_base()
    network.to(device)
    tasks: dict[Task, list[Example]] = {}
    for example in examples:
        tasks.setdefault(example.task, []).append(example)
    streams = {task: _batches(task, found, lexer, random) for task, found in tasks.items()}
    steps = math.ceil(run.epochs * max(len(found) / BATCH[task] for task, found in tasks.items()))
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    optimiser, schedule = _optimiser(network, run.rate, steps)
    mean: list[Tensor] = []
    began = time.monotonic()
    network.train()
    for step in range(steps):
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = _loss(network, {task: next(stream) for task, stream in streams.items()}, device)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        schedule.step()
        if step >= int(0.4 * steps):
            _average(mean, weights, 1 / max(20, 0.12 * steps))
    with torch.no_grad():
        for weight, value in zip(weights, mean, strict=True):
            weight.copy_(value)
    print(f"{run.name}: {steps} steps, {time.monotonic() - began:.0f} s, last loss {loss.item():.3f}", flush=True)
    network.eval()
    return network


def _average(mean: list[Tensor], weights: Sequence[Tensor], share: float) -> None:
    with torch.no_grad():
        if mean:
            torch._foreach_lerp_(mean, [weight.detach() for weight in weights], share)
        else:
            mean += [weight.detach().clone() for weight in weights]


def _optimiser(
    network: Network, rate: float, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    heads = [*network.own.parameters(), *network.whole.parameters()]
    known = {id(weight) for weight in heads}
    body = [weight for weight in network.parameters() if weight.requires_grad and id(weight) not in known]
    groups = [{"params": body, "lr": rate}, {"params": heads, "lr": 5 * rate}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.02, fused=torch.cuda.is_available())

    def factor(step: int) -> float:
        return min(1, step / (0.08 * steps)) * max(0.02, 0.5 * (1 + math.cos(math.pi * step / steps)))

    return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, factor)


class Batch:
    """Windows of one task, and for each text in them the label, the kind and the group that it competes in."""

    def __init__(self) -> None:
        self.windows: list[Window] = []
        self.labels: list[int] = []
        self.kinds: list[int] = []
        self.groups: list[int] = []

    def add(self, window: Window, labels: Sequence[int], kinds: Sequence[int], group: int) -> None:
        self.windows.append(window)
        self.labels += labels
        self.kinds += kinds
        self.groups += [group] * len(labels)


def _batches(task: Task, examples: Sequence[Example], lexer: Lexer, random: Random) -> Iterator[Batch]:
    lexer.learn(text for example in examples for text in (example.head, *example.texts))
    order: list[int] = []
    while True:
        batch = Batch()
        for group in range(BATCH[task]):
            if not order:
                order = list(range(len(examples)))
                random.shuffle(order)
            _add(batch, examples[order.pop()], group, lexer, random)
        yield batch


def _add(batch: Batch, example: Example, group: int, lexer: Lexer, random: Random) -> None:
    chosen = _chosen(example, random)
    head = lexer.tokens(example.head)
    if example.task == "keep" and random.random() < 0.1:  # a message without one before it
        head = lexer.tokens(example.head[example.head.rindex("\n") :])
    texts = [lexer.tokens(example.texts[place]) for place in chosen]
    for window, held in windows(head, texts, ends=example.task == "keep"):
        places = [chosen[place] for place in held]
        kinds = [_number(example.kinds[place]) if example.kinds else NOTHING for place in places]
        batch.add(_masked(window, random), [example.labels[place] for place in places], kinds, group)


def _number(kind: str) -> int:
    return KINDS.index(kind) if kind else NOTHING


def _chosen(example: Example, random: Random) -> list[int]:
    """Which texts compete this time: mostly the nearest, as in use; their place in the input tells nothing."""
    places = list(range(len(example.texts)))
    if example.task not in ("relation", "relevance"):
        return places
    most = 3 if example.task == "relation" else 5
    if random.random() < 0.5:
        places = places[:most]
    else:
        places = random.sample(places, min(len(places), random.randint(1, most + 2)))
    random.shuffle(places)
    return places


def _masked(window: Window, random: Random) -> Window:
    if random.random() > 0.35:
        return window
    ids = [MASK if id >= _FIRST_WORD and random.random() < MASKED else id for id in window.ids]
    return window._replace(ids=ids)


def _loss(network: Network, batches: Mapping[Task, Batch], device: str) -> Tensor:
    """One pass for all tasks: on a GPU that several runs share, passes cost more than the padding that they save."""
    logits = pooled(network, [window for batch in batches.values() for window in batch.windows], device).float()
    total = torch.zeros((), device=device)
    start = 0
    for task, batch in batches.items():
        end = start + len(batch.labels)
        total = total + WEIGHT[task] * _LOSSES[task](logits[start:end, OUTPUTS[task]], batch, device)
        start = end
    return total


def pooled(network: Network, batch: Sequence[Window], device: str) -> Tensor:
    """The logits of every text in the windows, in order."""
    ids, mask, segments = (torch.from_numpy(array).to(device, non_blocking=True) for array in padded(batch))
    logits = network(ids, mask, segments)
    weights, rows = means(batch, ids.shape[1])
    spans = torch.from_numpy(weights).to(device).to(logits.dtype)
    return torch.einsum("nt,ntk->nk", spans, logits[torch.from_numpy(rows).to(device)])


def _relation_loss(logits: Tensor, batch: Batch, device: str) -> Tensor:
    labels = torch.tensor(batch.labels, device=device)
    known = labels >= 0
    rare = torch.tensor([1.0, 2.0, 2.0, 2.0], device=device)
    each = functional.cross_entropy(logits[known], labels[known], weight=rare, label_smoothing=SMOOTH)
    changed = ((labels == CHANGE) | (labels == PART)).float()
    margin = torch.logsumexp(logits[:, [CHANGE, PART]], 1) - torch.logsumexp(logits[:, [0, 2]], 1)
    return each + 0.5 * _competing(margin.clamp(-15, 15), changed, batch.groups, none=True, device=device)


def _relevance_loss(logits: Tensor, batch: Batch, device: str) -> Tensor:
    labels = torch.tensor(batch.labels, device=device)
    known, score = labels >= 0, logits[:, 0]
    wanted = labels.clamp_min(0).float()
    each = functional.binary_cross_entropy_with_logits(score[known], wanted[known] * (1 - 0.8 * SMOOTH) + 0.4 * SMOOTH)
    return each + 0.5 * _competing(score.clamp(-15, 15), wanted, batch.groups, none=False, device=device)


def _competing(score: Tensor, wanted: Tensor, groups: Sequence[int], *, none: bool, device: str) -> Tensor:
    """Cross entropy within each group; `none`: one more choice, which is right where nothing is wanted."""
    numbers = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    group = torch.tensor([numbers[each] for each in groups], device=device)
    zeros = torch.zeros(len(numbers), device=device)
    mass = score.exp()
    whole = zeros.index_add(0, group, mass) + (1.0 if none else 0.0)
    right = zeros.index_add(0, group, mass * wanted)
    has = zeros.index_add(0, group, wanted) > 0
    if none:
        return (whole.log() - torch.where(has, right.clamp_min(1e-6).log(), zeros)).mean()
    return ((whole.log() - right.clamp_min(1e-6).log()) * has).sum() / has.sum().clamp_min(1)


def _keep_loss(logits: Tensor, batch: Batch, device: str) -> Tensor:
    labels = torch.tensor(batch.labels, device=device)
    known = labels >= 0
    wanted = labels[known].float() * (1 - SMOOTH) + SMOOTH / 2
    rare = torch.tensor(1.5, device=device)
    keep = functional.binary_cross_entropy_with_logits(logits[known, 0], wanted, pos_weight=rare)
    kinds = torch.tensor(batch.kinds, device=device)
    named = functional.cross_entropy(
        logits[:, 1:], kinds, ignore_index=NOTHING, label_smoothing=SMOOTH, reduction="sum"
    )
    return keep + 0.4 * named / (kinds >= 0).sum().clamp_min(1)


def _inference_loss(logits: Tensor, batch: Batch, device: str) -> Tensor:
    return functional.cross_entropy(logits, torch.tensor(batch.labels, device=device))


_LOSSES = {"relation": _relation_loss, "relevance": _relevance_loss, "keep": _keep_loss, "inference": _inference_loss}


def logits_of(
    network: Network, examples: Sequence[Example], lexer: Lexer, device: str, *, nearest: Mapping[str, int]
) -> list[NDArray[np.float32]]:
    """The shipped logits of each example's texts, one row a text.

    Args:
        network: fitted.
        examples: what to judge.
        lexer: cuts the texts.
        device: where the network is.
        nearest: how many texts of an example are judged, for tasks in which not all are.
    """
    lexer.learn(text for example in examples for text in (example.head, *example.texts))
    found = [np.zeros((len(e.texts[: nearest.get(e.task)]), SHIPPED), dtype=np.float32) for e in examples]
    work: list[tuple[Window, int, list[int]]] = []
    for number, example in enumerate(examples):
        texts = [lexer.tokens(text) for text in example.texts[: nearest.get(example.task)]]
        cut = windows(lexer.tokens(example.head), texts, ends=example.task == "keep")
        work += [(window, number, held) for window, held in cut]
    work.sort(key=lambda each: len(each[0].ids))
    for start in range(0, len(work), _JUDGED_AT_ONCE):
        some = work[start : start + _JUDGED_AT_ONCE]
        with torch.no_grad():
            logits = iter(pooled(network, [window for window, _, _ in some], device).float().cpu().numpy())
        for _, number, held in some:
            for place in held:
                found[number][place] = next(logits)[:SHIPPED]
    return found

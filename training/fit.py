"""Fitting: a run begins at the embedder, or at another run, and learns all tasks at once."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from .ahead import ahead
from .examples import KINDS, Example, Task
from .losses import NOTHING, Labelled, agreement, loss_of
from .network import OUTPUTS, SHIPPED, Network, from_base, with_weights
from .rough import rough
from .windows import MASK, Lexer, Pack, Window, packed, windows

BATCH: dict[Task, int] = {"relation": 96, "relevance": 48, "keep": 48, "inference": 96}
WEIGHT: dict[Task, float] = {"relation": 1.0, "relevance": 1.0, "keep": 1.0, "inference": 0.5}
RATE = 1.5e-4
ROUGH = 0.5  # of few examples
MASKED = 0.08  # of the tokens of every third window
ALONE, ELSEWHERE = 0.1, 0.4  # of the messages with one before them, and of those without
_JUDGED_AT_ONCE = 1024
_FIRST_WORD = 1000  # lower ids are special or letters


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One fitting."""

    name: str
    steps: int
    start: str = ""  # the run whose weights it begins with; the base's where empty
    without: str = ""  # the authors who are left out, a letter each
    seed: int = 1
    rate: float = RATE
    makers: int = 0  # processes that make its steps ahead; none: it makes them itself
    few: bool = False  # data: roughened, and read twice with other dropout, so that they are not learned by heart


def fit(run: Run, pools: Sequence[Sequence[Example]], lexer: Lexer, folder: Path, device: str) -> Network:
    """Fit, and return the mean of the weights over the last part of the way.

    Args:
        run: how.
        pools: examples; every step takes a batch of every task out of every pool.
        lexer: cuts the texts.
        folder: where the weights of other runs are.
        device: where to fit.
    """
    steps = _ahead(run, pools, lexer)
    network = with_weights(folder / f"{run.start}.npz") if run.start else from_base()
    network.to(device)
    torch.manual_seed(run.seed)
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    optimiser, schedule = _optimiser(network, run)
    mean: list[Tensor] = []
    began = time.monotonic()
    network.train()
    for step in range(run.steps):
        loss = _loss(network, next(steps), device, twice=run.few)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        schedule.step()
        if step >= int(0.4 * run.steps):
            _average(mean, weights, 1 / max(20, 0.12 * run.steps))
    with torch.no_grad():
        for weight, value in zip(weights, mean, strict=True):
            weight.copy_(value)
    print(f"{run.name}: {run.steps} steps, {time.monotonic() - began:.0f} s, last loss {loss.item():.3f}", flush=True)
    network.eval()
    return network


def _ahead(run: Run, pools: Sequence[Sequence[Example]], lexer: Lexer) -> Iterator[Step]:
    lexer.learn(text for pool in pools for example in pool for text in (example.head, *example.texts))
    if not run.makers:
        return _steps(run, pools, lexer, Random(run.seed))
    return ahead(
        [partial(_steps, run, pools, lexer, Random(1000 * run.seed + maker)) for maker in range(run.makers)], run.steps
    )


def _steps(run: Run, pools: Sequence[Sequence[Example]], lexer: Lexer, random: Random) -> Iterator[Step]:
    """A batch of every task out of every pool, without end."""
    streams = [stream for pool in pools for stream in _streams(pool, lexer, random, is_few=run.few)]
    while True:
        batches = [next(stream) for stream in streams]
        pack = packed([window for batch in batches for window in batch.windows])
        yield Step([(batch.task, batch.labelled) for batch in batches], pack)


def _average(mean: list[Tensor], weights: Sequence[Tensor], share: float) -> None:
    with torch.no_grad():
        if mean:
            torch._foreach_lerp_(mean, [weight.detach() for weight in weights], share)
        else:
            mean += [weight.detach().clone() for weight in weights]


def _optimiser(network: Network, run: Run) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    heads = [*network.own.parameters(), *network.whole.parameters()]
    known = {id(weight) for weight in heads}
    body = [weight for weight in network.parameters() if weight.requires_grad and id(weight) not in known]
    groups = [{"params": body, "lr": run.rate}, {"params": heads, "lr": 5 * run.rate}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.02, fused=torch.cuda.is_available())

    def factor(step: int) -> float:
        return min(1, step / (0.08 * run.steps)) * max(0.02, 0.5 * (1 + math.cos(math.pi * step / run.steps)))

    return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, factor)


class Step(NamedTuple):
    """What is read at once: the texts of each task, and all their windows."""

    tasks: list[tuple[Task, Labelled]]
    pack: Pack


class Batch:
    """Windows of one task, and what is known of the texts in them."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.windows: list[Window] = []
        self.labelled = Labelled([], [], [])

    def add(self, window: Window, labels: Sequence[int], kinds: Sequence[int], group: int) -> None:
        self.windows.append(window)
        self.labelled.labels.extend(labels)
        self.labelled.kinds.extend(kinds)
        self.labelled.groups.extend([group] * len(labels))


def _streams(pool: Sequence[Example], lexer: Lexer, random: Random, *, is_few: bool) -> list[Iterator[Batch]]:
    tasks: dict[Task, list[Example]] = {}
    for example in pool:
        tasks.setdefault(example.task, []).append(example)
    return [_batches(task, found, lexer, random, is_few=is_few) for task, found in tasks.items()]


def _batches(task: Task, examples: Sequence[Example], lexer: Lexer, random: Random, *, is_few: bool) -> Iterator[Batch]:
    order: list[int] = []
    heads = [example.head for example in examples]
    while True:
        batch = Batch(task)
        for group in range(BATCH[task]):
            if not order:
                order = list(range(len(examples)))
                random.shuffle(order)
            example = examples[order.pop()]
            head = _overheard(example.head, random.choice(heads), random) if task == "keep" else example.head
            is_rough = is_few and random.random() < ROUGH
            _add(batch, replace(example, head=head), group, lexer, random, is_rough=is_rough)
        yield batch


def _add(batch: Batch, example: Example, group: int, lexer: Lexer, random: Random, *, is_rough: bool) -> None:
    chosen = _chosen(example, random)
    head, texts = example.head, [example.texts[place] for place in chosen]
    if is_rough:
        head = head if example.task == "keep" else rough(head, random)
        texts = [rough(text, random) for text in texts]
    tokens = [lexer.tokens(text) for text in texts]
    for window, held in windows(lexer.tokens(head), tokens, ends=example.task == "keep"):
        places = [chosen[place] for place in held]
        kinds = [_number(example.kinds[place]) if example.kinds else NOTHING for place in places]
        batch.add(_masked(window, random), [example.labels[place] for place in places], kinds, group)


def _overheard(head: str, other: str, random: Random) -> str:
    """A message without the one before it, now and then; and one that had none, behind a talk about something else."""
    before, _, speaker = head.rpartition("\n")
    if before:
        return head if random.random() > ALONE else f"\n{speaker}"
    elsewhere, _, _ = other.rpartition("\n")
    return head if random.random() > ELSEWHERE else f"{elsewhere}\n{speaker}"


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


def _loss(network: Network, read: Step, device: str, *, twice: bool) -> Tensor:
    """One pass for all tasks, or two that should agree: what only one of them sees is chance."""
    with torch.autocast(device, dtype=torch.bfloat16):
        passes = [network.texts(read.pack) for _ in range(2 if twice else 1)]
    total = torch.zeros((), device=device)
    start = 0
    for task, labelled in read.tasks:
        end = start + len(labelled.labels)
        logits = [each[start:end, OUTPUTS[task]] for each in passes]
        loss = sum((loss_of(task, each, labelled) for each in logits), start=torch.zeros((), device=device))
        if twice:
            loss = loss + agreement(task, *logits)
        total = total + WEIGHT[task] * loss / len(passes)
        start = end
    return total


def logits_of(
    network: Network, examples: Sequence[Example], lexer: Lexer, *, nearest: Mapping[str, int]
) -> list[NDArray[np.float32]]:
    """The shipped logits of each example's texts, one row a text.

    Args:
        network: fitted.
        examples: what to judge.
        lexer: cuts the texts.
        nearest: how many texts of an example are judged, for tasks in which not all are.
    """
    lexer.learn(text for example in examples for text in (example.head, *example.texts))
    found = [np.zeros((len(e.texts[: nearest.get(e.task)]), SHIPPED), dtype=np.float32) for e in examples]
    work: list[tuple[Window, int, list[int]]] = []
    for number, example in enumerate(examples):
        texts = [lexer.tokens(text) for text in example.texts[: nearest.get(example.task)]]
        cut = windows(lexer.tokens(example.head), texts, ends=example.task == "keep")
        work += [(window, number, held) for window, held in cut]
    for start in range(0, len(work), _JUDGED_AT_ONCE):
        some = work[start : start + _JUDGED_AT_ONCE]
        with torch.no_grad():
            logits = iter(network.texts(packed([window for window, _, _ in some])).cpu().numpy())
        for _, number, held in some:
            for place in held:
                found[number][place] = next(logits)[:SHIPPED]
    return found

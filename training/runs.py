"""All fittings of a judge: on public and invented texts first, then on everything, then without two authors each.

All of it is done twice. The mean over both is better than either: of two authors whom neither had seen, they marked 41
and 42 % of the changes at 2 % false, and their mean 50 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from . import base
from .examples import Example, read
from .fit import Run, fit, logits_of
from .measure import FOLDS
from .network import Network, trained, with_weights
from .together import JUDGED
from .windows import Lexer

SHIPPED = "shipped"
GENERAL = {"general-1": 1, "general-2": 2}  # and their seeds
GENERAL_STEPS, OWN_STEPS = 3000, 1300
MAKERS = 6
SEEDS = (1,)  # of the runs without some authors; their weights are averaged, as those of the shipped ones are
SHIPPED_SEEDS = (11, 12, 13)


def fit_all(prepared: Path, folder: Path, *, at_once: int) -> None:
    """Fit all runs; the weights of each are put into the folder.

    Args:
        prepared: where the examples are.
        folder: where the weights go.
        at_once: processes; one GPU serves sixteen.
    """
    folder.mkdir(parents=True, exist_ok=True)
    general = [[file] for name in ("public", "invented") if (file := prepared / f"{name}.jsonl.gz").exists()]
    beginnings = [
        get_context("spawn").Process(target=_perform, args=(general_run(name), general, folder)) for name in GENERAL
    ]  # not of a pool: they have processes of their own
    for process in beginnings:
        process.start()
    for process in beginnings:
        process.join()
        if process.exitcode:
            raise SystemExit(f"a general run ended with {process.exitcode}")
    own = [[prepared / f"{name}.jsonl.gz" for name in ("authors", "corpus", "groups")]]
    runs = [*_runs("", SHIPPED_SEEDS), *(run for fold in FOLDS for run in _runs(fold, SEEDS))]
    with get_context("spawn").Pool(at_once) as pool:
        pool.starmap(_perform, [(run, own, folder) for run in runs], chunksize=1)
    for name, averaged in {SHIPPED: _runs("", SHIPPED_SEEDS), **{fold: _runs(fold, SEEDS) for fold in FOLDS}}.items():
        mean = with_weights(*(folder / f"{run.name}.npz" for run in averaged))
        base.write(trained(mean), folder / f"{name}.npz")


def general_run(name: str) -> Run:
    """The run on public and invented texts that others begin with."""
    return Run(name=name, steps=GENERAL_STEPS, seed=GENERAL[name], makers=MAKERS)


def _runs(fold: str, seeds: Sequence[int]) -> list[Run]:
    """The runs whose weights are averaged: without some authors, or on everything."""
    return [
        Run(
            name=f"{start}-without-{fold}-{seed}" if fold else f"{start}-all-{seed}",
            steps=OWN_STEPS,
            start=start,
            without=fold,
            seed=seed,
            few=True,
        )
        for start in GENERAL
        for seed in seeds
    ]


def _perform(run: Run, pools: Sequence[Sequence[Path]], folder: Path) -> None:
    torch.set_num_threads(2)
    examples = [[each for file in files for each in read(file) if each.source not in [*run.without]] for files in pools]
    _save(fit(run, examples, Lexer(), folder, device()), folder / f"{run.name}.npz")


def _save(network: Network, file: Path) -> None:
    weights: dict[str, Any] = {name: array.astype(np.float16) for name, array in trained(network).items()}
    np.savez(file, **weights)


def left_out(prepared: Path, folder: Path) -> tuple[dict[str, list[Example]], dict[str, list[NDArray[np.float32]]]]:
    """The examples of each author, and the logits by the runs that did not learn from them."""
    lexer = Lexer()
    examples: dict[str, list[Example]] = {}
    for example in read(prepared / "authors.jsonl.gz"):
        examples.setdefault(example.source, []).append(example)
    assert set(examples) == set("".join(FOLDS)), "every author is left out once"
    logits: dict[str, list[NDArray[np.float32]]] = {}
    for fold in FOLDS:
        network = with_weights(folder / f"{fold}.npz").to(device()).eval()
        logits |= {author: logits_of(network, examples[author], lexer, nearest=JUDGED) for author in fold}
    return examples, logits


def device() -> str:
    """Where to fit."""
    return "cuda" if torch.cuda.is_available() else "cpu"

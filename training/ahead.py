"""Steps made ahead by other processes: one that cuts and packs texts keeps a large GPU waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from multiprocessing.queues import Queue
from typing import TypeVar

_WAITING = 16  # steps that a process is ahead

Step = TypeVar("Step")


def ahead(makers: Sequence[Callable[[], Iterator[Step]]], steps: int) -> Iterator[Step]:
    """So many steps, one of each maker in turn; every maker runs in a process of its own.

    They are forked, so that each has the examples without reading them again, and must leave the GPU alone.
    """
    context = get_context("fork")
    queues: list[Queue[Step]] = [context.Queue(_WAITING) for _ in makers]
    processes = [
        context.Process(target=_made, args=(maker, queue), daemon=True)
        for maker, queue in zip(makers, queues, strict=True)
    ]
    for process in processes:
        process.start()
    return _taken(queues, processes, steps)


def _made(maker: Callable[[], Iterator[Step]], queue: Queue[Step]) -> None:
    for step in maker():
        queue.put(step)


def _taken(queues: Sequence[Queue[Step]], processes: Sequence[BaseProcess], steps: int) -> Iterator[Step]:
    for step in range(steps):
        yield queues[step % len(queues)].get()
    for process in processes:
        process.terminate()

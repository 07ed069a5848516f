"""A burst of statements that waits for its verdicts, with the real models: how fast it shrinks, what recalls feel."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from itertools import cycle

from truekeep import Memory
from truekeep.embedders.minilm import MiniLM
from truekeep.judges.learned import LearnedJudge

from .measure import Check, Result, Timing, joined, timed
from .sentences import questions, sentences
from .workbench import SPACE, Workbench

_PAUSE = 0.1  # seconds between two recalls: an agent that asks without a pause would be the burst


def backlog(bench: Workbench) -> Iterator[Result]:
    """Statements by the thousand, then recalls until none of them waits, and as many afterwards."""
    size = 1_000 if bench.quick else 10_000
    asked = cycle(dict.fromkeys(questions(10 * size)))
    path = bench.folder / "backlog.db"
    memory = bench.keep(Memory(SPACE, at=path, embedder=MiniLM(threads=1), judge=LearnedJudge(threads=1)))
    memory.remember("Ana prefers green tea.", judged="now")  # loads the models
    burst = sentences(size)
    started = time.process_time()
    for at in range(0, size, 1_000):
        memory.remember_many(burst[at : at + 1_000])
    disturbed = []
    while memory.stats().unjudged:
        disturbed.append(_recall(memory, next(asked)))
    during = joined(disturbed)
    seconds = time.process_time() - started - sum(during.cpu) / 1000
    between = joined([_recall(memory, next(asked)) for _ in disturbed])
    drained = Check(size / seconds, 40, " a second of CPU", at_least=True)
    yield Result(case="verdicts on a burst", items=size, checks=[drained])
    slower = Check(statistics.median(during.wall) / statistics.median(between.wall), 1.5, "x while it rests")
    yield Result(case="recall while they are judged", items=size, timing=during, checks=[slower])
    yield Result(case="recall while the judge rests", items=size, timing=between)


def _recall(memory: Memory, question: str) -> Timing:
    time.sleep(_PAUSE)
    return timed(memory.recall, [question])

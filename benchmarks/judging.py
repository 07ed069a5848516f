"""A burst of statements that waits for its verdicts, with the real models: how fast it shrinks, what recalls feel."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from itertools import cycle

from truekeep import Memory
from truekeep.embedders.minilm import MiniLM
from truekeep.judges.minilm import MiniLMJudge

from .measure import Check, Result, Timing, joined, timed
from .sentences import questions, sentences
from .workbench import SPACE, Workbench

_PAUSE = 0.1  # seconds between two recalls: an agent that asks without a pause would be the burst
_AFTERWARDS = 100  # recalls


def backlog(bench: Workbench) -> Iterator[Result]:
    """Statements in batches as large as they may be, then a recall every now and then until none of them waits."""
    size = 1_000 if bench.quick else 10_000
    asked = cycle(dict.fromkeys(questions(10 * size)))
    path = bench.folder / "backlog.db"
    memory = bench.keep(Memory(SPACE, at=path, embedder=MiniLM(threads=1), judge=MiniLMJudge(threads=1)))
    memory.remember("Ana prefers green tea.", judged="now")  # loads the models
    burst = sentences(size)
    started, cpu = time.perf_counter(), time.process_time()
    for at in range(0, size, 1_000):
        memory.remember_many(burst[at : at + 1_000])
    meanwhile = []
    while memory.stats().unjudged:
        meanwhile.append(_recall(memory, next(asked)))
    during = joined(meanwhile)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu - sum(during.cpu) / 1000
    afterwards = joined([_recall(memory, next(asked)) for _ in range(_AFTERWARDS)])
    drained = Check(size / cpu, 40, " a second of CPU", at_least=True)
    yield Result(case="verdicts on a burst", items=size, note=f"{size / seconds:.0f} a second", checks=[drained])
    slower = Check(statistics.median(during.wall) / statistics.median(afterwards.wall), 1.5, "x afterwards")
    yield Result(case="recall during the burst", items=size, timing=during, checks=[slower])
    yield Result(case="recall afterwards", items=size, timing=afterwards)


def _recall(memory: Memory, question: str) -> Timing:
    time.sleep(_PAUSE)
    return timed(memory.recall, [question])

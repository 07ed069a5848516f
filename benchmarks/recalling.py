"""Recall, engine only: one large space, many small ones, with a filter, right after a write, beside a plain scan."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from truekeep import Memory

from .measure import Check, Result, Timing, joined, timed
from .workbench import RARE_TAG, SMALL, SPACE, Workbench

_CPU_LIMITS = {10_000: 3.0, 100_000: 12.0}
_SCAN_LIMITS = {100_000: 1.2, 1_000_000: 0.6}
_WARM_UP = 5


def recall(bench: Workbench) -> Iterator[Result]:
    """One space; from 100,000 items on beside a NumPy float32 scan of the same matrix, taken in turns."""
    for size in (100, 1_000, 10_000, 100_000) + (() if bench.quick else (1_000_000,)):
        memory = bench.opened(size)
        if size not in _SCAN_LIMITS:
            timing = _recalls(bench, memory, size, 300)
            yield Result(
                case="recall", items=size, timing=timing, bytes=memory.stats().bytes, checks=_cpu(size, timing)
            )
            continue
        timing, scan = _beside_scan(bench, memory, size)
        ratio = Check(timing.cpu_p50 / scan.cpu_p50, _SCAN_LIMITS[size], "x scan")
        checks = [*_cpu(size, timing), ratio]
        yield Result(case="recall", items=size, timing=timing, bytes=memory.stats().bytes, checks=checks)
        yield Result(case="NumPy float32 scan", items=size, timing=scan, bytes=size * 384 * 4)


def filtered(bench: Workbench) -> Iterator[Result]:
    """Limited to a tag that one item in a hundred has; no slower than without."""
    for size in (10_000, 100_000):
        memory = bench.opened(size)
        plain = _recalls(bench, memory, size, 100)
        rare = partial(memory.recall, tags=[RARE_TAG])
        timing = timed(rare, bench.questions(size, 150))
        check = Check(timing.cpu_p50 / plain.cpu_p50, 1.0, "x unfiltered")
        yield Result(case="recall, 1 % by tag", items=size, timing=timing, checks=[check])


def spaces(bench: Workbench) -> Iterator[Result]:
    """Many small spaces in one file: the first recall in each reads its rows, the second finds its index ready."""
    count = 200 if bench.quick else 1000
    path = bench.copy(bench.small_spaces(count), "read")
    memories = [bench.keep(bench.memory(path, f"{SPACE}-{number}")) for number in range(count)]
    questions = bench.questions(count * SMALL, 2 * count)
    first = timed(_ask, list(zip(memories, questions[:count], strict=True)))
    yield Result(case=f"first recall, each of {count:,} spaces", items=SMALL, timing=first)
    again = timed(_ask, list(zip(memories, questions[count:], strict=True)))
    yield Result(
        case=f"recall, {count:,} spaces x {SMALL}",
        items=count * SMALL,
        timing=again,
        bytes=memories[0].stats().bytes,
        checks=[Check(again.cpu_p50, 0.5, " ms")],
    )


def after_write(bench: Workbench) -> Iterator[Result]:
    """A recall that has to take in one new item first."""
    for size in (10_000, 100_000):
        memory = bench.keep(bench.memory(bench.copy(bench.file(size), "written")))
        memory.recall("warm up")
        questions = bench.questions(size, 100)
        for text in questions[:_WARM_UP]:
            memory.recall(text)
        new = iter(bench.new_texts(9))
        timings = []
        for text in questions:
            memory.remember(next(new))
            timings.append(timed(memory.recall, [text]))
        yield Result(case="recall right after a remember", items=size, timing=joined(timings))


def _ask(pair: tuple[Memory, str]) -> None:
    memory, question = pair
    memory.recall(question)


def _recalls(bench: Workbench, memory: Memory, size: int, count: int) -> Timing:
    questions = bench.questions(size, count + _WARM_UP)
    timed(memory.recall, questions[:_WARM_UP])
    return timed(memory.recall, questions[_WARM_UP:])


def _beside_scan(bench: Workbench, memory: Memory, size: int) -> tuple[Timing, Timing]:
    """Five recalls, two scans, and so on: whatever else the machine does slows both alike."""
    rounds = 40 if size <= 100_000 else 12
    matrix = bench.matrix(size)
    questions = bench.questions(size, 5 * rounds + _WARM_UP)
    vectors = bench.embedder.embed(questions)
    scores = np.empty(size, dtype=np.float32)

    def scan(vector: np.ndarray[tuple[int], np.dtype[np.float32]]) -> None:
        np.matmul(matrix, vector, out=scores)  # the products alone; any use of them would need a top-k on top

    timed(memory.recall, questions[:_WARM_UP])
    timed(scan, vectors[:1])
    recalls, scans = [], []
    for start in range(_WARM_UP, len(questions), 5):
        recalls.append(timed(memory.recall, questions[start : start + 5]))
        scans.append(timed(scan, vectors[start : start + 2]))
    return joined(recalls), joined(scans)


def _cpu(size: int, timing: Timing) -> list[Check]:
    return [Check(timing.cpu_p50, _CPU_LIMITS[size], " ms")] if size in _CPU_LIMITS else []

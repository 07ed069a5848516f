"""Remember, engine only: one by one, in batches, and by many threads beside a bare loop of the same kind."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator

from .bare import BareStore
from .measure import Check, Result, timed
from .workbench import Workbench

_THREADS = 64
_BATCH = 1000


def remember(bench: Workbench) -> Iterator[Result]:
    """Each call durable when it returns, in a file of 10,000 items; a bare INSERT with its fsync as the floor."""
    size = 10_000
    count = 300 if bench.quick else 1000
    texts = bench.new_texts(0)
    memory = bench.keep(bench.memory(bench.copy(bench.file(size), "remember"), background=True))
    memory.recall("warm up")
    timed(memory.remember, texts[:20])
    timing = timed(memory.remember, texts[20 : 20 + count])
    checks = [Check(timing.cpu_p50, 0.8, " ms"), Check(timing.wall_at(95), 2.0, " ms p95")]
    yield Result(case="remember, one by one", items=size, timing=timing, checks=checks)
    bare = BareStore(bench.folder / "bare-one.db")
    yield Result(case="bare INSERT, one by one", items=count, timing=timed(bare.add, texts[:count]))
    bare.close()


def batches(bench: Workbench) -> Iterator[Result]:
    """A thousand items a call, their vectors made in the background; then the time until all of those are there."""
    memory = bench.keep(bench.memory(bench.folder / "batches.db", background=True))
    count = 3 if bench.quick else 10
    texts = bench.new_texts(1)
    started = time.perf_counter()
    timing = timed(memory.remember_many, [texts[at : at + _BATCH] for at in range(0, count * _BATCH, _BATCH)])
    rate = _BATCH / statistics.median(timing.wall) * 1000
    check = Check(_BATCH / timing.cpu_p50 * 1000, 5000, " items/s of CPU", at_least=True)
    note = f"{rate:,.0f} items/s"
    yield Result(case="remember, batch of 1,000", items=count * _BATCH, timing=timing, note=note, checks=[check])
    memory.flush()
    rate = count * _BATCH / (time.perf_counter() - started)
    yield Result(
        case="batches, vectors made too",
        items=count * _BATCH,
        bytes=memory.stats().bytes,
        note=f"{rate:,.0f} items/s",
    )


def threads(bench: Workbench) -> Iterator[Result]:
    """64 threads adding durably, in turns with a bare group commit of rows of the same size."""
    each = 10 if bench.quick else 25
    rounds = 3
    texts = bench.new_texts(2)
    memory = bench.keep(bench.memory(bench.folder / "threads.db", background=True))
    bare = BareStore(bench.folder / "bare-threads.db")
    memory.remember("warm up")
    ours, theirs = [], []
    for number in range(rounds):
        memory.flush()  # the verdicts on the round before would slow the bare loop down
        part = texts[number * each * _THREADS : (number + 1) * each * _THREADS]
        theirs.append(_rate(bare.add, part))
        ours.append(_rate(memory.remember, part))
    bare.close()
    check = Check(statistics.median(ours) / statistics.median(theirs), 0.5, "x bare", at_least=True)
    rate = f"{statistics.median(ours):,.0f} rows/s"
    items = rounds * each * _THREADS
    yield Result(case=f"remember, {_THREADS} threads", items=items, note=rate, checks=[check])
    rate = f"{statistics.median(theirs):,.0f} rows/s"
    yield Result(case=f"bare group commit, {_THREADS} threads", items=items, note=rate)


def _rate(add: Callable[[str], object], texts: list[str]) -> float:
    """Calls a second, by all threads together."""
    ready = threading.Barrier(_THREADS + 1)

    def work(mine: list[str]) -> None:
        ready.wait()
        for text in mine:
            add(text)

    workers = [threading.Thread(target=work, args=(texts[number::_THREADS],)) for number in range(_THREADS)]
    for worker in workers:
        worker.start()
    ready.wait()
    started = time.perf_counter()
    for worker in workers:
        worker.join()
    return len(texts) / (time.perf_counter() - started)

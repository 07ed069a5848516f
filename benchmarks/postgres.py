"""PostgreSQL beside the embedded store, in turns within one run: `python -m benchmarks.postgres` (make bench-postgres).

Engine only, as in `make bench`: vectors are looked up. The server is one of our own, on this machine, and waits for the
disk; `TEST_TRUEKEEP_POSTGRES` names another one.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

from tests.postgres_server import GIVEN, new_database, running
from truekeep import Memory
from truekeep.ports import Store
from truekeep.stores.postgres import PostgresStore
from truekeep.stores.sqlite import SqliteStore

from . import table
from .measure import Check, Result, Timing, timed
from .workbench import SPACE, Workbench, apply

BATCH = 1000
THREADS = 32
TURNS = 10


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.postgres", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="10,000 items only, fewer repeats")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="truekeep-bench-")))
        server = GIVEN or stack.enter_context(running(durable=True)).url()
        bench = Workbench(folder, quick=arguments.quick)
        stack.callback(bench.close)
        results = []
        for size in (10_000,) if arguments.quick else (10_000, 100_000):
            url = stack.enter_context(new_database(server))
            for result in _cases(bench, size, {"embedded": str(folder / f"beside-{size}.db"), "postgres": url}):
                results.append(result)
                print(table.line(result), flush=True)
    print(f"\n{table.table(results)}")


def _cases(bench: Workbench, size: int, places: dict[str, str]) -> Iterator[Result]:
    yield from _filling(bench, size, places)
    with ExitStack() as stack:
        memories: dict[str, Memory] = {}
        for name, place in places.items():
            started = time.perf_counter()
            memories[name] = stack.enter_context(Memory(SPACE, at=place, embedder=bench.embedder, background=False))
            memories[name].recall("warm up")
            took = time.perf_counter() - started
            yield Result(case=f"cold open, {name}", items=size, note=f"{took:.2f} s")
        yield from _recalling(bench, size, memories)
        yield from _remembering(bench, size, memories)


def _filling(bench: Workbench, size: int, places: dict[str, str]) -> Iterator[Result]:
    """Rows with their vectors, a thousand a transaction, without embedding."""
    for name, place in places.items():
        store: Store = SqliteStore(place) if name == "embedded" else PostgresStore(place)
        spent = 0.0
        for puts in bench.puts(size):
            for at in range(0, len(puts), BATCH):
                started = time.perf_counter()
                apply(store, SPACE, puts[at : at + BATCH], bench.embedder.name)
                spent += time.perf_counter() - started
        checks = [Check(size / spent, 5000, " items/s", at_least=True)] if name == "postgres" else []
        note = "" if checks else f"{size / spent:,.0f} items/s"
        yield Result(case=f"batches of 1,000, {name}", items=size, bytes=store.size(), note=note, checks=checks)
        store.close()


def _recalling(bench: Workbench, size: int, memories: dict[str, Memory]) -> Iterator[Result]:
    """In turns, so that both meet the same machine."""
    questions = bench.questions(size, 100 if bench.quick else 300)
    timings = _in_turns({name: memory.recall for name, memory in memories.items()}, questions)
    ratio = timings["postgres"].wall_at(50) / timings["embedded"].wall_at(50)
    yield Result(case="warm recall, embedded", items=size, timing=timings["embedded"])
    checks = [Check(ratio, 1.5, "x embedded")]
    yield Result(case="warm recall, postgres", items=size, timing=timings["postgres"], checks=checks)


def _remembering(bench: Workbench, size: int, memories: dict[str, Memory]) -> Iterator[Result]:
    texts = bench.new_texts(0)
    count = 100 if bench.quick else 300
    timings = _in_turns({name: memory.remember for name, memory in memories.items()}, texts[:count])
    for name, timing in timings.items():
        yield Result(case=f"remember, one by one, {name}", items=size, timing=timing)
    for name, memory in memories.items():
        part = texts[count : count + 20 * THREADS]
        started = time.perf_counter()
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(memory.remember, part))
        rate = len(part) / (time.perf_counter() - started)
        yield Result(case=f"remember, {THREADS} threads, {name}", items=size, note=f"{rate:,.0f} items/s")
    for name, memory in memories.items():
        batches = [texts[at : at + BATCH] for at in range(2000, 5000, BATCH)]
        timing = timed(memory.remember_many, batches)
        rate = BATCH / statistics.median(timing.wall) * 1000
        yield Result(case=f"remember_many of 1,000, {name}", items=size, timing=timing, note=f"{rate:,.0f} items/s")


def _in_turns(calls: dict[str, Callable[[str], object]], texts: list[str]) -> dict[str, Timing]:
    found: dict[str, list[Timing]] = {name: [] for name in calls}
    step = max(1, len(texts) // TURNS)
    for at in range(0, len(texts), step):
        for name, call in calls.items():
            found[name].append(timed(call, texts[at : at + step]))
    return {
        name: Timing(
            cpu=[time for timing in timings for time in timing.cpu],
            wall=[time for timing in timings for time in timing.wall],
        )
        for name, timings in found.items()
    }


if __name__ == "__main__":
    main()

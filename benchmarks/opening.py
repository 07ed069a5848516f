"""Fresh processes: import, start to first recall, cold open with and without a snapshot, and RAM."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from truekeep import Memory
from truekeep.embedders.minilm import MiniLM
from truekeep.testing.fakes import FakeEmbedder

from .measure import Check, Result, Timing
from .workbench import SPACE, Workbench


def imports(bench: Workbench) -> Iterator[Result]:
    """`from truekeep import Memory` in a fresh interpreter, less the start of the interpreter; the best of several."""
    tries = 7 if bench.quick else 15
    bare = _fresh(bench, ["-c", "pass"], tries).wall
    ours = _fresh(bench, ["-c", "from truekeep import Memory"], tries).wall
    cost = min(ours) - min(bare)
    yield Result(case="import Memory", items=0, note=f"python {min(bare):.0f} ms", checks=[Check(cost, 120, " ms")])


def start(bench: Workbench) -> Iterator[Result]:
    """From the start of a process to its first recall in a file of 10,000 items, with the model inside the package.

    The file holds the fake embedder's vectors under the model's name: time does not depend on what they mean.
    """
    size = 10_000
    path = bench.copy(bench.file(size, MiniLM.name), "start")
    with Memory(SPACE, at=path, background=False) as memory:
        memory.recall("warm up")  # closing leaves a snapshot, as any process that was here before would have
    command = ["-m", "benchmarks.child", "first_recall", str(path)]
    timing = _fresh(bench, command, 3 if bench.quick else 7)
    check = Check(timing.wall_at(50), 500, " ms")
    yield Result(case="start to first recall, MiniLM", items=size, timing=timing, note="wall", checks=[check])


def cold(bench: Workbench) -> Iterator[Result]:
    """From a path to the first answer in a fresh process, modules loaded, the file in the system's cache."""
    size = 100_000
    path = bench.copy(bench.file(size), "cold")
    without = _opened([path] * (1 if bench.quick else 3))
    yield Result(case="cold open, no snapshot", items=size, timing=without[0], bytes=path.stat().st_size)
    with _handle(path, name=FakeEmbedder().name) as memory:
        memory.recall("warm up")
    timing, resident = _opened([path] * (5 if bench.quick else 9))
    checks = [Check(timing.wall_at(50), 400, " ms")]
    yield Result(case="cold open, snapshot", items=size, timing=timing, bytes=path.stat().st_size, checks=checks)
    yield Result(case="RAM of an open space", items=size, bytes=resident, note=f"{resident / size:,.0f} bytes an item")


def _handle(path: Path, *, name: str) -> Memory:
    embedder = FakeEmbedder()
    embedder.name = name
    return Memory(SPACE, at=path, embedder=embedder, background=False)


def _opened(paths: list[Path]) -> tuple[Timing, int]:
    told = [_told(["-m", "benchmarks.child", "cold_open", str(path)]) for path in paths]
    timing = Timing(cpu=[one["cpu"] for one in told], wall=[one["wall"] for one in told])
    return timing, int(max(one["resident"] for one in told))


def _fresh(bench: Workbench, arguments: list[str], tries: int) -> Timing:
    """Processes whose modules are compiled, as those of an installation are, whatever the environment says."""
    compiled = os.environ | {"PYTHONPYCACHEPREFIX": str(bench.folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    cpu, wall = [], []
    for _ in range(tries + 1):  # the first one compiles
        started, used = time.perf_counter(), os.times()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=compiled)
        wall.append((time.perf_counter() - started) * 1000)
        cpu.append(sum(os.times()[2:4]) * 1000 - sum(used[2:4]) * 1000)  # of children
    return Timing(cpu=cpu[1:], wall=wall[1:])


def _told(arguments: list[str]) -> dict[str, float]:
    done = subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    told: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return told

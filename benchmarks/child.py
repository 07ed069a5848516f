"""What only a fresh process can show: opening, starting, and memory. Prints one line of JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def first_recall(path: str) -> None:
    """Start to first answer with the default embedder; the parent holds the watch."""
    from truekeep import Memory

    Memory("bench", at=path, background=False).recall("what does she think of the new release?")
    print(json.dumps({}), flush=True)


def cold_open(path: str) -> None:
    """From a path to the first answer, once all modules are there."""
    from truekeep import Memory
    from truekeep.testing.fakes import FakeEmbedder

    with Memory("warm", at=":memory:", embedder=FakeEmbedder(), background=False) as memory:
        memory.remember("warm up")
        memory.recall("warm up")
    before, wall, cpu = _resident(), time.perf_counter(), time.process_time()
    memory = Memory("bench", at=path, embedder=FakeEmbedder(), background=False)
    memory.recall("the zaba of gecu")
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"wall": wall * 1000, "cpu": cpu * 1000, "resident": _resident() - before}), flush=True)


def _resident() -> int:
    """Bytes that the process holds in RAM; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    [line] = [line for line in status.read_text().splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    {"first_recall": first_recall, "cold_open": cold_open}[sys.argv[1]](sys.argv[2])
    sys.stdout.flush()
    # The parent has what it came for; without this, a file that must stay without a snapshot would get one at exit.
    os._exit(0)

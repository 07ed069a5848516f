"""Hooks of coding agents, as their hosts run them: a process for every event, timed from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from truekeep import Memory
from truekeep.embedders.minilm import MiniLM
from truekeep.hooks import line
from truekeep.hooks.repository import space_of
from truekeep.testing.fakes import FakeEmbedder

from .measure import Check, Result, Timing
from .sentences import questions, sentences
from .workbench import Workbench

_ITEMS = 10_000
_BATCH = 1_000


def hooks(bench: Workbench) -> Iterator[Result]:
    """The start of a session with and without a helper that is there, and prompts on a space of 10,000 items.

    The file holds the fake embedder's vectors under the model's name: time does not depend on what they mean.
    """
    home, folder = bench.folder / "hooks", bench.folder / "project"
    folder.mkdir()
    _fill(home, folder)
    tries = 40 if bench.quick else 200
    try:
        cold = [_run(home, folder, "SessionStart", session="cold")]
        for _ in range(2):
            _end(home)
            cold.append(_run(home, folder, "SessionStart", session="cold"))
        time.sleep(3)  # the helper loads its model while the host shows its prompt
        asked = questions(tries)
        warm = [_run(home, folder, "UserPromptSubmit", session=str(n), prompt=one) for n, one in enumerate(asked)]
        idle = [_run(home, folder, "UserPromptSubmit", session="idle", prompt="/compact") for _ in asked]
    finally:
        _end(home)
    yield Result(case="hook: start, helper cold", items=_ITEMS, timing=_timing(cold), note="wall of the process")
    timing = _timing(warm)
    yield Result(case="hook: prompt", items=_ITEMS, timing=timing, checks=[Check(timing.wall_at(95), 300, " ms")])
    yield Result(case="hook: prompt that recalls nothing", items=_ITEMS, timing=_timing(idle))


def _fill(home: Path, folder: Path) -> None:
    embedder = FakeEmbedder()
    embedder.name = MiniLM.name
    home.mkdir()
    with Memory(space_of(folder), at=home / "truekeep.db", embedder=embedder, judge="rules") as memory:
        texts = sentences(_ITEMS)
        for begin in range(0, _ITEMS, _BATCH):
            memory.remember_many({"content": text, "judged": False} for text in texts[begin : begin + _BATCH])
        memory.flush(600)
        memory.recall("warm up")  # closing leaves a snapshot, as any helper that was here before would have


def _run(home: Path, folder: Path, event: str, *, session: str, prompt: str = "") -> float:
    given = json.dumps({"session_id": session, "cwd": str(folder), "prompt": prompt}).encode()
    command = [sys.executable, "-m", "truekeep.cli.main", "hooks", "run", "claude-code", event]
    surroundings = {**os.environ, "TRUEKEEP_HOME": str(home)}
    begun = time.perf_counter()
    subprocess.run(command, input=given, env=surroundings, check=True, capture_output=True)
    return (time.perf_counter() - begun) * 1000


def _timing(wall: list[float]) -> Timing:
    return Timing(cpu=[0.0], wall=wall)


def _end(home: Path) -> None:
    if (pid := line.running(str(home))) is not None:
        os.kill(pid, signal.SIGKILL)
        (home / "hooks" / "helper").unlink()
